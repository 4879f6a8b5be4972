// The probes of a GPU: its instructions and memory (probe_kernels.h), launches, graphs and copies.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/timing.h"
#include "probe.h"
#include "probe_copies.h"
#include "probe_driver.h"
#include "probe_patch.h"
#include "probe_runner.h"

namespace command {
namespace {

using Runner = std::shared_ptr<KernelRunner>;

constexpr int kLaunches = 500;      // a stream's queue holds about a thousand
constexpr int kGraphLaunches = 20;  // in a graph

void add_kernels(const Runner &runner, const std::vector<KernelProbe> &table, std::vector<Probe> *probes) {
  for (const KernelProbe &row : table) {
    if (!runner->has(row)) continue;
    probes->push_back({row.group, row.what, row.unit,
                       [runner, row](Figure *figure) { runner->measure(row, runner->function(row.kernel), figure); }});
  }
}

void add_patched(const Runner &runner, std::vector<Probe> *probes) {
  const auto machine_code = std::make_shared<std::string>();
  for (const RegisterPattern &pattern : register_patterns()) {
    const auto measure = [runner, machine_code, pattern](Figure *figure) {
      if (machine_code->empty()) *machine_code = ProbeDriver().assemble(ptx_module_of(kPatchedKernel));
      const std::string patched = patch_ffma(*machine_code, kPatchedKernel, kPatchedFfma, pattern);
      const GpuApi &api = runner->api();
      GpuModule module = nullptr;
      GpuFunction function = nullptr;
      api.require(api.module_load(&module, patched.data()), "loading changed machine code");
      api.require(api.module_function(&function, module, kPatchedKernel), kPatchedKernel);
      KernelProbe row{"fma", pattern_text(pattern), "TFLOP/s"};
      row.work = 2.0 * kPatchedFfma;
      row.scale = 1e12;
      row.threads = 256;
      row.ceiling = Unit::kFma;
      runner->measure(row, function, figure);
    };
    probes->push_back({"fma", pattern_text(pattern), "TFLOP/s", measure});
  }
}

KernelProbe empty_kernel() {
  KernelProbe row{"launch", "an empty kernel", "us"};
  row.blocks = 0;
  return row;
}

void add_launches(const Runner &runner, std::vector<Probe> *probes) {
  const auto in_a_row = [runner](Figure *figure) {
    const GpuFunction function = runner->function(kEmptyKernel);
    const KernelProbe row = empty_kernel();
    const auto once = [&] {
      return runner->memory().time(kLaunches, [&](int) { runner->launch(row, function, 1, 0, 0); });
    };
    figure->value = 1e6 * median(runner->sample(once, figure)) / kLaunches;
  };
  const auto alone = [runner](Figure *figure) {
    const GpuFunction function = runner->function(kEmptyKernel);
    const KernelProbe row = empty_kernel();
    const auto once = [&] {
      const double start = now();
      runner->launch(row, function, 1, 0, 0);
      runner->memory().finish();
      return now() - start;
    };
    figure->value = 1e6 * median(runner->sample(once, figure));
  };
  probes->push_back({"launch", "empty kernels in a row", "us", in_a_row});
  probes->push_back({"launch", "an empty kernel, until it is done", "us", alone});
}

void add_graph(const Runner &runner, std::vector<Probe> *probes) {
  const auto measure = [runner](Figure *figure) {
    const ProbeDriver driver;
    const GpuFunction function = runner->function(kEmptyKernel);
    const KernelProbe row = empty_kernel();
    auto *stream = static_cast<GpuStream>(runner->memory().stream());
    void *graph = driver.capture(stream, [&] {
      for (int i = 0; i < kGraphLaunches; ++i) runner->launch(row, function, 1, 0, 0);
    });
    const auto once = [&] {
      const double start = now();
      driver.launch_graph(graph, stream);
      runner->memory().finish();
      return now() - start;
    };
    figure->value = 1e6 * median(runner->sample(once, figure));
  };
  probes->push_back(
      {"launch", fmt::format("a graph of {} empty kernels, until it is done", kGraphLaunches), "us", measure});
}

}  // namespace

std::vector<Probe> gpu_probes(GpuMemory *memory, double seconds) {
  const auto runner = std::make_shared<KernelRunner>(memory, seconds);
  const bool is_cuda = runner->arch() > 0;
  std::vector<Probe> probes;
  add_kernels(runner, is_cuda ? ptx_probes() : hip_probes(), &probes);
  if (is_cuda) {
    add_patched(runner, &probes);
    add_kernels(runner, ptx_memory_probes(), &probes);
    add_kernels(runner, ptx_tensor_probes(), &probes);
  }
  probes.push_back({"memory", "device memory, the driver's copy", "GB/s",
                    [memory](Figure *figure) { figure->value = 1e-9 * memory->copy_bandwidth(); }});
  add_kernels(runner, chase_probes(), &probes);
  add_launches(runner, &probes);
  if (is_cuda) add_graph(runner, &probes);
  add_copies(runner, &probes);
  const auto order = [](const Probe &probe) {
    const std::vector<std::string> groups = probe_groups();
    return std::find(groups.begin(), groups.end(), probe.group) - groups.begin();
  };
  std::stable_sort(probes.begin(), probes.end(), [&](const Probe &x, const Probe &y) { return order(x) < order(y); });
  return probes;
}

}  // namespace command
