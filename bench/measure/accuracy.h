// What `libsgemm bench --accuracy` measures and how it is shown: the error of SGEMM by engine and distribution.
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

// Who multiplies: a peer, or the library on a backend in a mode.
struct Engine {
  std::unique_ptr<Peer> peer;
  std::string backend;
  Way way;
  Memory *memory;

  // "cublas"; "cuda fp16x3".
  std::string name() const;
};

struct AccuracyRow {
  const Engine *engine;
  const Distribution *distribution;
  Shape shape;
  Result::State state = Result::State::kMeasured;
  std::string problem;            // unless kMeasured
  std::string kernel, math_mode;  // of the library
  double fp64_share = -1;         // as of libsgemm_info_t
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
// `rows` are those of one shape: for each engine, all distributions. Beneath them, the worst errors over those of the
// first peer that computes in FP32, for what the library computes with inputs that are not rounded.
void print_accuracy(const std::vector<AccuracyRow> &rows, const AccuracyReport &report);
void write_json(const AccuracyReport &report, const std::string &path);

}  // namespace command
