// One row of the bench: a call through the library, timed side by side with a peer on the same operands (ours, the
// peer's, ours, ...), and checked before, between and after the samples.
#pragma once

#include <string>
#include <vector>

#include "command/command.h"
#include "command/library.h"
#include "inputs/routines.h"
#include "inputs/workload.h"
#include "items.h"
#include "peers/peers.h"
#include "report.h"

namespace command {

struct Effort {
  int reps;             // samples, at least
  double min_time;      // seconds of samples, at least
  bool regret = false;  // time every row that can do the call, too
};

// ---- Rows by force, beside what the library chooses -------------------------------------------------------------

constexpr size_t kFinalists = 3;  // forced rows that are timed again beside the chosen one

// Whether a row whose first call took so long is not timed further.
bool is_hopeless(double seconds, double chosen);

// Sets of operands that calls rotate through, if they do at all: no cache of the memory holds so many of `bytes`.
size_t sets_to_rotate(const Pace &pace, size_t bytes);

// Calls of `estimate` seconds in one sample, in which each set has its turn.
int calls_in_sample(const Pace &pace, double estimate, size_t sets);

// `reps` samples of each kernel, in turn: each is forced (empty: the choice) and timed behind an untimed call.
// Time: seconds a call, of so many calls.
template <class Force, class Time>
std::vector<std::vector<double>> time_in_turn(const std::vector<std::string> &kernels, int reps, int calls,
                                              const Force &force, const Time &time) {
  std::vector<std::vector<double>> seconds(kernels.size());
  for (int rep = 0; rep < reps; ++rep) {
    for (size_t i = 0; i < kernels.size(); ++i) {
      force(kernels[i]);
      time(1);
      seconds[i].push_back(time(calls));
    }
  }
  return seconds;
}

// Samples of each of `runners`, which have run() and seconds, in turn, each timed behind an untimed call.
template <class Runner>
void time_runners(const Effort &effort, Memory *memory, std::vector<Runner> *runners) {
  const auto time = [&](const Runner &runner, int calls) {
    return memory->time(calls, [&](int) { runner.run(); }) / calls;
  };
  std::vector<int> calls;
  for (const Runner &runner : *runners) calls.push_back(calls_in_sample(memory->pace(), time(runner, 1), 1));
  double spent = 0;
  for (int rep = 0; rep < effort.reps || spent < effort.min_time; ++rep) {
    for (size_t i = 0; i < runners->size(); ++i) {
      Runner &runner = (*runners)[i];
      time(runner, 1);
      runner.seconds.push_back(time(runner, calls[i]));
      spent += runner.seconds.back() * calls[i];
    }
  }
}

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
