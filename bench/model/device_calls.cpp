#include "device_calls.h"

#include <string.h>

#include <algorithm>
#include <new>

#include "inputs/random.h"

namespace command {
namespace {

using libsgemm::Batch;
using libsgemm::CallClass;
using libsgemm::GemmDesc;
using libsgemm::Routine;
using libsgemm::Stored;
using libsgemm::Type;

constexpr size_t kLine = 256;          // alignment of allocations
constexpr size_t kPool = 1 << 20;      // random words
constexpr double kMostBytes = 1e13;    // above any device, and within size_t
constexpr float kBesideUnity = 1e-3f;  // most that the other |elements| of a triangular row add up to

size_t whole_lines(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

size_t bytes_of(const Stored &x, int64_t ld) {
  if (static_cast<double>(ld) * static_cast<double>(x.cols) * 4 > kMostBytes) throw std::bad_alloc();
  return static_cast<size_t>(ld) * static_cast<size_t>(x.cols) * x.size;
}

size_t span(const GemmDesc &d, const Stored &x, int64_t ld, int64_t stride) {
  const size_t one = bytes_of(x, ld), more = static_cast<size_t>(d.batch_count - 1);
  const size_t step = d.batch == Batch::strided    ? static_cast<size_t>(stride) * x.size
                      : d.batch == Batch::pointers ? whole_lines(one)
                                                   : 0;
  if (static_cast<double>(step) * static_cast<double>(more) > kMostBytes) throw std::bad_alloc();
  return step * more + one;
}

std::vector<uint32_t> random_words(Type type) {
  const uint32_t fixed = type == Type::f32 ? 0x3f000000u : type == Type::f16 ? 0x38003800u : 0x3f003f00u;
  const uint32_t drawn = type == Type::f32 ? 0x807fffffu : type == Type::f16 ? 0x83ff83ffu : 0x807f807fu;
  uint64_t state = 1;
  std::vector<uint32_t> words(kPool);
  for (uint32_t &word : words) word = fixed | (static_cast<uint32_t>(next_random(&state) >> 32) & drawn);
  return words;
}

void upload(Memory *memory, void *to, const std::vector<uint32_t> &words, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const size_t part = std::min(bytes - done, words.size() * sizeof(uint32_t));
    memory->upload(static_cast<char *>(to) + done, words.data(), part);
    done += part;
  }
}

void upload_triangular(Memory *memory, const GemmDesc &d, char *to) {
  std::vector<float> matrix(static_cast<size_t>(d.lda * d.k));
  uint64_t state = 1;
  const float beside = kBesideUnity / static_cast<float>(d.k);
  for (float &x : matrix) x = (next_random(&state) >> 63) != 0 ? beside : -beside;
  for (int64_t i = 0; i < d.k; ++i) matrix[static_cast<size_t>(i + i * d.lda)] = 1;
  const int64_t count = d.batch == Batch::strided && d.stride_a != 0 ? d.batch_count : 1;
  for (int64_t i = 0; i < count; ++i, to += d.stride_a * static_cast<int64_t>(sizeof(float))) {
    memory->upload(to, matrix.data(), matrix.size() * sizeof(float));
  }
}

template <class Element, class Function>
libsgemm_status_t product(libsgemm_handle_t h, const GemmDesc &d, Function function) {
  return function(h, LIBSGEMM_COL_MAJOR, d.transa, d.transb, d.m, d.n, d.k, d.alpha, static_cast<const Element *>(d.a),
                  d.lda, static_cast<const Element *>(d.b), d.ldb, d.beta, d.c, d.ldc);
}

template <class Element, class Function>
libsgemm_status_t strided(libsgemm_handle_t h, const GemmDesc &d, Function function) {
  return function(h, LIBSGEMM_COL_MAJOR, d.transa, d.transb, d.m, d.n, d.k, d.alpha, static_cast<const Element *>(d.a),
                  d.lda, d.stride_a, static_cast<const Element *>(d.b), d.ldb, d.stride_b, d.beta, d.c, d.ldc,
                  d.stride_c, d.batch_count);
}

template <class Element, class Function>
libsgemm_status_t group(libsgemm_handle_t h, const GemmDesc &d, Function function) {
  return function(h, LIBSGEMM_COL_MAJOR, &d.transa, &d.transb, &d.m, &d.n, &d.k, &d.alpha,
                  reinterpret_cast<const Element *const *>(d.a_array), &d.lda,
                  reinterpret_cast<const Element *const *>(d.b_array), &d.ldb, &d.beta, d.c_array, &d.ldc, 1,
                  &d.batch_count);
}

libsgemm_status_t run_gemm(libsgemm_handle_t h, const GemmDesc &d) {
  const bool half = d.type == Type::f16, bfloat = d.type == Type::bf16;
  switch (d.batch) {
    case Batch::strided:
      if (half) return strided<libsgemm_half_t>(h, d, libsgemm_shgemm_batch_strided_h);
      if (bfloat) return strided<libsgemm_bfloat16_t>(h, d, libsgemm_sbgemm_batch_strided_h);
      return strided<float>(h, d, libsgemm_sgemm_batch_strided_h);
    case Batch::pointers:
      if (half) return group<libsgemm_half_t>(h, d, libsgemm_shgemm_batch_h);
      if (bfloat) return group<libsgemm_bfloat16_t>(h, d, libsgemm_sbgemm_batch_h);
      return group<float>(h, d, libsgemm_sgemm_batch_h);
    default:
      if (half) return product<libsgemm_half_t>(h, d, libsgemm_shgemm_h);
      if (bfloat) return product<libsgemm_bfloat16_t>(h, d, libsgemm_sbgemm_h);
      return product<float>(h, d, libsgemm_sgemm_h);
  }
}

template <class Element, class Function>
libsgemm_status_t syrk(libsgemm_handle_t h, const GemmDesc &d, Function function) {
  return function(h, LIBSGEMM_COL_MAJOR, d.uplo, d.transa, d.n, d.k, d.alpha, static_cast<const Element *>(d.a), d.lda,
                  d.beta, d.c, d.ldc);
}

template <class Element, class Function>
libsgemm_status_t syrk_strided(libsgemm_handle_t h, const GemmDesc &d, Function function) {
  return function(h, LIBSGEMM_COL_MAJOR, d.uplo, d.transa, d.n, d.k, d.alpha, static_cast<const Element *>(d.a), d.lda,
                  d.stride_a, d.beta, d.c, d.ldc, d.stride_c, d.batch_count);
}

template <class Function>
libsgemm_status_t triangular(libsgemm_handle_t h, const GemmDesc &d, Function function) {
  return function(h, LIBSGEMM_COL_MAJOR, d.side, d.uplo, d.transa, d.diag, d.m, d.n, d.alpha,
                  static_cast<const float *>(d.a), d.lda, d.stride_a, d.c, d.ldc, d.stride_c, d.batch_count);
}

libsgemm_status_t run_strided(libsgemm_handle_t h, const GemmDesc &d) {
  switch (d.routine) {
    case Routine::syrk:
      if (d.type == Type::f16) return syrk_strided<libsgemm_half_t>(h, d, libsgemm_shsyrk_batch_strided_h);
      if (d.type == Type::bf16) return syrk_strided<libsgemm_bfloat16_t>(h, d, libsgemm_sbsyrk_batch_strided_h);
      return syrk_strided<float>(h, d, libsgemm_ssyrk_batch_strided_h);
    case Routine::trmm:
      return triangular(h, d, libsgemm_strmm_batch_strided_h);
    case Routine::trsm:
      return triangular(h, d, libsgemm_strsm_batch_strided_h);
    default:
      return LIBSGEMM_NOT_SUPPORTED;
  }
}

libsgemm_status_t run_call(libsgemm_handle_t h, const GemmDesc &d) {
  constexpr libsgemm_layout_t layout = LIBSGEMM_COL_MAJOR;
  const auto *a = static_cast<const float *>(d.a), *b = static_cast<const float *>(d.b);
  if (d.routine != Routine::gemm && d.batch == Batch::strided) return run_strided(h, d);
  switch (d.routine) {
    case Routine::symm:
      return libsgemm_ssymm_h(h, layout, d.side, d.uplo, d.m, d.n, d.alpha, a, d.lda, b, d.ldb, d.beta, d.c, d.ldc);
    case Routine::syrk:
      if (d.type == Type::f16) return syrk<libsgemm_half_t>(h, d, libsgemm_shsyrk_h);
      if (d.type == Type::bf16) return syrk<libsgemm_bfloat16_t>(h, d, libsgemm_sbsyrk_h);
      return syrk<float>(h, d, libsgemm_ssyrk_h);
    case Routine::syr2k:
      return libsgemm_ssyr2k_h(h, layout, d.uplo, d.transa, d.n, d.k, d.alpha, a, d.lda, b, d.ldb, d.beta, d.c, d.ldc);
    case Routine::trmm:
      return libsgemm_strmm_h(h, layout, d.side, d.uplo, d.transa, d.diag, d.m, d.n, d.alpha, a, d.lda, d.c, d.ldc);
    case Routine::trsm:
      return libsgemm_strsm_h(h, layout, d.side, d.uplo, d.transa, d.diag, d.m, d.n, d.alpha, a, d.lda, d.c, d.ldc);
    case Routine::gemmtr:
      return libsgemm_sgemmtr_h(h, layout, d.uplo, d.transa, d.transb, d.n, d.k, d.alpha, a, d.lda, b, d.ldb, d.beta,
                                d.c, d.ldc);
    default:
      return run_gemm(h, d);
  }
}

}  // namespace

DeviceCalls::DeviceCalls(const CallClass &call, Memory *memory) : desc_(libsgemm::describe(call)), memory_(memory) {
  const Stored stored[] = {stored_a(desc_), stored_b(desc_), stored_c(desc_)};
  const int64_t ld[] = {desc_.lda, desc_.ldb, desc_.ldc};
  const int64_t stride[] = {desc_.stride_a, desc_.stride_b, desc_.stride_c};
  size_t end = 0;
  for (size_t i = 0; i < 3; ++i) {
    // Exactly the alignment of the class.
    at_[i] = end + call.address[i] % CallClass::kMostAlignment;
    span_[i] = stored[i].rows > 0 ? span(desc_, stored[i], ld[i], stride[i]) : 0;
    end = whole_lines(at_[i] + span_[i]);
  }
  bytes_ = end;
  sets_.push_back(make_set());
  fill(sets_[0]);
}

DeviceCalls::Set DeviceCalls::make_set() const {
  Set set;
  set.memory = std::make_unique<Buffer>(memory_, bytes_);
  set.desc = desc_;
  auto *const base = static_cast<char *>(set.memory->data());
  set.desc.a = base + at_[0];
  set.desc.b = span_[1] > 0 ? base + at_[1] : nullptr;
  set.desc.c = reinterpret_cast<float *>(base + at_[2]);
  if (desc_.batch != Batch::pointers) return set;
  const auto count = static_cast<size_t>(desc_.batch_count);
  const size_t steps[] = {whole_lines(bytes_of(stored_a(desc_), desc_.lda)),
                          whole_lines(bytes_of(stored_b(desc_), desc_.ldb)),
                          whole_lines(bytes_of(stored_c(desc_), desc_.ldc))};
  for (size_t i = 0; i < count; ++i) {
    set.a.push_back(base + at_[0] + i * steps[0]);
    set.b.push_back(base + at_[1] + i * steps[1]);
    set.c.push_back(reinterpret_cast<float *>(base + at_[2] + i * steps[2]));
  }
  return set;
}

void DeviceCalls::fill(const Set &set) const {
  auto *const base = static_cast<char *>(set.memory->data());
  const std::vector<uint32_t> inputs = random_words(desc_.type);
  if (traits_of(desc_).a == libsgemm::RoutineTraits::triangular) {
    upload_triangular(memory_, desc_, base + at_[0]);
  } else {
    upload(memory_, base + at_[0], inputs, span_[0]);
  }
  upload(memory_, base + at_[1], inputs, span_[1]);
  upload(memory_, base + at_[2], random_words(Type::f32), span_[2]);
}

void DeviceCalls::add_sets(size_t count) {
  while (sets_.size() < count) {
    try {
      sets_.push_back(make_set());
    } catch (const std::bad_alloc &) {
      return;
    }
    memory_->copy(sets_.back().memory->data(), sets_[0].memory->data(), bytes_);
  }
}

libsgemm_status_t DeviceCalls::run(libsgemm_handle_t h, size_t set) const {
  const Set &s = sets_[set];
  GemmDesc d = s.desc;
  d.a_array = s.a.data();
  d.b_array = s.b.data();
  d.c_array = s.c.data();
  return run_call(h, d);
}

}  // namespace command
