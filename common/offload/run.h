// A call on its devices, a pipeline each.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "offload.h"
#include "pipeline.h"

namespace libsgemm {

// Sets and pieces of a call, returned on every path. The sets share the pieces.
class Holdings {
 public:
  Holdings() = default;
  ~Holdings();
  Holdings(const Holdings &) = delete;
  Holdings &operator=(const Holdings &) = delete;

  void add(DeviceSet *set) {
    sets.push_back(set);
    endings.push_back(Ending::failed);
  }
  size_t share() const { return pieces.size() / sets.size(); }

  std::vector<DeviceSet *> sets;
  std::vector<Ending> endings;
  std::vector<PinnedPiece> pieces;
};

// The first pipeline runs in this thread.
class Run {
 public:
  Run(Job *job, Holdings *holdings);

  // As long as failed devices return units, the healthy ones run again. On failure C is restored, if it was saved.
  libsgemm_status_t run(Error *error);

  void report(Offloaded *by) const;
  Traffic traffic() const;

 private:
  std::ptrdiff_t healthy() const;
  void run_healthy();
  void run_one(size_t i) { status_[i] = pipelines_[i]->run(&errors_[i]); }

  Job &job_;
  Holdings &holdings_;
  std::vector<std::unique_ptr<Pipeline>> pipelines_;
  std::vector<Error> errors_;
  std::vector<libsgemm_status_t> status_, before_;
};

}  // namespace libsgemm
