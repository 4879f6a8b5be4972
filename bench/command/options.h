// Options of the subcommands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/command.h"
#include "probe/probe.h"

namespace command {

// No flag: the table.
struct BenchModes {
  bool accuracy = false, ladder = false, overhead = false, decision = false;
  std::vector<std::string> groups;
};

struct Options {
  InfoOptions info;
  GemmOptions gemm;
  BenchOptions bench;
  LadderOptions ladder;
  OverheadOptions overhead;
  HostOptions host;
  ConvOptions conv;
  BenchModes modes;
  CalibrateOptions calibrate;
  TuneOptions tune;
  RunOptions run;
  StatsOptions stats;
  ProbeOptions probe;
};

void add_info(CLI::App *app, InfoOptions *options);
void add_gemm(CLI::App *app, GemmOptions *options);
void add_calibrate(CLI::App *app, CalibrateOptions *options);
void add_run(CLI::App *app, RunOptions *options);
void add_tune(CLI::App *app, TuneOptions *options);
void add_probe(CLI::App *app, ProbeOptions *options);
void add_stats(CLI::App *app, StatsOptions *options);
void add_bench(CLI::App *app, Options *options);

}  // namespace command
