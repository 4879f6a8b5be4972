// `libsgemm bench --routine sconv2d`: layers x directions x layouts, compared with other libraries.
#include "conv.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/command.h"
#include "base/library.h"
#include "base/output_file.h"
#include "base/timing.h"
#include "conv_operands.h"
#include "inputs/precision.h"
#include "measure/choose_backends.h"
#include "measure/measure.h"
#include "measure/report.h"
#include "peers/gpu_memory.h"

namespace command {
namespace {

constexpr const char *kDirections[] = {"forward", "data", "weight"};
constexpr const char *kLayouts[] = {"nchw", "nhwc"};

// Returns indices, by default all. CLI11 has checked the words.
template <size_t N>
std::vector<int> chosen_of(const std::vector<std::string> &words, const char *const (&all)[N]) {
  std::vector<int> chosen;
  for (int i = 0; i < static_cast<int>(N); ++i) {
    if (words.empty() || std::find(words.begin(), words.end(), all[i]) != words.end()) chosen.push_back(i);
  }
  return chosen;
}

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

struct Runner {
  std::string name;
  std::function<void()> run;
  bool keeps_bound;  // other modes and transformed algorithms may round more
  std::function<void()> deliver = [] {};
  double error = 0;
  std::vector<double> seconds = {};
};

class Table {
 public:
  Table(const BenchOptions &options, const ConvOptions &conv) : options_(options), conv_(conv) {
    if (!options.json.empty()) check_output(options.json);
    select_gpu(options.device);
    for (const std::string &name : split(options.peer)) {
      if (name != "none") peers_.push_back(open_conv_peer(name));
    }
    for (const auto &peer : peers_) {
      if (&peer->memory() != &peers_.front()->memory()) {
        throw Error(fmt::format("--peer {}: {} and {} compute in different memories", options.peer,
                                peers_.front()->name(), peer->name()));
      }
    }
    for (const std::string &name : options.backends) backends_.push_back(find_available_backend(name));
    memory_ = &memory();
    backends_ = choose_backends(options, *memory_);
  }

  int print() {
    const Report machine = start_report(nullptr, *memory_);
    print_machine(machine);
    for (const auto &peer : peers_) fmt::print("peer {}: {}\n", peer->name(), peer->version());
    fmt::print("\nmedian of one call; ratio: time over that of the first line; error: worst |error| / bound of FP32\n");
    json_ = machine_json(machine);
    json_["results"] = nlohmann::ordered_json::array();
    for (const ConvLayer &layer : layers()) {
      for (const int direction : chosen_of(conv_.directions, kDirections)) {
        for (const int layout : chosen_of(conv_.layouts, kLayouts)) {
          run_layer(layer, {static_cast<libsgemm_conv2d_direction_t>(direction),
                            static_cast<libsgemm_tensor_layout_t>(layout)});
        }
      }
    }
    write_json(json_, options_.json);
    if (!wrong_.empty()) throw Error(fmt::format("wrong results: {}", wrong_));
    return 0;
  }

 private:
  Memory &memory() const {
    if (!peers_.empty()) return peers_.front()->memory();
    const bool device = backends_.size() == 1 && backends_[0].info.is_gpu != 0;
    if (!device) return host_memory();
    return gpu_memory_of(backends_[0].info.name);
  }

  std::vector<ConvLayer> layers() const {
    std::vector<ConvLayer> layers;
    for (const std::string &text : conv_.layers) layers.push_back(parse_layer(text));
    if (layers.empty()) layers = conv_suite();
    const auto left_out = [&](const ConvLayer &layer) {
      const bool large = options_.max_flops > 0 && make_conv(layer, {}).flops() > options_.max_flops;
      return large || (layer_name(layer).find(options_.filter) == std::string::npos &&
                       layer.what.find(options_.filter) == std::string::npos);
    };
    layers.erase(std::remove_if(layers.begin(), layers.end(), left_out), layers.end());
    return layers;
  }

