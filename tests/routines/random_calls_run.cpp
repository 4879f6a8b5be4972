#include "random_calls_run.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

namespace random_calls {
namespace {

constexpr double kMostTerms = 3e8;  // larger products: only some rows are checked

void in_parallel(size_t count, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  const size_t wanted = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), count);
  for (size_t t = 1; t < wanted; ++t) threads.emplace_back(run);
  run();
  for (std::thread &thread : threads) thread.join();
}

// Matrices of a call, or of a replay, in guarded host memory.
struct Round {
  std::vector<Problem> problems;
  std::vector<std::unique_ptr<Placement>> placements;  // one; groups: one a product

  Round(const RandomCall &call, int replay) {
    for (size_t g = 0; g < call.groups.size(); ++g) {
      for (int64_t i = 0; i < call.sizes[g]; ++i) {
        problems.push_back(problem_of(call, g, static_cast<size_t>(i), replay));
      }
    }
    if (call.kind == Kind::strided) {
      add_strided(call);
      return;
    }
    for (const Problem &problem : problems) placements.push_back(std::make_unique<Placement>(problem, call.layout));
  }

  void add_strided(const RandomCall &call) {
    std::vector<const Problem *> all;
    for (const Problem &problem : problems) all.push_back(&problem);
    strides = strides_of(call);
    placements.push_back(std::make_unique<Placement>(all, call.layout, strides));
  }

  Strides strides_of(const RandomCall &call) const {
    const Problem &p = problems.front();
    const auto extent = [&](const Matrix &x, int padding) {
      const int64_t ld = std::max<int64_t>(1, call.layout == LIBSGEMM_COL_MAJOR ? x.rows : x.columns) + padding;
      return extent_of(call.layout, ld, x.rows, x.columns) + call.apart;
    };
    return {call.shares_a ? 0 : extent(p.a, p.test.padding.a), call.shares_b ? 0 : extent(p.b, p.test.padding.b),
            extent(p.c, p.test.padding.c)};
  }

  std::vector<const Problem *> held(size_t i) const {
    if (placements.size() == problems.size()) return {&problems[i]};
    std::vector<const Problem *> all;
    for (const Problem &problem : problems) all.push_back(&problem);
    return all;
  }

  Strides strides;
};

class GroupArrays {
 public:
  GroupArrays(const RandomCall &call, const std::vector<Args> &products) {
    size_t product = 0;
    for (size_t g = 0; g < call.groups.size(); ++g) {
      const Args &x = products[product];
      transa_.push_back(x.transa), transb_.push_back(x.transb);
      m_.push_back(x.m), n_.push_back(x.n), k_.push_back(x.k);
      alpha_.push_back(x.alpha), beta_.push_back(x.beta);
      lda_.push_back(x.lda), ldb_.push_back(x.ldb), ldc_.push_back(x.ldc);
      product += static_cast<size_t>(call.sizes[g]);
    }
    for (const Args &x : products) a_.push_back(x.a), b_.push_back(x.b), c_.push_back(x.c);
    args_.layout = call.layout;
    args_.transa = transa_.data(), args_.transb = transb_.data();
    args_.m = m_.data(), args_.n = n_.data(), args_.k = k_.data();
    args_.alpha = alpha_.data(), args_.beta = beta_.data();
    args_.a = a_.data(), args_.b = b_.data(), args_.c = c_.data();
    args_.lda = lda_.data(), args_.ldb = ldb_.data(), args_.ldc = ldc_.data();
    args_.group_count = static_cast<int64_t>(call.groups.size());
    args_.group_size = call.sizes.data();
  }
  const BatchArgs &args() const { return args_; }

 private:
  std::vector<libsgemm_op_t> transa_, transb_;
  std::vector<int64_t> m_, n_, k_, lda_, ldb_, ldc_;
  std::vector<float> alpha_, beta_;
  std::vector<const void *> a_, b_;
  std::vector<float *> c_;
  BatchArgs args_;
};

}  // namespace

class Item {
 public:
  Item(const RandomCall &which) : call(which) {}
  ~Item() {
    if (executable != nullptr) gpu::driver().destroy_executable(executable);
    if (graph != nullptr) gpu::driver().destroy_graph(graph);
  }

  void prepare() {
    for (int replay = 0; replay <= call.replays; ++replay) rounds.push_back(std::make_unique<Round>(call, replay));
  }

  void move_to_device() {
    if (call.where == Where::pageable) return;
    const auto kind = call.where == Where::device    ? gpu::Memory::device
                      : call.where == Where::managed ? gpu::Memory::managed
                                                     : gpu::Memory::pinned;
    Round &round = *rounds.front();
    for (size_t i = 0; i < round.placements.size(); ++i) {
      devices.push_back(
          std::make_unique<gpu::DevicePlacement>(round.placements[i].get(), round.held(i), round.strides, kind));
    }
  }

  void attach(int replay) {
    for (size_t i = 0; i < devices.size(); ++i) {
      devices[i]->attach(rounds[static_cast<size_t>(replay)]->placements[i].get());
    }
  }

