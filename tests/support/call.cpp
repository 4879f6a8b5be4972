#include "call.h"

#include <algorithm>
#include <stdexcept>

namespace sgemm_test {
namespace {

const std::vector<std::string> kGemm = {"layout", "transa", "transb", "m",   "n",    "k", "alpha",
                                        "A",      "lda",    "B",      "ldb", "beta", "C", "ldc"};
const std::vector<std::string> kSymm = {"layout", "side", "uplo", "m",    "n", "alpha", "A",
                                        "lda",    "B",    "ldb",  "beta", "C", "ldc"};
const std::vector<std::string> kSyrk = {"layout", "uplo", "trans", "n", "k", "alpha", "A", "lda", "beta", "C", "ldc"};
const std::vector<std::string> kSyr2k = {"layout", "uplo", "trans", "n",    "k", "alpha", "A",
                                         "lda",    "B",    "ldb",   "beta", "C", "ldc"};
const std::vector<std::string> kTriangular = {"layout", "side",  "uplo", "transa", "diag", "m",
                                              "n",      "alpha", "A",    "lda",    "B",    "ldb"};
const std::vector<std::string> kGemmtr = {"layout", "uplo", "transa", "transb", "n",    "k", "alpha",
                                          "A",      "lda",  "B",      "ldb",    "beta", "C", "ldc"};
const std::vector<std::string> kStrided = {"layout",   "transa", "transb", "m",        "n",        "k",
                                           "alpha",    "A",      "lda",    "stride_a", "B",        "ldb",
                                           "stride_b", "beta",   "C",      "ldc",      "stride_c", "batch_count"};
const std::vector<std::string> kSyrkStrided = {"layout", "uplo",     "trans", "n", "k",   "alpha",    "A",
                                               "lda",    "stride_a", "beta",  "C", "ldc", "stride_c", "batch_count"};
const std::vector<std::string> kTriangularStrided = {"layout",   "side", "uplo",  "transa",   "diag",
                                                     "m",        "n",    "alpha", "A",        "lda",
                                                     "stride_a", "B",    "ldb",   "stride_b", "batch_count"};
const std::vector<std::string> kBatch = {"layout", "transa", "transb", "m",    "n", "k",   "alpha",       "A",
                                         "lda",    "B",      "ldb",    "beta", "C", "ldc", "group_count", "group_size"};

class Invoke {
 public:
  Invoke() : with_handle_(false), handle_(nullptr) {}
  explicit Invoke(libsgemm_handle_t handle) : with_handle_(true), handle_(handle) {}

  template <typename Plain, typename HandleForm, typename... T>
  libsgemm_status_t operator()(Plain plain, HandleForm handle_form, T... args) const {
    return with_handle_ ? handle_form(handle_, args...) : plain(args...);
  }

