// `libsgemm bench --groups`: products of different sizes on device pointers, as in a mixture of experts. Compares one
// call for all, one call a group, and the peer's grouped call.
#include "groups.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "base/command.h"
#include "base/library.h"
#include "base/timing.h"
#include "inputs/precision.h"
#include "inputs/random.h"
#include "inputs/workload.h"
#include "items.h"
#include "measure.h"
#include "peers/gpu_memory.h"
#include "peers/peers.h"

namespace command {
namespace {

constexpr const char *kNames[] = {"uniform", "zipf", "empty"};
// Period of the random elements, so large that no two matrices are equal.
constexpr int64_t kPattern = (int64_t{1} << 20) - 3;
constexpr int64_t kAlignment = 64;  // elements
constexpr int kChecked = 64;

// Two 16-bit NaN that are also a float NaN.
constexpr uint32_t kNans = 0x7fc07fc0u;

float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double decode(uint32_t bits, Element element) {
  if (element == Element::kBfloat16) return float_of(bits << 16);
  const int exponent = static_cast<int>(bits >> 10 & 31u);
  const double fraction = bits & 1023u;
  if (exponent == 31) return std::numeric_limits<double>::quiet_NaN();  // infinity is wrong, too
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000u) != 0 ? -size : size;
}

double rounding_of(Element element) {
  return element == Element::kBinary16 ? 0x1p-11 : element == Element::kBfloat16 ? 0x1p-8 : 0;
}

int64_t aligned(int64_t elements) { return (elements + kAlignment - 1) / kAlignment * kAlignment; }

class GroupsWork {
 public:
  GroupsWork(const std::vector<int64_t> &rows, const Shape &shape, const Form &form, Element element, Memory *memory)
      : memory_(memory), form_(form), element_(element), size_(element_bytes(element)) {
    call_.element = element;
    int64_t a = 0, b = 0, c = 0;
    std::vector<int64_t> as, bs, cs;
    for (const int64_t m : rows) {
      if (m == 0) continue;
      const bool transa = form.transa != LIBSGEMM_NO_TRANS, transb = form.transb != LIBSGEMM_NO_TRANS;
      call_.transa.push_back(form.transa);
      call_.transb.push_back(form.transb);
      call_.m.push_back(m);
      call_.n.push_back(shape.n);
      call_.k.push_back(shape.k);
      call_.lda.push_back((transa ? shape.k : m) + shape.pad);
      call_.ldb.push_back((transb ? shape.n : shape.k) + shape.pad);
      call_.ldc.push_back(m + shape.pad);
      call_.alpha.push_back(1);
      call_.beta.push_back(0);
      call_.sizes.push_back(1);
      as.push_back(a), bs.push_back(b), cs.push_back(c);
      a += aligned(call_.lda.back() * (transa ? m : shape.k));
      b += aligned(call_.ldb.back() * (transb ? shape.k : shape.n));
      c += aligned(call_.ldc.back() * shape.n);
      flops_ += 2.0 * static_cast<double>(m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
    }
    if (call_.count() == 0) throw Error("all groups are empty");
    a_ = std::make_unique<Buffer>(memory, static_cast<size_t>(a) * size_);
    b_ = std::make_unique<Buffer>(memory, static_cast<size_t>(b) * size_);
    c_ = std::make_unique<Buffer>(memory, static_cast<size_t>(c) * sizeof(float));
    fill(a_->data(), a);
    fill(b_->data(), b);
    for (size_t g = 0; g < as.size(); ++g) {
      call_.a.push_back(static_cast<const char *>(a_->data()) + static_cast<size_t>(as[g]) * size_);
      call_.b.push_back(static_cast<const char *>(b_->data()) + static_cast<size_t>(bs[g]) * size_);
      call_.c.push_back(static_cast<float *>(c_->data()) + cs[g]);
    }
    choose_sample(as, bs);
  }

  const GroupsCall &call() const { return call_; }
  double flops() const { return flops_; }

  // Returns the sample's worst |error| / bound. `run` must write the sample as `output`.
  double check(const Precision &precision, Element output, const std::function<void()> &run) {
    const bool narrow = output != Element::kFloat32;
    std::vector<float *> places;  // two 16-bit elements share one
    for (const Sample &sample : sample_) places.push_back(sample.c + (narrow ? sample.element / 2 : sample.element));
    const std::vector<float> values = results_at(memory_, places, float_of(kNans), run);
    double worst = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      double value = values[i];
      if (narrow) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        value = decode(bits >> 16 * (sample_[i].element % 2) & 0xffffu, output);
      }
      const double bound =
          error_factor(precision, call_.k[0]) * sample_[i].magnitude + rounding_of(output) * std::abs(sample_[i].value);
      const double ratio = std::abs(value - sample_[i].value) / bound;
      if (!(ratio <= worst)) worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    }
    return worst;
  }

 private:
  struct Sample {
    float *c;  // C of the group; `element`: index in it
    int64_t element;
    double value, magnitude;  // FP64 value; sum of |products|
  };