  void run_layer(const ConvLayer &layer, const ConvForm &form) {
    ConvWork work = make_conv(layer, form);
    ConvOperands operands(&work, memory_);
    std::vector<std::unique_ptr<Handle>> handles;
    std::vector<Runner> runners;
    std::vector<std::string> refusals;
    const auto modes = options_.math_modes.empty() ? std::vector<std::string>{""} : options_.math_modes;
    for (const Backend &backend : backends_) {
      for (const Way &way : make_ways(options_, modes)) {
        handles.push_back(std::make_unique<Handle>());
        const Handle &h = *handles.back();
        require(libsgemm_set_backend(h, backend.info.name));
        set_way(h, way);
        if (memory_->stream() != nullptr) require(libsgemm_set_stream(h, memory_->stream()));
        const auto call = [&work, &h] { return libsgemm_sconv2d_h(h, &work.conv, 1, work.a, work.b, 0, work.c); };
        if (call() != LIBSGEMM_SUCCESS) {
          refusals.push_back(last_info().message);
          continue;
        }
        const libsgemm_info_t info = last_info();
        runners.push_back({fmt::format("{} {} {}", info.backend, info.kernel, info.math_mode),
                           [call] { require(call()); }, serves(info.math_mode, "fp32_fast")});
      }
    }
    for (const auto &peer : peers_) {
      const std::string refusal = peer->prepare(work);
      if (!refusal.empty()) {
        refusals.push_back(peer->name() + ": " + refusal);
        continue;
      }
      runners.push_back({peer->name() + " " + peer->chosen(), [&work, p = peer.get()] { p->run(work); }, false,
                         [p = peer.get()] { p->deliver(); }});
    }
    const std::string name =
        fmt::format("{}, {}, {}", layer_name(layer), kDirections[form.direction], kLayouts[form.layout]);
    fmt::print("\n{}: {:.4g} GFLOP{}{}\n", name, 1e-9 * work.flops(), layer.what.empty() ? "" : "; ", layer.what);
    for (const std::string &refusal : refusals) fmt::print("  {}\n", refusal);
    for (Runner &runner : runners) {
      runner.error = operands.check([&runner] {
        runner.run();
        runner.deliver();
      });
      if (runner.keeps_bound && runner.error > 1) wrong_ += (wrong_.empty() ? "" : "; ") + name + " by " + runner.name;
    }
    if (runners.empty()) return;
    time_runners({options_.reps, options_.min_time}, memory_, &runners);
    print_runners(layer, form, work, runners);
  }

  void print_runners(const ConvLayer &layer, const ConvForm &form, const ConvWork &work,
                     const std::vector<Runner> &runners) {
    const double first = median(runners[0].seconds);
    for (const Runner &runner : runners) {
      const Summary s = summarise(runner.seconds);
      const double rate = work.flops() / s.median;
      fmt::print("  {:<48} {:>10}  {:>9.2f} GFLOP/s  ratio {:.3f}  error {:.2g}  ({} to {}, {} samples)\n", runner.name,
                 duration_text(s.median), 1e-9 * rate, s.median / first, runner.error, duration_text(s.lower_quartile),
                 duration_text(s.upper_quartile), s.count);
      json_["results"].push_back({{"layer", layer_name(layer)},
                                  {"what", layer.what},
                                  {"direction", kDirections[form.direction]},
                                  {"layout", kLayouts[form.layout]},
                                  {"by", runner.name},
                                  {"seconds", s.median},
                                  {"least_seconds", s.minimum},
                                  {"flops", work.flops()},
                                  {"error", runner.error}});
    }
    fflush(stdout);
  }

  const BenchOptions &options_;
  const ConvOptions &conv_;
  std::vector<std::unique_ptr<ConvPeer>> peers_;
  std::vector<Backend> backends_;
  Memory *memory_ = nullptr;
  nlohmann::ordered_json json_;
  std::string wrong_;
};

}  // namespace

int conv_bench(const ConvOptions &conv, const BenchOptions &options) { return Table(options, conv).print(); }

}  // namespace command
