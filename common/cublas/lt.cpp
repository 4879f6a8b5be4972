// D = f(alpha op(A) op(B) + beta C + bias), C and D the same matrix, or beta = 0.
#include "cublas/arithmetic.h"
#include "gpu_blas/real.h"

extern "C" {
int cublasLtMatmulDescGetAttribute(void *descriptor, int attribute, void *value, size_t bytes, size_t *written);
int cublasLtMatrixLayoutGetAttribute(void *layout, int attribute, void *value, size_t bytes, size_t *written);
}

namespace libsgemm {
namespace {

template <typename T>
bool get(void *descriptor, CublasLtDesc attribute, T *value) {
  static Real<decltype(cublasLtMatmulDescGetAttribute)> real("cublasLtMatmulDescGetAttribute");
  size_t written = 0;
  return real(descriptor, attribute, value, sizeof *value, &written) == kVendorSuccess;
}

template <typename T>
bool get(void *layout, CublasLtLayout attribute, T *value) {
  static Real<decltype(cublasLtMatrixLayoutGetAttribute)> real("cublasLtMatrixLayoutGetAttribute");
  size_t written = 0;
  return real(layout, attribute, value, sizeof *value, &written) == kVendorSuccess;
}

struct Layout {
  int order = -1, batch_count = 0;
  uint64_t rows = 0, columns = 0;
  int64_t ld = 0, stride = 0;
};

bool read_types(void *a, void *b, void *d, Product *p) {
  int types[3] = {-1, -1, -1};
  void *const layouts[3] = {a, b, d};
  for (int i = 0; i < 3; ++i) {
    if (layouts[i] == nullptr || !get(layouts[i], kLtType, &types[i])) {
      p->refuse("argument not accepted");
      return false;
    }
  }
  p->types(types[0], types[1], types[2]);
  return p->refusal == nullptr;
}

bool read(void *from, Layout *x) {
  int64_t plane = 0;
  int mode = 0;
  const bool whole = get(from, kLtOrder, &x->order) && get(from, kLtRows, &x->rows) &&
                     get(from, kLtColumns, &x->columns) && get(from, kLtLd, &x->ld) &&
                     get(from, kLtBatchCount, &x->batch_count) && get(from, kLtBatchStride, &x->stride) &&
                     get(from, kLtPlaneOffset, &plane);
  // Versions before 13 lack the last attribute: their batches are by strides.
  const bool by_strides = x->batch_count == 1 || !get(from, kLtBatchMode, &mode) || mode == 0;
  const bool known_order = x->order == kLtOrderColumns || x->order == kLtOrderRows;
  return whole && plane == 0 && by_strides && known_order && x->rows <= INT64_MAX && x->columns <= INT64_MAX;
}

bool read_epilogue(void *descriptor, const Layout &d, Product *p) {
  unsigned flags = kLtEpilogueDefault;
  const void *bias = nullptr;
  if (!get(descriptor, kLtEpilogue, &flags)) return false;
  get(descriptor, kLtBiasPointer, &bias);
  const bool adds = (flags & kLtEpilogueBias) != 0;
  const bool by_rows = d.order == kLtOrderRows;
  // cublasLt 13.1 refuses a bias that its epilogue does not add, an epilogue without its bias, and a bias in row-major
  // order.
  if (adds != (bias != nullptr) || (adds && by_rows)) return false;
  Epilogue e = {};
  switch (flags & ~(kLtEpilogueBias | kLtEpilogueDefault)) {
    case 0:
      break;
    case kLtEpilogueRelu:
      e.function = Epilogue::relu;
      break;
    case kLtEpilogueGelu:
      e.function = Epilogue::gelu;
      break;
    default:
      return false;
  }
  if (!adds && e.function == Epilogue::identity) return true;
  if (adds) {
    int type = -1;  // default: D's type; older versions lack the attribute
    if (get(descriptor, kLtBiasType, &type) && type != -1 && type != kCudaR32F) return false;
    get(descriptor, kLtBiasStride, &e.stride_bias);
  }
  e.bias = static_cast<const float *>(bias);
  e.d = p->call.c;
  e.m = static_cast<int64_t>(by_rows ? d.columns : d.rows);
  e.n = static_cast<int64_t>(by_rows ? d.rows : d.columns);
  e.ldd = d.ld;
  e.stride_d = d.stride;
  e.batch_count = d.batch_count;
  p->epilogue = e;
  return p->alpha != nullptr && *p->alpha != 0;  // else there may be no product for the epilogue to follow
}

// Returns NULL, or why to forward.
const char *extras(void *descriptor, const Layout &d, Product *p) {
  int trans_c = 0, fill = kLtFillFull;
  if (!read_epilogue(descriptor, d, p)) return "epilogue";
  if (!get(descriptor, kLtTransC, &trans_c) || trans_c != 0) return "transposed C";
  if (!get(descriptor, kLtFillMode, &fill) || fill != kLtFillFull) return "triangle of C";
  for (int which = kLtFirstScalePointer; which <= kLtLastScalePointer; ++which) {
    const void *scale = nullptr;  // older versions lack the attribute
    if (get(descriptor, static_cast<CublasLtDesc>(which), &scale) && scale != nullptr) return "scaled matrices";
  }
  return nullptr;
}

struct Matrices {
  const void *a, *b, *c;
  void *d;
  void *a_layout, *b_layout, *c_layout, *d_layout;
};

void describe(const Matrices &x, const Layout &a, const Layout &b, const Layout &d, Product *p) {
  const bool inner_is_rows = p->call.transa != LIBSGEMM_NO_TRANS;
  p->call.layout = d.order == kLtOrderRows ? LIBSGEMM_ROW_MAJOR : LIBSGEMM_COL_MAJOR;
  p->size(static_cast<int64_t>(d.rows), static_cast<int64_t>(d.columns),
          static_cast<int64_t>(inner_is_rows ? a.rows : a.columns));
  p->operands(x.a, a.ld, x.b, b.ld, x.d, d.ld);
  if (d.batch_count != 1) p->strides(a.stride, b.stride, d.stride, d.batch_count);
}

// False: cublasLt reports the fault.
bool agree(const Product &p, const Layout &a, const Layout &b, const Layout &d) {
  const bool ta = p.call.transa != LIBSGEMM_NO_TRANS, tb = p.call.transb != LIBSGEMM_NO_TRANS;
  const bool empty = d.rows == 0 || d.columns == 0 || (ta ? a.rows : a.columns) == 0;
  return !empty && (ta ? a.columns : a.rows) == d.rows && (tb ? b.rows : b.columns) == d.columns &&
         (ta ? a.rows : a.columns) == (tb ? b.columns : b.rows) && a.order == d.order && b.order == d.order &&
         a.batch_count == d.batch_count && b.batch_count == d.batch_count;
}

bool same(const Layout &x, const Layout &y) {
  return x.order == y.order && x.batch_count == y.batch_count && x.rows == y.rows && x.columns == y.columns &&
         x.ld == y.ld && (x.stride == y.stride || x.batch_count == 1);
}

const char *check_c(const Matrices &x, const Layout &d, const float *beta) {
  if (beta != nullptr && *beta == 0) return nullptr;
  Layout c;
  int type = -1;
  if (x.c_layout == nullptr || !get(x.c_layout, kLtType, &type) || !read(x.c_layout, &c)) return "layout";
  return type == kCudaR32F && x.c == x.d && same(c, d) ? nullptr : "C apart from D";
}

void describe(void *descriptor, const Matrices &x, Product *p) {
  if (descriptor == nullptr) return p->refuse("argument not accepted");
  if (!read_types(x.a_layout, x.b_layout, x.d_layout, p)) return;
  int arithmetic = -1, scale = -1, pointer_mode = -1, transa = -1, transb = -1;
  if (!get(descriptor, kLtComputeType, &arithmetic) || !get(descriptor, kLtScaleType, &scale) ||
      !get(descriptor, kLtPointerMode, &pointer_mode) || !get(descriptor, kLtTransA, &transa) ||
      !get(descriptor, kLtTransB, &transb)) {
    return p->refuse("argument not accepted");
  }
  p->call.transa = op_of(transa);
  p->call.transb = op_of(transb);
  compute_type(p, arithmetic);
  Layout a, b, d;
  if (!read(x.a_layout, &a) || !read(x.b_layout, &b) || !read(x.d_layout, &d)) return p->refuse("layout");
  describe(x, a, b, d, p);
  if (scale != kCudaR32F) p->refuse("compute type");
  if (pointer_mode != kPointerModeHost) p->refuse("scalars on the device");
  if (!agree(*p, a, b, d)) p->refuse("layout");
  if (p->refusal != nullptr) return;
  if (const char *const why = extras(descriptor, d, p)) return p->refuse(why);
  if (const char *const why = check_c(x, d, p->beta)) p->refuse(why);
}

}  // namespace
}  // namespace libsgemm

extern "C" LIBSGEMM_API int cublasLtMatmul(libsgemm::VendorHandle handle, void *descriptor, const void *alpha,
                                           const void *a, void *a_layout, const void *b, void *b_layout,
                                           const void *beta, const void *c, void *c_layout, void *d, void *d_layout,
                                           const void *algorithm, void *workspace, size_t workspace_bytes,
                                           void *stream) {
  using namespace libsgemm;
  static Real<decltype(cublasLtMatmul)> real("cublasLtMatmul");
  const auto forward = [&] {
    return real(handle, descriptor, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algorithm,
                workspace, workspace_bytes, stream);
  };
  if (is_inside()) return forward();
  Product p("cublasLtMatmul", handle, Routine::gemm);
  p.from_lt = true;
  p.stream = stream;
  p.workspace = workspace;
  p.workspace_bytes = workspace_bytes;
  p.scalars(alpha, beta);
  if (handle == nullptr) p.refuse("handle that cuBLAS refuses");
  describe(descriptor, {a, b, c, d, a_layout, b_layout, c_layout, d_layout}, &p);
  return take(p, forward);
}
