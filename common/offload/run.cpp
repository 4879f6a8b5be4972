#include "run.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>

#include "contract/kernel_table.h"
#include "devices.h"

namespace libsgemm {
namespace {

// Joins on every path: a std::thread destroyed without a join ends the process.
class Threads {
 public:
  Threads() = default;
  ~Threads() {
    for (std::thread &thread : threads_) thread.join();
  }
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;

  template <typename Work>
  bool start(const Work &work) try {
    threads_.emplace_back(work);
    return true;
  } catch (const std::system_error &) {
    return false;
  } catch (const std::bad_alloc &) {
    return false;
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

Holdings::~Holdings() {
  const size_t each = sets.empty() ? 0 : share();
  for (size_t i = 0; i < sets.size(); ++i) {
    give_set(sets[i], endings[i]);
    // A lost device may still write to its pieces: they are never returned.
    if (endings[i] != Ending::lost) give_pieces(pieces.data() + i * each, each);
  }
  give_pieces(pieces.data() + each * sets.size(), pieces.size() - each * sets.size());
}

Run::Run(Job *job, Holdings *holdings) : job_(*job), holdings_(*holdings) {
  const size_t count = holdings->sets.size(), share = holdings->share();
  for (size_t i = 0; i < count; ++i) {
    const auto first = holdings->pieces.begin() + static_cast<std::ptrdiff_t>(i * share);
    pipelines_.push_back(
        std::make_unique<Pipeline>(job, static_cast<int>(i), holdings->sets[i],
                                   std::vector<PinnedPiece>(first, first + static_cast<std::ptrdiff_t>(share))));
  }
  errors_.resize(count);
  status_.resize(count, LIBSGEMM_SUCCESS);
  before_ = status_;
}

libsgemm_status_t Run::run(Error *error) {
  while (healthy() > 0 && !job_.cancelled && !job_.units.empty()) run_healthy();
  for (size_t i = 0; i < pipelines_.size(); ++i) holdings_.endings[i] = pipelines_[i]->ending();
  if (!job_.cancelled && job_.units.empty()) return LIBSGEMM_SUCCESS;
  for (const auto &pipeline : pipelines_) pipeline->restore();
  size_t failed = 0;
  while (status_[failed] == LIBSGEMM_SUCCESS) ++failed;
  *error = errors_[failed];
  return status_[failed];
}

void Run::report(Offloaded *by) const {
  *by = {nullptr, {}, pipelines_.front()->device(), 0, 0, false, rounds_between(job_.desc, job_.plan)};
  for (const auto &pipeline : pipelines_) {
    const int64_t tiles = pipeline->traffic().tiles;
    if (tiles > 0 && by->devices++ == 0) by->device = pipeline->device();
    by->tiles += tiles;
    const Kernel *kernel = pipeline->kernel();
    if (kernel == nullptr || !promises_less(*kernel, by->kernel)) continue;
    by->kernel = kernel;
    by->ran = pipeline->ran();
    by->tuned = pipeline->tuned();
  }
}

Traffic Run::traffic() const {
  Traffic sum;
  for (const auto &pipeline : pipelines_) {
    sum.up += pipeline->traffic().up;
    sum.down += pipeline->traffic().down;
    sum.tiles += pipeline->traffic().tiles;
  }
  return sum;
}

std::ptrdiff_t Run::healthy() const { return std::count(status_.begin(), status_.end(), LIBSGEMM_SUCCESS); }

// If a thread cannot be created, the other pipelines take its units.
void Run::run_healthy() {
  before_ = status_;  // without an allocation, which could fail while C is half done
  size_t here = 0;
  while (before_[here] != LIBSGEMM_SUCCESS) ++here;
  {
    Threads threads;
    for (size_t i = here + 1; i < pipelines_.size(); ++i) {
      if (before_[i] == LIBSGEMM_SUCCESS) threads.start([this, i] { run_one(i); });
    }
    run_one(here);
  }
  if (job_.cancelled || healthy() == 0) return;
  for (size_t i = 0; i < pipelines_.size(); ++i) {
    if (status_[i] != before_[i]) tell_of_failure(job_.backend, pipelines_[i]->device(), errors_[i]);
  }
}

}  // namespace libsgemm
