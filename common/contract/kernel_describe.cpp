// A kernel answers only for a given call: many calls show what it supports.
#include "kernel_describe.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

namespace libsgemm {
namespace {

struct Size {
  int64_t m, n, k;
};

// Each kernel supports at least one.
constexpr Size kSizes[] = {
    {4096, 4096, 4096}, {256, 256, 256}, {64, 64, 64},    {16, 16, 16},     {512, 512, 65536}, {4096, 1, 4096},
    {1, 4096, 4096},    {4096, 4, 4096}, {4, 4096, 4096}, {4096, 16, 512},  {65536, 32, 64},   {32, 65536, 64},
    {65536, 48, 48},    {65536, 64, 32}, {48, 65536, 48}, {64, 65536, 512},
};

struct NamedType {
  Type type;
  const char *name;
};
constexpr NamedType kTypes[] = {{Type::f32, "fp32"}, {Type::f16, "fp16"}, {Type::bf16, "bf16"}};

struct alignas(256) Place {
  float numbers[64];
};
Place g_places[3];

GemmDesc describe_call(const RoutineTraits &traits, Type type, Batch batch, const Size &size) {
  GemmDesc d = {};
  d.routine = traits.routine;
  d.type = type;
  d.transa = d.transb = LIBSGEMM_NO_TRANS;
  d.side = LIBSGEMM_LEFT;
  d.uplo = LIBSGEMM_UPPER;
  d.diag = LIBSGEMM_NON_UNIT;
  d.m = traits.triangle_of_c ? size.n : size.m;
  d.n = size.n;
  d.k = traits.one_sided() ? d.m : size.k;
  d.alpha = 1;
  d.beta = traits.routine == Routine::trsm ? 1 : 0;
  d.a = g_places[0].numbers;
  d.b = traits.has_b() ? g_places[1].numbers : nullptr;
  d.c = g_places[2].numbers;
  d.batch = batch;
  d.batch_count = batch == Batch::none ? 1 : 100;
  d.stride_a = d.stride_b = d.stride_c = batch == Batch::strided ? int64_t{1} << 26 : 0;
  static const void *const inputs[100] = {};
  static float *const outputs[100] = {};
  if (batch == Batch::pointers) {
    d.a = d.b = nullptr;
    d.c = nullptr;
    d.a_array = d.b_array = inputs;
    d.c_array = outputs;
  }
  return d;
}

void set_leading_dimensions(GemmDesc *d) {
  d->lda = d->ldb = d->ldc = 1;
  d->lda = std::max<int64_t>(1, stored_a(*d).rows);
  d->ldb = std::max<int64_t>(1, stored_b(*d).rows);
  d->ldc = d->m;
}

bool supports(const Backend &backend, const Kernel &kernel, GemmDesc desc) {
  const int devices = backend.device_count();
  for (const libsgemm_op_t a : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
    for (const libsgemm_op_t b : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
      desc.transa = a;
      desc.transb = b;
      set_leading_dimensions(&desc);
      for (int device = 0; device < devices; ++device) {
        if (can_do(kernel, desc, device)) return true;
      }
    }
  }
  return false;
}

bool supports(const Backend &backend, const Kernel &kernel, const RoutineTraits &routine, Type type, Batch batch,
              libsgemm_deterministic_t deterministic) {
  return std::any_of(std::begin(kSizes), std::end(kSizes), [&](const Size &size) {
    GemmDesc desc = describe_call(routine, type, batch, size);
    desc.math_mode = kernel.math_mode;
    desc.deterministic = deterministic;
    return supports(backend, kernel, desc);
  });
}

template <size_t N>
void append(char (&list)[N], const char *word) {
  const size_t length = std::strlen(list);
  std::snprintf(list + length, N - length, "%s%s", length > 0 ? " " : "", word);
}

template <size_t N>
void copy(char (&target)[N], const char *text) {
  std::snprintf(target, N, "%s", text);
}

}  // namespace

void describe_kernel(const Backend &backend, const Kernel &kernel, libsgemm_kernel_info_t *info) {
  *info = {};
  copy(info->name, kernel.name);
  copy(info->math_mode, math_mode_name(kernel.math_mode));
  copy(info->purpose, kernel.purpose);
  if (kernel.conv != nullptr) {
    info->invariant = kernel.invariant ? 1 : 0;
    copy(info->routines, "conv2d");
    copy(info->types, "fp32");
    return;
  }
  bool types[std::size(kTypes)] = {}, batches = false;
  for (const RoutineTraits &routine : kRoutines) {
    bool any = false;
    for (size_t i = 0; i < std::size(kTypes); ++i) {
      const auto takes_if = [&](Batch batch, libsgemm_deterministic_t deterministic) {
        return supports(backend, kernel, routine, kTypes[i].type, batch, deterministic);
      };
      const auto takes = [&](Batch batch) {
        // A kernel may run only where bits are promised, or nowhere there, for lack of a device with its order of sums.
        const bool keeps_bits = kernel.invariant && takes_if(batch, LIBSGEMM_DETERMINISTIC_INVARIANT);
        if (keeps_bits) info->invariant = 1;
        return keeps_bits || takes_if(batch, LIBSGEMM_DETERMINISTIC_OFF);
      };
      const bool single = takes(Batch::none);
      const bool groups = routine.routine == Routine::gemm;
      const bool batch = (routine.strided != nullptr && takes(Batch::strided)) || (groups && takes(Batch::pointers));
      any = any || single;
      batches = batches || batch;
      types[i] = types[i] || single || batch;
    }
    if (any) append(info->routines, routine.name);
  }
  if (batches) append(info->routines, "batches");
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (types[i]) append(info->types, kTypes[i].name);
  }
}

}  // namespace libsgemm
