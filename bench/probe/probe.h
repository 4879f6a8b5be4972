#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/command.h"
#include "peers/gpu_memory.h"
#include "peers/peers.h"

namespace command {

struct Figure {
  std::string backend, group, what, unit;
  double value = 0;
  double ceiling = 0;    // limit by clock or data sheet; 0: unknown
  double mhz = 0;        // mean; 0: unknown
  Telemetry telemetry;   // GPUs only
  double intensity = 0;  // FLOP per byte of a product's operands
  double bytes = 0;      // memory walked through; 0: none
};

class ProbeFault : public Error {
 public:
  using Error::Error;
};

// `measure` sets all of a figure but backend, group, what and unit. It throws Error if the figure is not available.
struct Probe {
  std::string group, what, unit;
  std::function<void(Figure *)> measure;
};

// `seconds`: duration of a figure's measurement.
std::vector<Probe> cpu_probes(double seconds);
std::vector<Probe> gpu_probes(GpuMemory *memory, double seconds);

// Adds SGEMM of the library and a peer on squares of `size` (0: large enough) to `figures`, compared with the ceilings
// there. Returns a sentence about them.
std::string probe_sgemm(const std::string &backend, int64_t size, double seconds, std::vector<Figure> *figures,
                        const std::function<void(const std::string &)> &progress);

// Returns the FLOP/s of the library's SGEMM for the largest squares up to 4096 expected to take at most `longest`
// seconds. Throws Error.
double sgemm_rate(const std::string &backend, double longest);

std::vector<std::string> probe_groups();  // in the report's order

void print_figure_header();
void print_figure(const Figure &figure);
nlohmann::ordered_json figures_json(const std::vector<Figure> &figures);

// Reads an earlier --json. Throws Error.
std::vector<Figure> read_figures(const std::string &path);
// Prints ratios to the earlier figures. Returns how many differ by more than `tolerance` percent.
int compare_figures(const std::vector<Figure> &figures, const std::vector<Figure> &earlier, double tolerance);

}  // namespace command