  libsgemm_status_t run(libsgemm_handle_t handle) {
    std::vector<Args> products;
    for (size_t i = 0; i < rounds.front()->placements.size(); ++i) {
      products.push_back(devices.empty() ? rounds.front()->placements[i]->args() : devices[i]->args());
    }
    if (call.kind == Kind::groups) {
      const GroupArrays arrays(call, products);
      const Element element = element_of(call.routine);
      return handle == nullptr ? call_batch(element, arrays.args()) : call_batch(element, handle, arrays.args());
    }
    const Routine routine = call.kind == Kind::strided ? strided_of(call.routine) : call.routine;
    return handle == nullptr ? sgemm_test::call(routine, products[0]) : sgemm_test::call(routine, handle, products[0]);
  }

  std::string judge_info(const Options &options) {
    if (status != LIBSGEMM_SUCCESS) return std::string(libsgemm_status_string(status)) + ": " + info.message;
    if (info.status != status) return "libsgemm_last_info has another status than the call returned";
    const std::string backend = info.backend;
    const std::string kernel = info.kernel;
    if (backend == "none" || kernel == "scale" || kernel == "nothing") return "";
    arithmetic = arithmetic_of(info);
    if (!sgemm_test::stands_for_fp32(arithmetic.mode) && arithmetic.mode != call.mode) {
      return std::string("the arithmetic is ") + info.math_mode;
    }
    if (backend != options.backend) return "ran on " + backend + ": " + info.reason;
    if (info.fallbacks != 0) return std::string("a backend failed before: ") + info.reason;
    return "";
  }

  std::string judge(int replay) {
    for (const auto &placement : rounds[static_cast<size_t>(replay)]->placements) {
      const std::string fault = placement->check(arithmetic, bound_of(call), kMostTerms, &worst);
      if (!fault.empty()) return (replay > 0 ? "replay " + std::to_string(replay) + ": " : "") + fault;
    }
    return "";
  }

  RandomCall call;
  std::vector<std::unique_ptr<Round>> rounds;
  std::vector<std::unique_ptr<gpu::DevicePlacement>> devices;
  gpu::Handle graph = nullptr, executable = nullptr;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  libsgemm_info_t info = {};
  Arithmetic arithmetic;
  double worst = 0;
  std::string fault;
};

// The streams outlive bursts.
struct Gpu {
  std::vector<std::unique_ptr<gpu::Stream>> streams, of_graphs;

  Gpu() {
    for (int i = 0; i + 1 < kStreams; ++i) {
      streams.push_back(std::make_unique<gpu::Stream>(i % 2 == 0 ? gpu::Stream::non_blocking : gpu::Stream::blocking));
    }
    for (int i = 0; i < kHandles; ++i) of_graphs.push_back(std::make_unique<gpu::Stream>());
  }
  gpu::Handle stream(int number) const {
    return number + 1 == kStreams ? nullptr : static_cast<gpu::Handle>(*streams[static_cast<size_t>(number)]);
  }
  gpu::Handle of_graph(int handle) const { return *of_graphs[static_cast<size_t>(handle)]; }
};

Runner::Runner(const Options &options) : options_(options) {
  if (options.gpu) gpu_ = std::make_unique<Gpu>();
  for (int i = 0; i < kHandles; ++i) handles_.push_back(std::make_unique<Handle>());
}

Runner::~Runner() = default;

void Runner::issue(Item *item) {
  const RandomCall &call = item->call;
  if (call.handle < 0) {
    item->status = item->run(nullptr);
    item->info = last_info();
    return;
  }
  const libsgemm_handle_t handle = *handles_[static_cast<size_t>(call.handle)];
  libsgemm_status_t set = libsgemm_set_math_mode(handle, call.mode);
  if (call.replays > 0) {
    const gpu::Handle stream = gpu_->of_graph(call.handle);
    if (set == LIBSGEMM_SUCCESS) set = libsgemm_set_stream(handle, stream);
    constexpr int kGlobal = 0;
    gpu::require(gpu::driver().begin_capture(stream, kGlobal), "begin_capture");
    item->status = set == LIBSGEMM_SUCCESS ? item->run(handle) : set;
    item->info = last_info();
    gpu::require(gpu::driver().end_capture(stream, &item->graph), "end_capture");
    if (item->status != LIBSGEMM_SUCCESS) return;
    gpu::require(gpu::driver().instantiate(&item->executable, item->graph, 0), "instantiate");
    gpu::require(gpu::driver().launch_graph(item->executable, stream), "launch_graph");
    return;
  }
  if (call.stream >= 0 && set == LIBSGEMM_SUCCESS) set = libsgemm_set_stream(handle, gpu_->stream(call.stream));
  item->status = set == LIBSGEMM_SUCCESS ? item->run(handle) : set;
  item->info = last_info();
}

