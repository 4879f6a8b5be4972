#include "thread_info.h"

#include <cstring>

#include "contract/cpu_blas.h"
#include "gate.h"
#include "loader.h"

namespace libsgemm {
namespace {

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", seconds * 1e3);
  return text;
}

// "0.8 ms predicted on openblas against 1.9 on cuda (up 1.2, compute 0.1, down 0.6)"
std::string words(const Expected &e, int gpu) {
  const Prediction &p = e.seconds;
  return milliseconds(p.cpu) + " ms predicted on " + kBackendNames[e.cpu] + " against " + milliseconds(p.gpu) + " on " +
         kBackendNames[gpu] + " (up " + milliseconds(p.up) + ", compute " + milliseconds(p.compute) + ", down " +
         milliseconds(p.down) + ")";
}

// ", after copy of A by sm75_mma_64x64x64_packed"
std::string words(const Ran &ran, const ThreadInfo &info) {
  std::string after = std::string(", after ") + ran.pass;
  if (ran.kernel == nullptr) return after;
  if (info.choice == Choice::forced_kernel) return after + ", and left the product to " + ran.kernel->name;
  return after + " by " + info.kernel->name;
}

std::string no_kernel(const ThreadInfo &info) {
  if (info.choice != Choice::forced_kernel) return "has no kernel for this call";
  return std::string("its forced kernel ") + info.forced + " cannot do this call";
}

std::string words(const Note &note, const ThreadInfo &info) {
  const Slot &slot = library().slots[note.backend];
  switch (note.why) {
    case Note::unavailable:
      return "not available: " + (slot.state == Slot::refused ? slot.reason : slot.probe_reason);
    case Note::unsupported:
      return no_kernel(info);
    case Note::not_invariant:
      return no_kernel(info) + " with the sums of LIBSGEMM_DETERMINISTIC=invariant";
    case Note::small:
      return "not worth the transfer: below LIBSGEMM_OFFLOAD_THRESHOLD";
    case Note::tiny:
      return "not worth the transfer: too small for any GPU";
    case Note::slower:
      return "not worth the transfer: " + words(info.expected[note.backend], note.backend);
    case Note::deferred: {
      const Expected &e = info.expected[note.backend];
      return "not started yet: " + words(e, note.backend) + ", and the calls so far would have saved " +
             milliseconds(e.saved) + " of the " + milliseconds(e.startup) + " that the start takes";
    }
    case Note::not_offloaded:
      return "not used for host memory: LIBSGEMM_OFFLOAD=never";
    case Note::other_memory:
      return "cannot reach the memory of the operands";
    case Note::after_fork:
      return "not usable in a forked process: its parent had initialised the devices";
    case Note::capturing:
      return "not used: host memory cannot be part of the graph that the stream records";
    case Note::failed:
      return std::string("failed: ") + info.failure.text;
    case Note::wrong:
      return std::string("gave a wrong result: ") + info.failure.text;
    case Note::ending:
      return std::string("not used: ") + kEndingText;
  }
  return "";
}

void copy(char *target, size_t size, const char *text) {
  std::snprintf(target, size, "%.*s", static_cast<int>(size) - 1, text);
}

}  // namespace

ThreadInfo &thread_info() {
  thread_local ThreadInfo info;
  return info;
}

std::string reason_in_words(const ThreadInfo &info) {
  std::string text;
  if (info.backend != nullptr && info.kernel != nullptr) {
    text = std::string(info.backend->name);
    static const char *const choices[] = {": first usable in the default order", ": asked for",
                                          ": its kernel was forced", ": in place of what was asked for"};
    text += choices[static_cast<int>(info.choice)];
    if (info.tuned) text += ", its kernel by tuning";
    if (info.ran.pass != nullptr) text += words(info.ran, info);
    if (info.blas != nullptr && info.backend == library().slots[kFirstCpu].table) {
      text += ", the program's own " + info.blas->version + " (" + info.blas->file + ")";
    }
    if (info.tiles > 0) {
      text += ", " + std::to_string(info.tiles) + (info.tiles == 1 ? " tile over " : " tiles over ") +
              std::to_string(info.devices) + (info.devices == 1 ? " device" : " devices");
    }
    for (int gpu = 0; gpu < kFirstCpu; ++gpu) {
      const bool ran = info.expected[gpu].known && std::strcmp(info.backend->name, kBackendNames[gpu]) == 0;
      if (ran) text += ", " + words(info.expected[gpu], gpu);
    }
  }
  for (int i = 0; i < info.note_count; ++i) {
    text += (text.empty() ? "" : "; ") + std::string(kBackendNames[info.notes[i].backend]) + " " +
            words(info.notes[i], info);
  }
  return text;
}

}  // namespace libsgemm

libsgemm_status_t libsgemm_last_info(libsgemm_info_t *out) {
  if (out == nullptr) return LIBSGEMM_INVALID_ARGUMENT;
  const libsgemm::ThreadInfo &info = libsgemm::thread_info();
  *out = {};
  out->status = info.status;
  out->argument = info.argument;
  out->device = info.device;
  out->devices = info.devices;
  out->tiles = info.tiles;
  out->fallbacks = info.fallbacks;
  out->plans = info.plans;
  out->tuned = info.tuned ? 1 : 0;
  out->truncated = info.kernel != nullptr && info.kernel->truncates ? 1 : 0;
  out->verify_ratio = info.verify_ratio;
  const bool fast = info.kernel != nullptr && info.kernel->math_mode == LIBSGEMM_MATH_FP32_FAST;
  const auto fp64_share = fast ? info.backend->fp64_share : nullptr;
  out->fp64_share = fp64_share != nullptr ? fp64_share(info.ticket) : -1;
  using libsgemm::copy;
  copy(out->entry, sizeof out->entry, info.entry);
  copy(out->backend, sizeof out->backend, info.backend != nullptr ? info.backend->name : "none");
  copy(out->kernel, sizeof out->kernel, info.kernel_name());
  if (info.kernel != nullptr) {
    copy(out->math_mode, sizeof out->math_mode, libsgemm::math_mode_name(info.arithmetic(*info.kernel).mode));
  }
  copy(out->message, sizeof out->message, info.message);
  try {
    copy(out->reason, sizeof out->reason, libsgemm::reason_in_words(info).c_str());
  } catch (const std::bad_alloc &) {
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  return LIBSGEMM_SUCCESS;
}
