// Kernels of the mock GPU (mock.h), which compute on the CPU.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "contract/kernel_table.h"
#include "matrix/host_matrix.h"
#include "matrix/tensor.h"
#include "mock_device.h"
#include "mock_plan.h"
#include "ref/ref.h"
#include "verify/error_contract.h"

namespace mock {
namespace {

constexpr int64_t kMostGroupRows = 100;  // largest group that a grouped launch takes

bool refused(Site site, const Launch &launch, const char *what, Error *error) {
  if (!fails(site, launch.device)) return false;
  set_error(error, "a mock %s failed", what);
  return true;
}

libsgemm_status_t push_launch(const Launch &launch, std::function<void()> work, Error *error) {
  const libsgemm_status_t status = push(launch.device, launch.stream, {std::move(work), {}, {}, 0, nullptr}, error);
  if (status == LIBSGEMM_SUCCESS && launch.enqueued != nullptr) *launch.enqueued = true;
  return status;
}

void flip_top_exponent_bit(float *x) {
  uint32_t bits;
  std::memcpy(&bits, x, sizeof bits);
  bits ^= 1u << 30;
  std::memcpy(x, &bits, sizeof bits);
}

using Multiply = void(const GemmDesc &desc);

void multiply(const GemmDesc &desc) {
  Error ignored = {};
  cpu_scalar_1x1x1_naive(desc, {}, &ignored);
}

// Sums two halves of k, as split-K kernels do, and so gives other bits than multiply().
void multiply_in_halves(const GemmDesc &desc) {
  const int64_t half = desc.k / 2;
  if (half == 0) return multiply(desc);
  GemmDesc first = desc, second = desc;
  first.k = half;
  second.k = desc.k - half;
  second.beta = 1;
  second.a = static_cast<const float *>(desc.a) + (desc.transa == LIBSGEMM_NO_TRANS ? half * desc.lda : half);
  second.b = static_cast<const float *>(desc.b) + (desc.transb == LIBSGEMM_NO_TRANS ? half : half * desc.ldb);
  multiply(first);
  multiply(second);
}

// Splits a batch when the kernel runs, since device pointer arrays cannot be read earlier. Arrays in host memory, which
// the caller may then reuse, are read now.
libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Site site, Error *error, Multiply *work) {
  if (refused(site, launch, "launch", error)) return LIBSGEMM_EXECUTION_FAILED;
  const bool scales = site == kScale;
  if (!scales) ++g_control.launches[launch.device];
  if (launch.device == 1) g_control.together = false;
  const int flip = scales ? 0 : g_control.flip_bit.exchange(0);
  const Lock lock(g_mutex);
  std::vector<GemmDesc> listed;
  if (desc.batch == Batch::pointers && !launch.arrays_on_device) {
    for (int64_t i = 0; i < desc.batch_count; ++i) listed.push_back(batch_item(desc, i));
  }
  const auto product = [desc, listed](int64_t i) {
    return listed.empty() ? batch_item(desc, i) : listed[static_cast<size_t>(i)];
  };
  const auto run = [desc, product, flip, work] {
    for (int64_t i = 0; i < desc.batch_count; ++i) work(with_plans(product(i)));
    if (flip > 0) flip_top_exponent_bit(product(0).c + (flip - 1));
  };
  return push_launch(launch, run, error);
}

libsgemm_status_t launch_conv(const ConvDesc &desc, const Launch &launch, Error *error) {
  if (refused(kLaunch, launch, "launch", error)) return LIBSGEMM_EXECUTION_FAILED;
  ++g_control.launches[launch.device];
  const int flip = g_control.flip_bit.exchange(0);
  const Lock lock(g_mutex);
  const auto run = [desc, flip] {
    Error ignored = {};
    cpu_scalar_direct_conv<LIBSGEMM_MATH_FP32>(desc, {}, &ignored);
    if (flip > 0) flip_top_exponent_bit(desc.out);
  };
  return push_launch(launch, run, error);
}

bool takes_conv(const ConvDesc &, int) { return !g_control.lacks_conv; }
double cost_of_conv(const ConvDesc &, int) { return 1; }
size_t conv_workspace(const ConvDesc &, int) { return size_t{1} << 12; }
[[maybe_unused]] constexpr ConvLaunch kConv = {prepare_fixed<takes_conv, cost_of_conv, conv_workspace>, launch_conv};

// MOCK_SLOW names a kernel ("splitk", "plain") that takes longer than its cost.
void take_time(const char *row) {
  const char *const slow = std::getenv("MOCK_SLOW");
  const timespec rest = {0, 300000};
  if (slow != nullptr && std::strcmp(slow, row) == 0) nanosleep(&rest, nullptr);
}

// As in split-K kernels the first half leaves a mark in the workspace. If another launch overwrites it, the result is
// NaN.
libsgemm_status_t enqueue_in_two(const GemmDesc &desc, const Launch &launch, Error *error) {
  static uint64_t launches = 0;
  const uint64_t mark = ++launches;
  auto *const place = static_cast<uint64_t *>(launch.workspace);
  Stream *const stream = stream_for(launch.device, launch.stream, error);
  if (stream == nullptr) return LIBSGEMM_EXECUTION_FAILED;
  std::deque<Op> &work = stream->work;
  work.push_back({[place, mark] { *place = mark; }, {}, {}, 0, nullptr});
  const libsgemm_status_t status = enqueue(desc, launch, kLaunch, error, multiply_in_halves);
  if (status != LIBSGEMM_SUCCESS) {
    work.pop_back();
    return status;
  }
  const std::function<void()> product = work.back().work;
  work.back().work = [product, place, mark, desc] {
    take_time("splitk");
    product();
    if (*place != mark) *batch_item(desc, 0).c = std::nanf("");
  };
  return status;
}

bool gemm_only(const GemmDesc &desc, int device) {
  const bool lacks = device != 0 && device == g_control.unlike;
  return desc.routine == Routine::gemm && desc.type == Type::f32 && !lacks;
}
bool gemm_of_16_bits(const GemmDesc &desc, int) { return desc.routine == Routine::gemm && desc.type != Type::f32; }
// SYRK (also with 16-bit types) needs has_syrk or MOCK_SYRK: tests need a routine that the GPU lacks. MOCK_LACKS_TRMM
// removes TRMM.
bool other_routines(const GemmDesc &desc, int) {
  const bool lacks = desc.routine == Routine::syrk && !g_control.has_syrk && std::getenv("MOCK_SYRK") == nullptr;
  if (desc.routine == Routine::trmm && std::getenv("MOCK_LACKS_TRMM") != nullptr) return false;
  return desc.routine != Routine::gemm && !lacks && traits_of(desc).takes(desc.type);
}
double fast(const GemmDesc &, int) { return 1; }
double slow(const GemmDesc &, int device) { return device != 0 && device == g_control.slower ? 3 : 2; }
size_t one_mebibyte(const GemmDesc &, int) { return size_t{1} << 20; }
size_t two_mebibytes(const GemmDesc &, int) { return size_t{2} << 20; }

libsgemm_status_t launch_plain(const GemmDesc &desc, const Launch &launch, Error *error) {
  take_time("plain");
  return enqueue(desc, launch, kLaunch, error, multiply);
}

const Kernel *plain_kernel();

libsgemm_status_t launch_after_copy(const GemmDesc &desc, const Launch &launch, Error *error) {
  if (launch.ran != nullptr) *launch.ran = {plain_kernel(), "copy of A"};
  return launch_plain(desc, launch, error);
}

libsgemm_status_t launch_with_workspace(const GemmDesc &desc, const Launch &launch, Error *error) {
  const Lock lock(g_mutex);
  uintptr_t base = 0;
  const Block *block = find(launch.workspace, &base);
  const bool enough = block != nullptr && block->device == launch.device &&
                      launch.workspace_bytes >= (size_t{1} << 20) &&
                      reinterpret_cast<uintptr_t>(launch.workspace) + launch.workspace_bytes <= base + block->bytes;
  if (!enough) {
    set_error(error, "the workspace is not what the kernel asked for");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  return enqueue_in_two(desc, launch, error);
}

double cost_of_groups(const GemmDesc *groups, int64_t count, int) {
  bool can = g_control.groups_seconds > 0;
  for (int64_t g = 0; g < count; ++g) can = can && groups[g].m <= kMostGroupRows;
  return can ? g_control.groups_seconds.load() : std::numeric_limits<double>::infinity();
}

libsgemm_status_t launch_groups(const GemmDesc *groups, int64_t count, const Launch &launch, Error *error) {
  for (int64_t g = 0; g < count; ++g) {
    const libsgemm_status_t status = enqueue(groups[g], launch, kLaunch, error, multiply);
    if (status != LIBSGEMM_SUCCESS) return status;
    if (g > 0) --g_control.launches[launch.device];
  }
  return LIBSGEMM_SUCCESS;
}

constexpr GroupedLaunch kGroups = {cost_of_groups, launch_groups};
bool groups_only(const GemmDesc &, int) { return false; }

bool g_loaded = true;

// The first kernel leaves C half done before the second, which may have to be loaded.
libsgemm_status_t launch_in_steps(const GemmDesc &desc, const Launch &launch, Error *error) {
  const Lock lock(g_mutex);
  Stream *const stream = stream_for(launch.device, launch.stream, error);
  if (stream == nullptr) return LIBSGEMM_EXECUTION_FAILED;
  std::deque<Op> &work = stream->work;
  const auto element = std::make_shared<float>();
  float *const c = batch_item(desc, 0).c;
  if (!launch.rehearsal) {
    const auto spoil = [=] {
      *element = *c;
      *c = std::nanf("");
    };
    work.push_back({spoil, {}, {}, 0, nullptr});
    if (launch.enqueued != nullptr) *launch.enqueued = true;
  }
  g_loaded = g_loaded || !fails(kLoad, launch.device);
  if (!g_loaded) return fail("loading a kernel", error);
  if (launch.rehearsal) return LIBSGEMM_SUCCESS;
  work.push_back({[=] { *c = *element; }, {}, {}, 0, nullptr});
  const libsgemm_status_t status = enqueue(desc, launch, kLaunch, error, multiply);
  return status;
}

size_t plan_bytes(const GemmDesc &operand, int) { return mock_plan_bytes(operand); }

libsgemm_status_t plan(const GemmDesc &operand, void *memory, const Launch &launch, Error *error) {
  if (refused(kLaunch, launch, "launch", error)) return LIBSGEMM_EXECUTION_FAILED;
  const Lock lock(g_mutex);
  const auto run = [operand, memory] { make_mock_plan(operand, static_cast<float *>(memory)); };
  return push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
}

libsgemm_status_t scale(const GemmDesc &desc, const Launch &launch, Error *error) {
  return enqueue(desc, launch, kScale, error, scale_c);
}

libsgemm_status_t epilogue(const Epilogue &e, const Launch &launch, Error *error) {
  if (refused(kEpilogue, launch, "launch", error)) return LIBSGEMM_EXECUTION_FAILED;
  const Lock lock(g_mutex);
  const auto run = [e] {
    for (int64_t at = 0; at < e.batch_count * e.n * e.m; ++at) {
      const int64_t i = at % e.m, j = at / e.m % e.n, item = at / e.m / e.n;
      float &d = e.d[item * e.stride_d + j * e.ldd + i];
      if (e.bias != nullptr) d += e.bias[item * e.stride_bias + i];
      if (e.function == Epilogue::relu) d = std::max(d, 0.0f);
      if (e.function == Epilogue::gelu) d = 0.5f * d * (1 + std::tanh(0.7978846f * (d + 0.044715f * d * d * d)));
    }
  };
  return push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
}

// checksum() keeps the earlier C in a map by workspace address.
size_t checksum_bytes(const GemmDesc &desc, const Checksum &, int) {
  const bool has = desc.routine == Routine::gemm && desc.batch == Batch::none;
  return has ? size_t{4096} : 0;
}

libsgemm_status_t checksum(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch, Error *error) {
  static auto *before = new std::map<const void *, Snapshot>;
  if (refused(kChecksum, launch, "checksum", error)) return LIBSGEMM_EXECUTION_FAILED;
  const Lock lock(g_mutex);
  const auto run = [desc, what, after, launch] {
    Snapshot &old = (*before)[launch.workspace];
    if (!after) {
      if (!old.take(desc)) std::abort();  // no test lacks memory for it
      return;
    }
    ErrorContract c = error_contract(desc, desc.beta != 0 ? old.item(0) : nullptr, {what.mode, false});
    c.factor = what.factor;
    c.cut = what.cut;
    auto *results = static_cast<double *>(launch.workspace);
    std::fill_n(results, kChecksumResults, 0.0);
    results[kChecksumResults - 1] = worst_of_sums(what.transposed ? c.transposed() : c, what.seed);
    before->erase(launch.workspace);
  };
  return push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
}

size_t elements_bytes(const GemmDesc &desc, int device) {
  return checksum_bytes(desc, {}, device) != 0 ? 2 * sizeof(double) : 0;
}

libsgemm_status_t elements(const GemmDesc &desc, const ElementBound &bound, const float *before, const Launch &launch,
                           Error *error) {
  if (refused(kElements, launch, "judgement", error)) return LIBSGEMM_EXECUTION_FAILED;
  const Lock lock(g_mutex);
  const auto run = [desc, bound, before, launch] {
    ErrorContract c = error_contract(desc, before, {bound.mode, false});
    c.factor = bound.factor;
    c.cut = bound.cut;
    auto *results = static_cast<double *>(launch.workspace);
    results[0] = 0;
    results[1] = worst_of_all(c);
  };
  return push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
}

constexpr Kernel kKernels[] = {
    {MOCK_NAME "_mock_splitk", LIBSGEMM_MATH_FP32, prepare_fixed<gemm_only, fast, one_mebibyte>, launch_with_workspace},
    {MOCK_NAME "_mock_plain", LIBSGEMM_MATH_FP32, prepare_fixed<gemm_only, slow>, launch_plain},
    {MOCK_NAME "_mock_tf32", LIBSGEMM_MATH_TF32, prepare_fixed<gemm_only, slow>, launch_plain, true},
    {MOCK_NAME "_mock_fp16x3", kMockPlanMode, prepare_fixed<gemm_only, fast>, launch_plain},
    {MOCK_NAME "_mock_level3", LIBSGEMM_MATH_FP32, prepare_fixed<other_routines, fast>, launch_in_steps, false, true},
    {MOCK_NAME "_mock_16_bits", LIBSGEMM_MATH_FP32, prepare_fixed<gemm_of_16_bits, fast, two_mebibytes>,
     launch_after_copy},
    {MOCK_NAME "_mock_grouped", LIBSGEMM_MATH_FP64, prepare_fixed<groups_only, slow>, launch_plain, false, false, "",
     false, &kGroups},
#ifndef MOCK_WITHOUT_CONV
    kernel_of_conv(MOCK_NAME "_mock_conv", LIBSGEMM_MATH_FP32, "convolutions", &kConv),
#endif
};

const Kernel *plain_kernel() { return &kKernels[1]; }

}  // namespace

void unload() { g_loaded = false; }

void add_kernels(Backend *table) {
  table->kernels = kKernels;
  table->kernel_count = static_cast<int>(sizeof kKernels / sizeof *kKernels);
  table->scale = scale;
  table->plan_bytes = plan_bytes;
  table->plan = plan;
  table->checksum_bytes = checksum_bytes;
  table->checksum = checksum;
  table->elements_bytes = elements_bytes;
  table->elements = elements;
  table->epilogue = epilogue;
}

}  // namespace mock
