#include "device_peer.h"

#include <fmt/core.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/command.h"

namespace command {
namespace {

constexpr int kMostAlgorithms = 16;
constexpr int kAlgorithmCalls = 3;  // calls timed first; then as many as fit in kAlgorithmSeconds
constexpr double kAlgorithmSeconds = 2e-3, kMostAlgorithmCalls = 500;

constexpr int kSuccess = 0;
constexpr int kReal32F = 0, kReal16F = 2, kReal16BF = 14;  // CUDA_R_..., HIP_R_...

// Part of a heuristic's result, which follows the algorithm.
struct Verdict {
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

// Type of A and B; C is FP32.
int input_type(Routine routine) {
  return routine == Routine::kShgemm ? kReal16F : routine == Routine::kSbgemm ? kReal16BF : kReal32F;
}

}  // namespace

bool needs_64_bits(const Call &x) {
  return std::max({x.m, x.n, x.k, x.lda, x.ldb, x.ldc, x.batch}) > std::numeric_limits<int>::max();
}

LtPeer::LtPeer(const LtLibrary &library, GpuMemory &memory) : DevicePeer(memory), library_(library) {
  const auto get = [this](auto *function, const char *name) {
    find_symbol(function, library_.handle, library_.file, (library_.prefix + name).c_str());
  };
  int (*create)(Opaque *), (*create_preference)(Opaque *);
  int (*set_preference)(Opaque, int, const void *, size_t);
  get(&create, "Create");
  get(&destroy_, "Destroy");
  get(&destroy_description_, "MatmulDescDestroy");
  get(&destroy_layout_, "MatrixLayoutDestroy");
  get(&destroy_preference_, "MatmulPreferenceDestroy");
  get(&create_description_, "MatmulDescCreate");
  get(&set_description_, "MatmulDescSetAttribute");
  get(&create_layout_, "MatrixLayoutCreate");
  get(&create_preference, "MatmulPreferenceCreate");
  get(&set_preference, "MatmulPreferenceSetAttribute");
  get(&heuristic_, "MatmulAlgoGetHeuristic");
  get(&matmul_, "Matmul");
  require(create(&handle_), "Create");
  require(create_preference(&preference_), "MatmulPreferenceCreate");
  const uint64_t bytes = kPeerWorkspaceBytes;
  require(set_preference(preference_, library_.preference_workspace, &bytes, sizeof bytes),
          "MatmulPreferenceSetAttribute");
}

LtPeer::~LtPeer() {
  for (Opaque description : descriptions_) destroy_description_(description);
  for (Opaque layout : layouts_) destroy_layout_(layout);
  destroy_preference_(preference_);
  destroy_(handle_);
}

void LtPeer::require(int status, const char *what) const {
  if (status != kSuccess) throw Error(fmt::format("{}{}: status {}", library_.prefix, what, status));
}

std::string LtPeer::way_text() {
  return fmt::format("FP32, the fastest of up to {} algorithms, 32 MiB of workspace", kMostAlgorithms);
}

bool LtPeer::supports(const Call &call) const {
  return traits(call.routine).base == libsgemm::Routine::gemm && call.batch == 1;
}

void LtPeer::prepare(const std::vector<Call> &calls) {
  const Call &call = calls[0];
  if (ways_.find(key_of(call)) != ways_.end()) return;
  Way way = describe(call);
  const size_t stride = library_.algorithm_bytes + sizeof(Verdict);
  std::vector<char> found(kMostAlgorithms * stride);
  int count = 0;
  require(heuristic_(handle_, way.description, way.a, way.b, way.c, way.c, preference_, kMostAlgorithms, found.data(),
                     &count),
          "MatmulAlgoGetHeuristic");
  double best = HUGE_VAL;
  for (int i = 0; i < count; ++i) {
    const char *algorithm = &found[static_cast<size_t>(i) * stride];
    Verdict verdict;
    memcpy(&verdict, algorithm + library_.algorithm_bytes, sizeof verdict);
    way.algorithm.assign(algorithm, algorithm + library_.algorithm_bytes);
    const double seconds = verdict.state == kSuccess ? time(calls, way) : HUGE_VAL;
    if (!(seconds < best)) continue;
    best = seconds;
    ways_[key_of(call)] = way;
  }
  if (best == HUGE_VAL) {
    throw Error(fmt::format("{} has no algorithm for {}x{}x{}", library_.prefix, call.m, call.n, call.k));
  }
}

void LtPeer::run(const Call &call) {
  const auto way = ways_.find(key_of(call));
  if (way == ways_.end()) throw Error(library_.prefix + ": a call that was not prepared");
  require(multiply(call, way->second), "Matmul");
}

LtPeer::Key LtPeer::key_of(const Call &x) {
  return {static_cast<int64_t>(x.routine), x.transa, x.transb, x.m, x.n, x.k, x.lda, x.ldb, x.ldc};
}

LtPeer::Opaque LtPeer::layout(int type, Extent extent, int64_t ld) {
  Opaque result = nullptr;
  require(create_layout_(&result, type, static_cast<uint64_t>(extent.rows), static_cast<uint64_t>(extent.columns), ld),
          "MatrixLayoutCreate");
  layouts_.push_back(result);
  return result;
}

LtPeer::Way LtPeer::describe(const Call &x) {
  Way way;
  require(create_description_(&way.description, library_.compute, kReal32F), "MatmulDescCreate");
  descriptions_.push_back(way.description);
  const auto operation = [this](libsgemm_op_t op) -> int32_t {
    return op == LIBSGEMM_NO_TRANS ? library_.no_trans : library_.trans;
  };
  const int32_t transa = operation(x.transa), transb = operation(x.transb);
  require(set_description_(way.description, library_.description_transa, &transa, sizeof transa), "transa");
  require(set_description_(way.description, library_.description_transb, &transb, sizeof transb), "transb");
  way.a = layout(input_type(x.routine), extent_of_a(x), x.lda);
  way.b = layout(input_type(x.routine), extent_of_b(x), x.ldb);
  way.c = layout(kReal32F, extent_of_c(x), x.ldc);
  return way;
}

int LtPeer::multiply(const Call &x, const Way &way) {
  return matmul_(handle_, way.description, &x.alpha, x.a, way.a, x.b, way.b, &x.beta, x.c, way.c, x.c, way.c,
                 way.algorithm.data(), workspace_, kPeerWorkspaceBytes, memory_.stream());
}

double LtPeer::time(const std::vector<Call> &calls, const Way &way) {
  if (multiply(calls[0], way) != kSuccess) return HUGE_VAL;
  const auto again = [&](int i) { require(multiply(calls[static_cast<size_t>(i) % calls.size()], way), "Matmul"); };
  const double once = memory_.time(kAlgorithmCalls, again) / kAlgorithmCalls;
  const int count = static_cast<int>(
      std::clamp(kAlgorithmSeconds / std::max(once, 1e-7), 1.0 * kAlgorithmCalls, kMostAlgorithmCalls));
  return memory_.time(count, again) / count;
}

}  // namespace command
