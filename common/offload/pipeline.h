// One device at work on a call (docs/kernels/offload.md). One thread drives the device and polls everything; host
// threads copy. A tile is fetched only after its kernels ended without an error.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>

#include "offload/memory/memory.h"
#include "operand.h"
#include "threads.h"
#include "undo.h"

namespace libsgemm {

// A device takes its own tiles first, then, from the end, those of the device with the most left.
class UnitQueue {
 public:
  UnitQueue(const GemmDesc &desc, const TilePlan &plan, int parts);
  bool take(int part, Unit *unit);
  // Leaves the unit to other devices. False: no memory.
  bool give_back(int part, const Unit &unit);
  bool empty() const;
  size_t parts() const { return parts_.size(); }

 private:
  mutable std::mutex mutex_;
  std::vector<std::deque<Unit>> parts_;
};

// Shared by a call's devices.
struct Job {
  const Backend &backend;
  const GemmDesc &desc;
  const TilePlan &plan;
  const Kernel *forced;  // NULL: the cheapest per tile
  size_t workspace;      // bytes at the end of each device's memory
  double timeout;        // seconds without progress; 0: no limit
  Operand a, b, c;
  const Undo &undo;
  UnitQueue &units;
  std::atomic<bool> cancelled{false};  // the call has failed, whatever devices could still do
};

struct Traffic {
  double up = 0, down = 0;  // bytes
  int64_t tiles = 0;        // tiles with results in place
};

class Pipeline {
 public:
  // `part`: this device's part of the queue. The caller owns set and pieces, and returns them as ending() says.
  Pipeline(Job *job, int part, DeviceSet *set, const std::vector<PinnedPiece> &pieces);

  static size_t events_needed(const TilePlan &plan, size_t pieces);

  // Works until no units are left, it fails, or the call is cancelled. After a failure other devices take the rest, or
  // it cancels the call. After SUCCESS it may run again, for returned units. At return nothing is at work, unless the
  // device is lost.
  libsgemm_status_t run(Error *error);
  Ending ending() const { return ending_; }
  int device() const { return device_; }

  // Called after the call's failure.
  void restore() const;
  const Kernel *kernel() const { return kernel_; }
  bool tuned() const { return tuned_; }
  const Ran &ran() const { return ran_; }
  const Traffic &traffic() const { return traffic_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Buffer {
    char *memory = nullptr;
    const Operand *operand = nullptr;
    Block block = {};
    bool used = false;            // holds a block, or will
    int64_t column = 0, row = 0;  // next piece
    bool cut = false;             // divided into pieces
    int64_t unsent = 0;           // pieces not enqueued
    bool sent = false;            // all are enqueued, `ready` is recorded
    bool waited = false;          // compute stream waits for `ready`
    bool must_wait = false;       // upload must wait for `free`: launches that read the old block
    bool launched = false;        // `free` is recorded
    int pins = 0;                 // steps that will use it
    uint64_t last_use = 0;
    void *ready = nullptr, *free = nullptr;
  };

  struct Work;
  struct Save : CopyTask {
    const Job *job;
    Work *work;
    Block region;
  };

  // A unit until its result is stored.
  struct Work {
    Unit unit = {};
    int64_t launches = 0, assigned = 0, launched = 0;
    Buffer *c = nullptr;
    bool saving = false;
    std::vector<Save> saves;
    std::atomic<int64_t> unsaved{0};
    bool computed = false;
    int64_t column = 0, row = 0;  // next piece of the result
    bool cut = false;
    int64_t pieces = 0, landed = 0, stored = 0;
    bool finished() const { return cut && stored == pieces; }
  };

  struct Step {
    Work *work;
    Factors factors;
    Buffer *first, *second;  // serve as A and B; second may be NULL
  };

  enum State : int { idle, filling, filled, flying, storing, stored };

  // In flight, in pinned memory or, if the operand is pinned, in place.
  struct Slot : CopyTask {
    char *memory = nullptr;
    std::atomic<int> state{idle};
    void *event = nullptr;
    const Operand *operand = nullptr;
    Block block = {};
    Piece piece = {};
    Buffer *buffer = nullptr;
    Work *work = nullptr;
  };

  libsgemm_status_t turn(bool *moved);
  bool done() const { return no_more_ && works_.empty(); }
  void idle_for_a_while();
  libsgemm_status_t check_time(Error *error);

  bool take_units();
  bool assign_step(Work *work);
  bool assign_c();
  const Operand &operand_of(const Factor &factor) const { return factor.of_b ? job_.b : job_.a; }
  Buffer *find(const Factor &factor, const Buffer *taken, bool *hit);
  void use(Buffer *buffer, const Factor &factor, bool hit);
  void begin_upload(Buffer *buffer, const Operand &operand, const Block &block);
  bool save_ahead();
  void begin_saving(Work *work);

  Slot *free_slot(bool direct, bool up);
  bool fill();
  libsgemm_status_t send(bool *moved);
  libsgemm_status_t land_uploads(bool *moved);
  libsgemm_status_t fetch(bool *moved);
  libsgemm_status_t land_results(bool *moved);
  bool store();
  libsgemm_status_t has_ended(void *event, bool *ended);

  GemmDesc describe(const Step &step) const;
  libsgemm_status_t launch(bool *moved);
  libsgemm_status_t launch_step(const Step &step);
  bool hopeless(libsgemm_status_t status) const;
  bool return_units();
  void settle();
  libsgemm_status_t settle_stream(void *stream);

  Job &job_;
  const Backend &backend_;
  const int part_, device_;
  DeviceSet *set_;
  const bool helps_;  // this thread runs copies while it is idle
  char *workspace_ = nullptr;
  std::vector<Buffer> a_, b_, c_;
  std::vector<Slot> slots_, direct_;  // with pinned pieces; without
  size_t kept_for_results_ = 0;       // reserved from uploads
  std::deque<Work> works_;
  std::deque<Step> steps_;        // with buffers, not launched
  std::deque<Buffer *> uploads_;  // not divided yet
  std::deque<Slot *> rising_, falling_;
  std::deque<Work *> results_;  // launched, not divided yet
  std::vector<Block> saved_;
  bool no_more_ = false;
  uint64_t uses_ = 0;
  int64_t quiet_ = 0;  // turns without progress
  Clock::time_point progress_;
  const Kernel *kernel_ = nullptr;
  bool tuned_ = false;
  Ran ran_ = {};  // report of kernel_'s latest launch
  Traffic traffic_;
  Ending ending_ = Ending::healthy;
  Error *error_ = nullptr;
};

}  // namespace libsgemm