  void fill(void *memory, int64_t elements) {
    if (pattern_.empty()) {
      uint64_t state = 1;
      for (int64_t i = 0; i < kPattern; ++i) pattern_.push_back(uniform_element(&state, element_));
    }
    auto *const all = static_cast<char *>(memory);
    const auto bytes = [this](int64_t count) { return static_cast<size_t>(count) * size_; };
    std::vector<uint16_t> narrow;
    if (element_ != Element::kFloat32) {
      for (const float x : pattern_) narrow.push_back(encode(x, element_));
    }
    const void *const pattern = narrow.empty() ? static_cast<const void *>(pattern_.data()) : narrow.data();
    memory_->upload(all, pattern, bytes(std::min(elements, kPattern)));
    for (int64_t done = kPattern; done < elements; done += kPattern) {
      memory_->copy(all + bytes(done), all, bytes(std::min(kPattern, elements - done)));
    }
  }

  float at(int64_t element) const { return pattern_[static_cast<size_t>(element % kPattern)]; }

  // A fourth of the elements are the last ones of a group.
  void choose_sample(const std::vector<int64_t> &as, const std::vector<int64_t> &bs) {
    uint64_t state = 2;
    const auto below = [&](int64_t end) {
      return static_cast<int64_t>(next_random(&state) % static_cast<uint64_t>(end));
    };
    for (int i = 0; i < kChecked; ++i) {
      const auto g = static_cast<size_t>(below(call_.count()));
      const int64_t row = i % 4 == 0 ? call_.m[g] - 1 : below(call_.m[g]);
      const int64_t column = i % 4 == 0 ? call_.n[g] - 1 : below(call_.n[g]);
      Sample sample = {call_.c[g], row + column * call_.ldc[g], 0, 0};
      for (int64_t l = 0; l < call_.k[g]; ++l) {
        const bool transa = form_.transa != LIBSGEMM_NO_TRANS, transb = form_.transb != LIBSGEMM_NO_TRANS;
        const double x = at(as[g] + (transa ? l + row * call_.lda[g] : row + l * call_.lda[g]));
        const double y = at(bs[g] + (transb ? column + l * call_.ldb[g] : l + column * call_.ldb[g]));
        sample.value += x * y;
        sample.magnitude += std::abs(x * y);
      }
      sample_.push_back(sample);
    }
  }

  Memory *memory_;
  Form form_;
  Element element_;
  size_t size_;
  GroupsCall call_;
  double flops_ = 0;
  std::vector<float> pattern_;
  std::unique_ptr<Buffer> a_, b_, c_;
  std::vector<Sample> sample_;
};

template <class Input, class Function>
void call_batch(libsgemm_handle_t h, const GroupsCall &x, int64_t first, int64_t last, Function function) {
  const auto from = [first](const auto &values) { return values.data() + first; };
  const auto inputs = [&](const std::vector<const void *> &values) {
    return reinterpret_cast<const Input *const *>(from(values));
  };
  require(function(h, LIBSGEMM_COL_MAJOR, from(x.transa), from(x.transb), from(x.m), from(x.n), from(x.k),
                   from(x.alpha), inputs(x.a), from(x.lda), inputs(x.b), from(x.ldb), from(x.beta), from(x.c),
                   from(x.ldc), last - first, from(x.sizes)));
}

void call_library(libsgemm_handle_t h, const GroupsCall &x, int64_t first, int64_t last) {
  switch (x.element) {
    case Element::kFloat32:
      return call_batch<float>(h, x, first, last, libsgemm_sgemm_batch_h);
    case Element::kBinary16:
      return call_batch<libsgemm_half_t>(h, x, first, last, libsgemm_shgemm_batch_h);
    case Element::kBfloat16:
      return call_batch<libsgemm_bfloat16_t>(h, x, first, last, libsgemm_sbgemm_batch_h);
  }
}

struct Runner {
  std::string name;
  Precision precision;
  Element output;
  std::function<void()> run;
  std::vector<double> seconds;
};

const char *output_text(Element output) {
  return output == Element::kFloat32 ? "" : output == Element::kBinary16 ? ", C of FP16" : ", C of bfloat16";
}

