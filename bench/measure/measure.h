// One row of the bench: a call, timed alternately with a peer on the same operands, and checked around the samples.
#pragma once

#include <string>
#include <vector>

#include "base/command.h"
#include "base/library.h"
#include "inputs/routines.h"
#include "inputs/workload.h"
#include "items.h"
#include "peers/peers.h"
#include "report.h"

namespace command {

struct Effort {
  int reps;             // least samples
  double min_time;      // least seconds of samples
  bool regret = false;  // times all other kernels, too
};

constexpr size_t kFinalists = 3;

// True if a kernel is not worth more samples, judged by times of first calls.
bool is_hopeless(double seconds, double chosen);

// Returns how many sets of `bytes` bytes exceed all caches together; 1 if calls do not rotate.
size_t sets_to_rotate(const Pace &pace, size_t bytes);

// Every set is used. `estimate`: seconds of a call.
int calls_in_sample(const Pace &pace, double estimate, size_t sets);

// Takes `reps` samples of each kernel, alternately: forces it (empty: the library's choice), makes an untimed call, and
// times `calls` calls. `time` returns seconds a call.
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

// Samples `runners`, with members run() and seconds, alternately, each after an untimed call.
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

// Configuration of the library.
struct Way {
  std::string kernel;          // empty: the library's choice
  std::string math_mode;       // empty: the environment's
  size_t workspace_bytes = 0;  // limit of the library's own workspace; 0: default
  std::string plan;            // operands kept as plans: "a", "b", "ab", ""
};

std::vector<Way> make_ways(const BenchOptions &options, const std::vector<std::string> &math_modes);

std::vector<std::string> way_notes(const BenchOptions &options);

// Throws Error.
void set_way(libsgemm_handle_t h, const Way &way);

// Returns nullptr if memory is short.
std::unique_ptr<Workload> make_workload(const Item &item, Memory *memory);

// A peer that does not support the call is left out. Errors are in the result.
Result measure(const Effort &effort, const Way &way, const Item &item, const Backend &backend, Workload *work,
               Peer *peer, Memory *memory);

}  // namespace command
