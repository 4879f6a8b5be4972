// The measurements of `libsgemm probe`, a table of probes for each kind of processor, and the reports of them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "command/command.h"
#include "peers/gpu_memory.h"
#include "peers/peers.h"

namespace command {

struct Figure {
  std::string backend, group, what, unit;
  double value = 0;
  double ceiling = 0;    // limit by the clock or the data sheet, in the unit; 0: unknown
  double mhz = 0;        // mean during the measurement; 0: unknown
  Telemetry telemetry;   // GPU only
  double intensity = 0;  // FLOP for each byte of a product's operands
  double bytes = 0;      // size of the memory that was walked through; 0: none
};

// An error for a figure that cannot be true.
class ProbeFault : public Error {
 public:
  using Error::Error;
};

// Measures one figure; `measure` sets all but backend, group, what and unit. Throws Error if it is not available.
struct Probe {
  std::string group, what, unit;
  std::function<void(Figure *)> measure;
};

// `seconds`: duration of the measurement of a figure.
std::vector<Probe> cpu_probes(double seconds);
std::vector<Probe> gpu_probes(GpuMemory *memory, double seconds);

// Measures SGEMM of the library and of a peer on squares of `size`, 0 for one that is large enough. Compares them with
// the ceilings among `figures`, and adds them there. Returns a sentence about them.
std::string probe_sgemm(const std::string &backend, int64_t size, double seconds, std::vector<Figure> *figures,
                        const std::function<void(const std::string &)> &progress);

// Returns the FLOP a second of the library's SGEMM on a GPU, measured in the same way, for the largest squares up to
// 4096 whose call is expected to take at most `longest` seconds. Throws Error.
double sgemm_rate(const std::string &backend, double longest);

// ---- Reports --------------------------------------------------------------------------------------------------------

std::vector<std::string> probe_groups();  // in the order of the report

void print_figure_header();
void print_figure(const Figure &figure);
nlohmann::ordered_json figures_json(const std::vector<Figure> &figures);

// Reads the file of an earlier --json. Throws Error that names it.
std::vector<Figure> read_figures(const std::string &path);
// Prints each figure's ratio to the earlier one. Returns the number of those that differ by more than `tolerance`
// percent.
int compare_figures(const std::vector<Figure> &figures, const std::vector<Figure> &earlier, double tolerance);

}  // namespace command