void run_kind(Routine routine, const GroupsKind &kind, const Shape &shape, const BenchOptions &options, Peer *peer,
              Memory *memory, libsgemm_handle_t h) {
  const Element element = traits(routine).element;
  const std::string transposes = one_of_transposes(options.transposes, "NN", "--groups");
  GroupsWork work(draw_rows(kind, shape, options.seed), shape, make_form(transposes), element, memory);
  const GroupsCall &call = work.call();
  std::vector<Runner> runners;
  Precision precision;
  precision.truncates = element != Element::kFloat32;
  const auto at_once = [&] { call_library(h, call, 0, call.count()); };
  const auto one_by_one = [&] {
    for (int64_t g = 0; g < call.count(); ++g) call_library(h, call, g, g + 1);
  };
  at_once();
  runners.push_back({fmt::format("libsgemm ({})", last_info().kernel), precision, Element::kFloat32, at_once, {}});
  // A forced kernel may compute groups only.
  if (options.kernel.empty()) {
    runners.push_back({"libsgemm, one call a group", precision, Element::kFloat32, one_by_one, {}});
  }
  if (peer != nullptr) {
    if (!peer->prepare_groups(call)) throw Error(fmt::format("--peer {}: it has no call for groups", peer->name()));
    const Element output = peer->output_of_groups();
    runners.push_back({peer->name() + output_text(output),
                       element == Element::kFloat32 ? peer->precision() : precision,
                       output,
                       [&] { peer->run_groups(call); },
                       {}});
  }
  for (const Runner &runner : runners) {
    const double error = work.check(runner.precision, runner.output, runner.run);
    if (!(error <= 1))
      throw Error(fmt::format("{}: the result of {} is off by {:.3g} bounds", kind.text, runner.name, error));
  }
  time_runners({options.reps, options.min_time}, memory, &runners);
  fmt::print("{}{} of {} {}, seed {}: {} products, {:.4g} GFLOP\n",
             routine == Routine::kSgemm ? "" : fmt::format("{}, ", traits(routine).name), kind.text, shape_name(shape),
             transposes, options.seed, call.count(), 1e-9 * work.flops());
  const double ours = median(runners[0].seconds);
  for (const Runner &runner : runners) {
    const Summary s = summarise(runner.seconds);
    fmt::print("  {:<44} {:>10}  {:>7.2f} TFLOP/s  {:.3f}  (quartiles {} to {}, {} samples)\n", runner.name,
               duration_text(s.median), 1e-12 * work.flops() / s.median, s.median / ours,
               duration_text(s.lower_quartile), duration_text(s.upper_quartile), s.count);
  }
  fflush(stdout);
}

}  // namespace

GroupsKind parse_groups(const std::string &text) {
  const size_t colon = text.find(':');
  for (int i = 0; i < 3 && colon != std::string::npos; ++i) {
    if (text.substr(0, colon) != kNames[i]) continue;
    char *end = nullptr;
    const long long count = strtoll(text.c_str() + colon + 1, &end, 10);
    if (end != text.c_str() + colon + 1 && *end == '\0' && count >= 1 && count <= 100000) {
      return {static_cast<GroupsKind::Distribution>(i), count, text};
    }
  }
  throw Error(fmt::format("--groups {}: it wants one of {} and how many, up to 100000, as in uniform:128", text,
                          fmt::join(kNames, ", ")));
}

std::vector<int64_t> draw_rows(const GroupsKind &kind, const Shape &shape, uint64_t seed) {
  uint64_t state = seed;
  const auto below = [&](int64_t end) {
    return static_cast<int64_t>(uniform_random(&state) * static_cast<double>(end));
  };
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < kind.count; ++i) {
    switch (kind.distribution) {
      case GroupsKind::kUniform:
        rows.push_back(below(shape.m + 1));
        break;
      case GroupsKind::kZipf:
        rows.push_back(shape.m / (i + 1));
        break;
      case GroupsKind::kEmpty:
        rows.push_back(below(2) == 0 ? 0 : 1 + below(shape.m));
        break;
    }
  }
  if (kind.distribution == GroupsKind::kZipf) {
    for (int64_t i = kind.count - 1; i > 0; --i)
      std::swap(rows[static_cast<size_t>(i)], rows[static_cast<size_t>(below(i + 1))]);
  }
  return rows;
}

int groups_bench(const std::vector<std::string> &groups, const BenchOptions &options) {
  std::vector<GroupsKind> kinds;
  kinds.reserve(groups.size());
  for (const std::string &text : groups) kinds.push_back(parse_groups(text));
  const std::vector<Routine> routines = parse_routines(options.routines);
  for (const Routine routine : routines) {
    if (traits(routine).base != libsgemm::Routine::gemm)
      throw Error(fmt::format("--routine {}: groups are of products", traits(routine).name));
  }
  std::vector<Shape> shapes;
  for (const std::string &text : options.shapes) shapes.push_back(parse_shape(text));
  if (shapes.empty()) shapes.push_back({4096, 2048, 2048, 0, ""});
  select_gpu(options.device);
  const std::unique_ptr<Peer> peer =
      options.peer == "none" ? nullptr : open_peer(options.peer.empty() ? "cublas" : options.peer);
  Memory &memory = peer != nullptr ? peer->memory() : cuda_memory();
  if (memory.backend() == nullptr) throw Error(fmt::format("--peer {}: groups are timed on a GPU", options.peer));
  Handle handle;
  require(libsgemm_set_stream(handle, memory.stream()));
  require(libsgemm_set_backend(handle, memory.backend()));
  set_way(handle, {options.kernel, "", 0, ""});
  print_machine(start_report(peer.get(), memory));
  fmt::print("\nmedians; the last number is the time over that of the first line\n");
  for (const Routine routine : routines) {
    for (const Shape &shape : shapes) {
      for (const GroupsKind &kind : kinds) run_kind(routine, kind, shape, options, peer.get(), &memory, handle);
    }
  }
  return 0;
}

}  // namespace command