 private:
  bool with_handle_;
  libsgemm_handle_t handle_;
};

template <typename T, typename Plain, typename HandleForm>
libsgemm_status_t gemm(const Invoke &invoke, Plain plain, HandleForm form, const Args &x) {
  return invoke(plain, form, x.layout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, static_cast<const T *>(x.a), x.lda,
                static_cast<const T *>(x.b), x.ldb, x.beta, x.c, x.ldc);
}

template <typename T, typename Plain, typename HandleForm>
libsgemm_status_t strided(const Invoke &invoke, Plain plain, HandleForm form, const Args &x) {
  return invoke(plain, form, x.layout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, static_cast<const T *>(x.a), x.lda,
                x.stride_a, static_cast<const T *>(x.b), x.ldb, x.stride_b, x.beta, x.c, x.ldc, x.stride_c,
                x.batch_count);
}

template <typename T, typename Plain, typename HandleForm>
libsgemm_status_t syrk(const Invoke &invoke, Plain plain, HandleForm form, const Args &x) {
  return invoke(plain, form, x.layout, x.uplo, x.transa, x.n, x.k, x.alpha, static_cast<const T *>(x.a), x.lda, x.beta,
                x.c, x.ldc);
}

template <typename T, typename Plain, typename HandleForm>
libsgemm_status_t syrk_strided(const Invoke &invoke, Plain plain, HandleForm form, const Args &x) {
  return invoke(plain, form, x.layout, x.uplo, x.transa, x.n, x.k, x.alpha, static_cast<const T *>(x.a), x.lda,
                x.stride_a, x.beta, x.c, x.ldc, x.stride_c, x.batch_count);
}

template <typename Plain, typename HandleForm>
libsgemm_status_t triangular_strided(const Invoke &invoke, Plain plain, HandleForm form, const Args &x) {
  return invoke(plain, form, x.layout, x.side, x.uplo, x.transa, x.diag, x.m, x.n, x.alpha,
                static_cast<const float *>(x.a), x.lda, x.stride_a, x.c, x.ldc, x.stride_c, x.batch_count);
}

template <typename T, typename Plain, typename HandleForm>
libsgemm_status_t batch(const Invoke &invoke, Plain plain, HandleForm form, const BatchArgs &x) {
  return invoke(plain, form, x.layout, x.transa, x.transb, x.m, x.n, x.k, x.alpha,
                reinterpret_cast<const T *const *>(x.a), x.lda, reinterpret_cast<const T *const *>(x.b), x.ldb, x.beta,
                x.c, x.ldc, x.group_count, x.group_size);
}

libsgemm_status_t dispatch(const Invoke &invoke, Routine routine, const Args &x) {
  const auto *a = static_cast<const float *>(x.a);
  const auto *b = static_cast<const float *>(x.b);
  switch (routine) {
    case Routine::kSgemm:
      return gemm<float>(invoke, libsgemm_sgemm, libsgemm_sgemm_h, x);
    case Routine::kShgemm:
      return gemm<libsgemm_half_t>(invoke, libsgemm_shgemm, libsgemm_shgemm_h, x);
    case Routine::kSbgemm:
      return gemm<libsgemm_bfloat16_t>(invoke, libsgemm_sbgemm, libsgemm_sbgemm_h, x);
    case Routine::kSsymm:
      return invoke(libsgemm_ssymm, libsgemm_ssymm_h, x.layout, x.side, x.uplo, x.m, x.n, x.alpha, a, x.lda, b, x.ldb,
                    x.beta, x.c, x.ldc);
    case Routine::kSsyrk:
      return syrk<float>(invoke, libsgemm_ssyrk, libsgemm_ssyrk_h, x);
    case Routine::kShsyrk:
      return syrk<libsgemm_half_t>(invoke, libsgemm_shsyrk, libsgemm_shsyrk_h, x);
    case Routine::kSbsyrk:
      return syrk<libsgemm_bfloat16_t>(invoke, libsgemm_sbsyrk, libsgemm_sbsyrk_h, x);
    case Routine::kSsyr2k:
      return invoke(libsgemm_ssyr2k, libsgemm_ssyr2k_h, x.layout, x.uplo, x.transa, x.n, x.k, x.alpha, a, x.lda, b,
                    x.ldb, x.beta, x.c, x.ldc);
    case Routine::kStrmm:
      return invoke(libsgemm_strmm, libsgemm_strmm_h, x.layout, x.side, x.uplo, x.transa, x.diag, x.m, x.n, x.alpha, a,
                    x.lda, x.c, x.ldc);
    case Routine::kStrsm:
      return invoke(libsgemm_strsm, libsgemm_strsm_h, x.layout, x.side, x.uplo, x.transa, x.diag, x.m, x.n, x.alpha, a,
                    x.lda, x.c, x.ldc);
    case Routine::kSgemmtr:
      return invoke(libsgemm_sgemmtr, libsgemm_sgemmtr_h, x.layout, x.uplo, x.transa, x.transb, x.n, x.k, x.alpha, a,
                    x.lda, b, x.ldb, x.beta, x.c, x.ldc);
    case Routine::kSgemmStrided:
      return strided<float>(invoke, libsgemm_sgemm_batch_strided, libsgemm_sgemm_batch_strided_h, x);
    case Routine::kShgemmStrided:
      return strided<libsgemm_half_t>(invoke, libsgemm_shgemm_batch_strided, libsgemm_shgemm_batch_strided_h, x);
    case Routine::kSbgemmStrided:
      return strided<libsgemm_bfloat16_t>(invoke, libsgemm_sbgemm_batch_strided, libsgemm_sbgemm_batch_strided_h, x);
    case Routine::kSsyrkStrided:
      return syrk_strided<float>(invoke, libsgemm_ssyrk_batch_strided, libsgemm_ssyrk_batch_strided_h, x);
    case Routine::kShsyrkStrided:
      return syrk_strided<libsgemm_half_t>(invoke, libsgemm_shsyrk_batch_strided, libsgemm_shsyrk_batch_strided_h, x);
    case Routine::kSbsyrkStrided:
      return syrk_strided<libsgemm_bfloat16_t>(invoke, libsgemm_sbsyrk_batch_strided, libsgemm_sbsyrk_batch_strided_h,
                                               x);
    case Routine::kStrmmStrided:
      return triangular_strided(invoke, libsgemm_strmm_batch_strided, libsgemm_strmm_batch_strided_h, x);
    case Routine::kStrsmStrided:
      return triangular_strided(invoke, libsgemm_strsm_batch_strided, libsgemm_strsm_batch_strided_h, x);
  }
  throw std::logic_error("no such routine");
}

libsgemm_status_t dispatch_batch(const Invoke &invoke, Element element, const BatchArgs &x) {
  switch (element) {
    case Element::kFloat:
      return batch<float>(invoke, libsgemm_sgemm_batch, libsgemm_sgemm_batch_h, x);
    case Element::kHalf:
      return batch<libsgemm_half_t>(invoke, libsgemm_shgemm_batch, libsgemm_shgemm_batch_h, x);
    case Element::kBfloat16:
      return batch<libsgemm_bfloat16_t>(invoke, libsgemm_sbgemm_batch, libsgemm_sbgemm_batch_h, x);
  }
  throw std::logic_error("no such element type");
}

}  // namespace

const std::vector<Routine> kSingleRoutines = {Routine::kSgemm,  Routine::kSsymm,  Routine::kSsyrk,   Routine::kSsyr2k,
                                              Routine::kStrmm,  Routine::kStrsm,  Routine::kSgemmtr, Routine::kShgemm,
                                              Routine::kSbgemm, Routine::kShsyrk, Routine::kSbsyrk};
const std::vector<Routine> kStridedRoutines = {Routine::kSgemmStrided, Routine::kShgemmStrided, Routine::kSbgemmStrided,
                                               Routine::kSsyrkStrided, Routine::kShsyrkStrided, Routine::kSbsyrkStrided,
                                               Routine::kStrmmStrided, Routine::kStrsmStrided};

libsgemm_status_t call(Routine routine, const Args &args) { return dispatch(Invoke(), routine, args); }

libsgemm_status_t call(Routine routine, libsgemm_handle_t handle, const Args &args) {
  return dispatch(Invoke(handle), routine, args);
}

libsgemm_status_t call_batch(Element element, const BatchArgs &args) { return dispatch_batch(Invoke(), element, args); }

libsgemm_status_t call_batch(Element element, libsgemm_handle_t handle, const BatchArgs &args) {
  return dispatch_batch(Invoke(handle), element, args);
}

std::string entry_name(Routine routine) {
  static const char *const names[] = {"sgemm",
                                      "ssymm",
                                      "ssyrk",
                                      "ssyr2k",
                                      "strmm",
                                      "strsm",
                                      "sgemmtr",
                                      "shgemm",
                                      "sbgemm",
                                      "shsyrk",
                                      "sbsyrk",
                                      "sgemm_batch_strided",
                                      "shgemm_batch_strided",
                                      "sbgemm_batch_strided",
                                      "ssyrk_batch_strided",
                                      "shsyrk_batch_strided",
                                      "sbsyrk_batch_strided",
                                      "strmm_batch_strided",
                                      "strsm_batch_strided"};
  return std::string("libsgemm_") + names[static_cast<int>(routine)];
}

std::string batch_entry_name(Element element) {
  static const char *const names[] = {"sgemm_batch", "shgemm_batch", "sbgemm_batch"};
  return std::string("libsgemm_") + names[static_cast<int>(element)];
}

const std::vector<std::string> &parameters(Routine routine) {
  switch (routine) {
    case Routine::kSsymm:
      return kSymm;
    case Routine::kSsyrk:
    case Routine::kShsyrk:
    case Routine::kSbsyrk:
      return kSyrk;
    case Routine::kSsyr2k:
      return kSyr2k;
    case Routine::kStrmm:
    case Routine::kStrsm:
      return kTriangular;
    case Routine::kSgemmtr:
      return kGemmtr;
    case Routine::kSgemmStrided:
    case Routine::kShgemmStrided:
    case Routine::kSbgemmStrided:
      return kStrided;
    case Routine::kSsyrkStrided:
    case Routine::kShsyrkStrided:
    case Routine::kSbsyrkStrided:
      return kSyrkStrided;
    case Routine::kStrmmStrided:
    case Routine::kStrsmStrided:
      return kTriangularStrided;
    default:
      return kGemm;
  }
}

const std::vector<std::string> &batch_parameters() { return kBatch; }

bool has_parameter(Routine routine, const std::string &name) {
  const std::vector<std::string> &all = parameters(routine);
  return std::find(all.begin(), all.end(), name) != all.end();
}

bool writes_triangle(Routine routine) { return has_parameter(routine, "uplo") && !has_parameter(routine, "side"); }

Element element_of(Routine routine) {
  switch (single_of(routine)) {
    case Routine::kShgemm:
    case Routine::kShsyrk:
      return Element::kHalf;
    case Routine::kSbgemm:
    case Routine::kSbsyrk:
      return Element::kBfloat16;
    default:
      return Element::kFloat;
  }
}

Routine product_of(Element element) {
  return element == Element::kFloat ? Routine::kSgemm : element == Element::kHalf ? Routine::kShgemm : Routine::kSbgemm;
}

namespace {

struct Forms {
  Routine single, strided;
};
constexpr Forms kForms[] = {{Routine::kSgemm, Routine::kSgemmStrided},   {Routine::kShgemm, Routine::kShgemmStrided},
                            {Routine::kSbgemm, Routine::kSbgemmStrided}, {Routine::kSsyrk, Routine::kSsyrkStrided},
                            {Routine::kShsyrk, Routine::kShsyrkStrided}, {Routine::kSbsyrk, Routine::kSbsyrkStrided},
                            {Routine::kStrmm, Routine::kStrmmStrided},   {Routine::kStrsm, Routine::kStrsmStrided}};

}  // namespace

Routine single_of(Routine routine) {
  for (const Forms &forms : kForms) {
    if (forms.strided == routine) return forms.single;
  }
  return routine;
}

Routine strided_of(Routine single) {
  for (const Forms &forms : kForms) {
    if (forms.single == single) return forms.strided;
  }
  throw std::logic_error(entry_name(single) + " has no strided batches");
}

Routine of_floats(Routine routine) {
  switch (routine) {
    case Routine::kShgemm:
    case Routine::kSbgemm:
      return Routine::kSgemm;
    case Routine::kShsyrk:
    case Routine::kSbsyrk:
      return Routine::kSsyrk;
    default:
      return routine;
  }
}

bool is_in_place(Routine routine) {
  const Routine single = single_of(routine);
  return single == Routine::kStrmm || single == Routine::kStrsm;
}

Handle::Handle() {
  const libsgemm_status_t status = libsgemm_create(&handle_);
  if (status != LIBSGEMM_SUCCESS) {
    throw std::runtime_error(std::string("libsgemm_create: ") + libsgemm_status_string(status));
  }
}

Handle::~Handle() { libsgemm_destroy(handle_); }

libsgemm_info_t last_info() {
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  return info;
}

}  // namespace sgemm_test
