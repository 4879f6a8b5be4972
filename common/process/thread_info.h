// Report of the thread's last call.
#pragma once

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

#include "contract/backend.h"
#include "contract/math_mode.h"
#include "contract/prediction.h"
#include "env.h"

namespace libsgemm {

// Why a backend was passed over.
struct Note {
  enum Why : int8_t {
    unavailable,
    unsupported,
    not_invariant,
    small,
    tiny,
    slower,
    deferred,
    not_offloaded,
    other_memory,
    after_fork,
    capturing,
    failed,
    wrong,
    ending
  };
  int8_t backend;
  Why why;

  // The backend may be able to compute the call at another time.
  bool is_of_the_moment() const {
    return why == after_fork || why == capturing || why == failed || why == wrong || why == ending;
  }
};

// The prediction that decided between CPU and GPU.
struct Expected {
  bool known;
  int8_t cpu;
  Prediction seconds;
  double startup, saved;  // seconds that a start takes, and that it would have saved so far; read if it was postponed
};

enum class Choice : int8_t { by_default, asked_for, forced_kernel, replacement };

// The report of a call, for libsgemm_last_info() and statistics.
struct CallReport {
  static constexpr int kMaxNotes = 2 * kBackendCount;

  const char *entry = "";
  const Backend *backend = nullptr;  // NULL: none computed the call
  const Kernel *kernel = nullptr;
  const char *trivial = "";  // without a kernel: "scale", "nothing"
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  int argument = 0;
  int device = 0;
  int devices = 0;         // number that computed parts of the call
  int64_t tiles = 0;       // tiles of a call on host memory
  bool depth_cut = false;  // C was rounded between parts of the sum over k
  bool tuned = false;      // the kernel was chosen by a measurement
  int fallbacks = 0;
  int plans = 0;  // operands taken from plans
  double verify_ratio = -1;
  Ran ran = {};
  uint64_t ticket = 0;                 // GemmDesc::ticket
  Choice choice = Choice::by_default;  // choice of the backend
  const char *forced = nullptr;        // NULL: none
  int8_t note_count = 0;
  Note notes[kMaxNotes] = {};
  Expected expected[kFirstCpu] = {};  // by GPU backend
  const CpuBlas *blas = nullptr;      // the program's BLAS in a call of the BLAS drop-in, unless the user names another
  char message[512] = {};
};

// The state of a call, which the layers share while it runs.
struct CallState {
  bool inside = false;           // a backend runs on this thread: a call now is a recursion; not reset by begin()
  bool timed_by_caller = false;  // statistics get the time from the caller; not reset by begin()
  bool late = false;             // the call began when the process was ending: only `ref` may compute (gate.h)
  bool spoiled = false;          // a failure may have modified C, which is read: never compute it again
  bool given_back = false;       // the call is left to the caller's own BLAS (Caller::gives_back)
  bool groups_read_c = false;    // one of the computed groups reads C
  int64_t groups_done = 0;       // groups computed one after another
  int64_t startup = 0;           // nanoseconds of starting backends
  Error failure = {};            // error of the last backend that failed
};

struct ThreadInfo : CallReport, CallState {
  void begin(const char *entry_name, bool is_late = false) {
    entry = entry_name;
    backend = nullptr;
    kernel = nullptr;
    trivial = "";
    status = LIBSGEMM_SUCCESS;
    argument = 0;
    fallbacks = 0;
    verify_ratio = -1;
    choice = Choice::by_default;
    forced = nullptr;
    note_count = 0;
    blas = nullptr;
    message[0] = '\0';
    for (Expected &e : expected) e.known = false;
    forget_run();
    devices = 0;
    plans = 0;
    late = is_late;
    spoiled = false;
    given_back = false;
    groups_read_c = false;
    groups_done = 0;
    startup = 0;
    failure.text[0] = '\0';
  }

  // Clears the report of a backend before another tries.
  void forget_run() {
    device = 0;
    devices = 1;
    tiles = 0;
    depth_cut = false;
    tuned = false;
    ran = {};
    ticket = 0;
  }

  void force(const Kernel &wanted) {
    choice = Choice::forced_kernel;
    forced = wanted.name;
  }

  // The kernel that multiplied, or the forced one.
  const char *kernel_name() const {
    if (kernel == nullptr) return trivial;
    return ran.kernel != nullptr && choice != Choice::forced_kernel ? ran.kernel->name : kernel->name;
  }

  // FP64 rounded between parts of the sum over k counts as FP32.
  static Arithmetic arithmetic(const Kernel &of, bool depth_cut) {
    const bool rounded = depth_cut && of.math_mode == LIBSGEMM_MATH_FP64;
    return {rounded ? LIBSGEMM_MATH_FP32 : of.math_mode, of.truncates};
  }
  Arithmetic arithmetic(const Kernel &of) const { return arithmetic(of, depth_cut); }

  struct Part {
    const Backend *backend = nullptr;
    const Kernel *kernel = nullptr;
    Ran ran = {};
    uint64_t ticket = 0;
    bool tuned = false, depth_cut = false;
  };
  // A batch is reported as its group with the weakest error contract; of equals the last.
  void merge(Part *least) {
    if (kernel == nullptr) return;
    const Part here = {backend, kernel, ran, ticket, tuned, depth_cut};
    const auto how = [](const Part &part) { return arithmetic(*part.kernel, part.depth_cut); };
    if (least->kernel == nullptr || !promises_less(how(*least), how(here))) {
      *least = here;
    } else {
      backend = least->backend;
      kernel = least->kernel;
      ran = least->ran;
      ticket = least->ticket;
      tuned = least->tuned;
      depth_cut = least->depth_cut;
    }
  }

  bool has_note(Note::Why why) const {
    return std::any_of(notes, notes + note_count, [why](const Note &note) { return note.why == why; });
  }
  bool has_note_of_the_moment() const {
    return std::any_of(notes, notes + note_count, [](const Note &note) { return note.is_of_the_moment(); });
  }

  void note(int index, Note::Why why) {
    for (int i = 0; i < note_count; ++i) {
      if (notes[i].backend == index && notes[i].why == why) return;
    }
    if (note_count < kMaxNotes) notes[note_count++] = {static_cast<int8_t>(index), why};
  }

  // Adds a failure that a later wait found; keeps the rest.
  void add_failure(libsgemm_status_t error, const char *found_by, const char *text) {
    status = error;
    std::snprintf(message, sizeof message, "%s: %s", found_by, text);
  }

  libsgemm_status_t fail(libsgemm_status_t error, const char *text) {
    status = error;
    std::snprintf(message, sizeof message, "%s: %s", entry, text);
    return error;
  }
};

ThreadInfo &thread_info();

// No exception leaves the library, but the forced unwinding of a cancelled thread must not be stopped.
template <typename Work>
libsgemm_status_t protect(ThreadInfo *info, const Work &work) {
  try {
    return work();
  } catch (const abi::__forced_unwind &) {
    throw;
  } catch (const std::bad_alloc &) {
    return info->fail(LIBSGEMM_OUT_OF_MEMORY, "no host memory");
  } catch (...) {
    return info->fail(LIBSGEMM_EXECUTION_FAILED, "an unexpected exception");
  }
}

// Returns libsgemm_info_t.reason.
std::string reason_in_words(const ThreadInfo &info);

}  // namespace libsgemm