void Runner::wait() {
  for (const auto &handle : handles_) {
    if (libsgemm_synchronize(*handle) != LIBSGEMM_SUCCESS) trouble_ = last_info().message;
  }
  if (gpu_ == nullptr) return;
  for (const auto *streams : {&gpu_->streams, &gpu_->of_graphs}) {
    for (const auto &stream : *streams) gpu::require(gpu::driver().synchronize(*stream), "synchronize");
  }
  gpu::require(gpu::driver().synchronize(nullptr), "synchronize");
}

void Runner::replay(std::vector<std::unique_ptr<Item>> *items) {
  for (int round = 1;; ++round) {
    std::vector<Item *> recorded;
    for (const auto &item : *items) {
      if (item->executable != nullptr && item->call.replays >= round) recorded.push_back(item.get());
    }
    if (recorded.empty()) return;
    for (Item *item : recorded) {
      item->attach(round);
      for (const auto &device : item->devices) device->upload();
    }
    size_t other = 0;
    for (Item *item : recorded) {
      const gpu::Handle stream = options_.concurrent_graphs
                                     ? static_cast<gpu::Handle>(*gpu_->streams[other++ % gpu_->streams.size()])
                                     : gpu_->of_graph(item->call.handle);
      gpu::require(gpu::driver().launch_graph(item->executable, stream), "launch_graph");
      ++tally_.replays;
    }
    wait();
    for (Item *item : recorded) {
      for (const auto &device : item->devices) device->download();
    }
  }
}

void Runner::burst(uint64_t first, uint64_t count) {
  std::vector<std::unique_ptr<Item>> items;
  for (uint64_t number = first; number < first + count; ++number) {
    items.push_back(std::make_unique<Item>(draw_call(options_.seed, number, options_.gpu)));
  }
  in_parallel(items.size(), [&](size_t i) { items[i]->prepare(); });
  for (const auto &item : items) item->move_to_device();
  handles_[static_cast<size_t>(first / count % kHandles)] = std::make_unique<Handle>();
  trouble_.clear();
  for (const auto &item : items) issue(item.get());
  wait();
  for (const auto &item : items) {
    for (const auto &device : item->devices) device->download();
  }
  if (gpu_ != nullptr) replay(&items);
  check(&items);
}

void Runner::falsify(Item *item) {
  const RandomCall &call = item->call;
  const bool fit = call.data != Data::special && call.data != Data::scaled && call.groups[0].alpha != 0;
  if (options_.fault < 0 || call.number < static_cast<uint64_t>(options_.fault) || !fit) return;
  Placement &placement = *item->rounds.front()->placements.front();
  const Args &args = placement.args();
  if (args.m == 0 || args.n == 0 || (call.groups[0].k == 0)) return;
  *placement.c() = *placement.c() * 1.01f + 0x1p-20f;
  options_.fault = -1;
}

void Runner::check(std::vector<std::unique_ptr<Item>> *items) {
  for (const auto &item : *items) item->fault = item->judge_info(options_);
  for (const auto &item : *items) falsify(item.get());
  in_parallel(items->size(), [&](size_t i) {
    Item &item = *(*items)[i];
    const int last = item.executable != nullptr ? item.call.replays : 0;
    for (int replay = 0; replay <= last && item.fault.empty(); ++replay) item.fault = item.judge(replay);
  });
  for (const auto &item : *items) {
    count(*item);
    if (item->fault.empty()) continue;
    ++tally_.failures;
    if (tally_.faults.size() >= 20) continue;
    tally_.faults.push_back(describe(item->call) + "\n  " + item->info.backend + " " + item->info.kernel + " " +
                            item->info.math_mode + (item->info.truncated != 0 ? " truncated" : "") + ": " +
                            item->fault + "\n  again: random_calls --backend " + options_.backend + " --seed " +
                            std::to_string(options_.seed) + " --first " + std::to_string(item->call.number) +
                            " --calls 1" + (options_.gpu ? " --gpu" : ""));
  }
  if (trouble_.empty()) return;
  ++tally_.failures;
  tally_.faults.push_back("calls " + std::to_string(items->front()->call.number) + " to " +
                          std::to_string(items->back()->call.number) + ": libsgemm_synchronize: " + trouble_);
}

void Runner::count(const Item &item) {
  const RandomCall &call = item.call;
  ++tally_.calls;
  ++tally_.by_routine[call.entry().substr(std::strlen("libsgemm_"))];
  ++tally_.by_memory[name_of(call.where)];
  ++tally_.by_mode[sgemm_test::name_of(item.arithmetic.mode)];
  ++tally_.by_backend[item.info.backend];
  ++tally_.by_data[name_of(call.data)];
  for (size_t g = 0; g < call.groups.size(); ++g) {
    const Case &test = call.groups[g];
    tally_.products += static_cast<double>(call.sizes[g] * test.m * test.n) * static_cast<double>(test.k);
  }
  double *worst = item.arithmetic.mode == LIBSGEMM_MATH_FP64 ? &tally_.worst_fp64
                  : bound_of(call) == Bound::kSafe           ? &tally_.worst_safe
                                                             : &tally_.worst_any;
  *worst = std::max(*worst, item.worst);
}

}  // namespace random_calls
