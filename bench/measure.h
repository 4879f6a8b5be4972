// One row of the bench: a call through the library, timed side by side with a peer on the same operands (ours, the
// peer's, ours, ...), and checked before, between and after the samples.
#pragma once

#include <string>

#include "command.h"
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
  int reps;             // samples, at least
  double min_time;      // seconds of samples, at least
  bool regret = false;  // time every row that can do the call, too
};

// How the library is asked to compute.
struct Way {
  std::string kernel;          // empty, or the row to force
  std::string math_mode;       // empty: as the environment has it
  size_t workspace_bytes = 0;  // at most, where it allocates its own; 0: its default
  std::string plan;            // operands kept as plans: "a", "b", "ab", or empty
};

// With --kernel, --workspace and --plan, in each of the modes.
std::vector<Way> make_ways(const BenchOptions &options, const std::vector<std::string> &math_modes);

// What of them the readers of a report must know.
std::vector<std::string> way_notes(const BenchOptions &options);

// Throws Error.
void set_way(libsgemm_handle_t h, const Way &way);

// Operands that do not fit in memory are a nullptr, and measure() says so.
std::unique_ptr<Workload> make_workload(const Item &item, Memory *memory);

// `peer`: may be nullptr, and is left out where it does not support the call.
// What goes wrong is in the result.
Result measure(const Effort &effort, const Way &way, const Item &item, const Backend &backend, Workload *work,
               Peer *peer, Memory *memory);

}  // namespace command
