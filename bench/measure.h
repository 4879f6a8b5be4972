// One row of the bench: a call through the library, timed side by side with a peer on the same operands (ours, the
// peer's, ours, ...), and checked before, between and after the samples.
#pragma once

#include <string>

#include "library.h"
#include "peers.h"
#include "report.h"
#include "routines.h"
#include "workload.h"

namespace command {

// One set of operands, timed on each backend.
struct Item {
  Routine routine;
  Shape shape;
  libsgemm_op_t transa, transb;
  std::string transposes;
};

// `transposes` as a routine has them in its own words: "NT", "T", "-".
Item make_item(Routine routine, const Shape &shape, const std::string &transposes);

struct Effort {
  int reps;         // samples, at least
  double min_time;  // seconds of samples, at least
};

// Operands that do not fit in memory are a nullptr, and measure() says so.
std::unique_ptr<Workload> make_workload(const Item &item, Memory *memory);

// `kernel`: empty, or the row to force. `peer`: may be nullptr, and is left out where it does not support the call.
// What goes wrong is in the result.
Result measure(const Effort &effort, const std::string &kernel, const Item &item, const Backend &backend,
               Workload *work, Peer *peer, Memory *memory);

}  // namespace command
