// What `libsgemm probe` measures, as one table of probes for each kind of processor, and what becomes of them.
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
  double ceiling = 0;    // what the clock or the data sheet allows, in the unit; 0: not known
  double mhz = 0;        // mean while it was taken; 0: not known
  Telemetry telemetry;   // of a GPU
  double intensity = 0;  // of a product: FLOP a byte of its operands
  double bytes = 0;      // of memory that was walked through; 0: none
};

// A figure that cannot be true.
class ProbeFault : public Error {
 public:
  using Error::Error;
};

// One figure; `measure` sets all but backend, group, what and unit. Throws Error where it cannot be had.
struct Probe {
  std::string group, what, unit;
  std::function<void(Figure *)> measure;
};

// `seconds`: of a figure.
std::vector<Probe> cpu_probes(double seconds);
std::vector<Probe> gpu_probes(GpuMemory *memory, double seconds);

// The library's and a peer's SGEMM, of squares of a size or 0 for one that is large enough, beside the ceilings among
// `figures`, to which they are added. Gives the sentence about them.
std::string probe_sgemm(const std::string &backend, int64_t size, double seconds, std::vector<Figure> *figures,
                        const std::function<void(const std::string &)> &progress);

// FLOP a second of the library's SGEMM on a GPU, measured in the same way, of the largest squares up to 4096 of which a
// call is expected to take no more than `longest` seconds. Throws Error.
double sgemm_rate(const std::string &backend, double longest);

// ---- Reports --------------------------------------------------------------------------------------------------------

std::vector<std::string> probe_groups();  // in the order of the report

void print_figure_header();
void print_figure(const Figure &figure);
nlohmann::ordered_json figures_json(const std::vector<Figure> &figures);

// An earlier --json. Throws Error that names it.
std::vector<Figure> read_figures(const std::string &path);
// Prints each figure's ratio to the earlier one; how many differ by more than `tolerance` percent.
int compare_figures(const std::vector<Figure> &figures, const std::vector<Figure> &earlier, double tolerance);

}  // namespace command
