// Results and output of `libsgemm bench --accuracy`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inputs/distributions.h"
#include "inputs/suite.h"
#include "measure.h"
#include "peers/peers.h"
#include "report.h"

namespace command {

// A peer, or the library with a backend and a mode.
struct Engine {
  std::unique_ptr<Peer> peer;
  std::string backend;
  Way way;
  Memory *memory;

  // For example "cublas" or "cuda fp16x3".
  std::string name() const;
};

struct AccuracyRow {
  const Engine *engine;
  const Distribution *distribution;
  Shape shape;
  Result::State state = Result::State::kMeasured;
  std::string problem;
  std::string kernel, math_mode;  // the library's
  double fp64_share = -1;         // see libsgemm_info_t
  int device = 0;
  Errors errors;
};

struct AccuracyReport {
  Report machine;
  std::string transposes;
  std::vector<Distribution> distributions;
  std::vector<Engine> engines;
  std::vector<AccuracyRow> rows;
};

void print_accuracy_header(const AccuracyReport &report);
// Prints the rows of one shape, and for modes that do not round inputs the errors over those of the first FP32 peer.
void print_accuracy(const std::vector<AccuracyRow> &rows, const AccuracyReport &report);
void write_json(const AccuracyReport &report, const std::string &path);

}  // namespace command
