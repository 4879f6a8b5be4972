#include "entries.h"

#include "support/call.h"
#include "support/faults.h"

extern "C" {
void cblas_strsm(int, int, int, int, int, int, int, float, const float *, int, float *, int);
void cblas_sgemm_batch(int, const int *, const int *, const int *, const int *, const int *, const float *,
                       const float *const *, const int *, const float *const *, const int *, const float *,
                       float *const *, const int *, int, const int *);
void cblas_sgemm_batch_strided(int, int, int, int, int, int, float, const float *, int, int, const float *, int, int,
                               float, float *, int, int, int);
void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *, const float *,
            const int *, const float *, const int *, const float *, float *, const int *);
void ssyrk_(const char *, const char *, const int *, const int *, const float *, const float *, const int *,
            const float *, float *, const int *);
}

namespace sgemm_test {
namespace {

Args legal(Routine routine, Data *x) {
  Args args;
  args.m = args.n = args.k = kN;
  args.a = args.b = x->A();
  args.c = x->C();
  args.lda = args.ldb = args.ldc = kN;
  args.beta = 1;
  if (single_of(routine) != routine) {
    args.m = args.n = args.k = args.lda = args.ldb = args.ldc = kN / 2;
    args.stride_c = kN / 2 * args.ldc;
    args.batch_count = 2;
  }
  return args;
}

void add_routines(Entries *entries) {
  std::vector<Routine> routines = kSingleRoutines;
  routines.insert(routines.end(), kStridedRoutines.begin(), kStridedRoutines.end());
  for (const Routine routine : routines) {
    const std::string name = entry_name(routine);
    entries->push_back(
        {name, LIBSGEMM_SUCCESS, [=](Data *x, libsgemm_handle_t) { return call(routine, legal(routine, x)); }});
    entries->push_back({name + "_h", LIBSGEMM_SUCCESS,
                        [=](Data *x, libsgemm_handle_t h) { return call(routine, h, legal(routine, x)); }, true});
    static Data none(false);  // never touched
    const std::vector<Fault> faults = faults_of(routine, legal(routine, &none), {});
    for (size_t i = 0; i < faults.size(); i += 5) {
      const Args args = faults[i].args;
      entries->push_back({name + ", " + faults[i].parameter + " " + faults[i].label, LIBSGEMM_INVALID_ARGUMENT,
                          [=](Data *, libsgemm_handle_t) { return call(routine, args); }});
    }
  }
}

int batch(Data *x, libsgemm_handle_t h, int64_t m, bool through_cblas) {
  static const float *a[2];  // stream work may read it later
  static float *c[2];
  a[0] = a[1] = x->A();
  c[0] = x->C();
  c[1] = x->C() + kCount / 2;
  if (through_cblas) {
    const int op = 111, size = static_cast<int>(m), twenty = 20, ld = kN, count = 2;
    const float one = 1;
    cblas_sgemm_batch(102, &op, &op, &size, &twenty, &twenty, &one, a, &ld, a, &ld, &one, c, &ld, 1, &count);
    return kVoid;
  }
  const libsgemm_op_t op = LIBSGEMM_NO_TRANS;
  const int64_t twenty = 20, ld = kN, count = 2;
  const float one = 1;
  BatchArgs args;
  args.transa = args.transb = &op;
  args.m = &m, args.n = args.k = &twenty;
  args.alpha = args.beta = &one;
  args.a = args.b = reinterpret_cast<const void *const *>(a);
  args.c = c;
  args.lda = args.ldb = args.ldc = &ld;
  args.group_count = 1;
  args.group_size = &count;
  return h != nullptr ? call_batch(Element::kFloat, h, args) : call_batch(Element::kFloat, args);
}

void add_batches(Entries *entries) {
  entries->push_back(
      {"batch", LIBSGEMM_SUCCESS, [](Data *x, libsgemm_handle_t) { return batch(x, nullptr, 20, false); }});
  entries->push_back(
      {"batch_h", LIBSGEMM_SUCCESS, [](Data *x, libsgemm_handle_t h) { return batch(x, h, 20, false); }, true});
  entries->push_back({"batch, m -1", LIBSGEMM_INVALID_ARGUMENT,
                      [](Data *x, libsgemm_handle_t) { return batch(x, nullptr, -1, false); }});
}

constexpr int ok = LIBSGEMM_SUCCESS, bad = LIBSGEMM_INVALID_ARGUMENT;

auto adder_to(Entries *entries) {
  return [entries](const char *name, int expected, int (*run)(Data *, libsgemm_handle_t), bool handle = true) {
    entries->push_back({name, expected, run, handle});
  };
}

void add_settings(Entries *entries) {
  const auto add = adder_to(entries);
  add(
      "create", ok,
      [](Data *, libsgemm_handle_t) -> int {
        libsgemm_handle_t h = nullptr;
        const libsgemm_status_t status = libsgemm_create(&h);
        if (status != LIBSGEMM_SUCCESS) return status;
        return libsgemm_destroy(h);
      },
      false);
  add("set_stream", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_stream(h, nullptr); });
  add(
      "set_stream NULL", LIBSGEMM_INVALID_HANDLE,
      [](Data *, libsgemm_handle_t) -> int { return libsgemm_set_stream(nullptr, nullptr); }, false);
  add("set_workspace", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_workspace(h, nullptr, 0); });
  add("set_workspace, bad", bad, [](Data *x, libsgemm_handle_t h) -> int {
    return libsgemm_set_workspace(h, reinterpret_cast<char *>(x) + 1, 1);
  });
  add("set_math_mode", ok,
      [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_math_mode(h, LIBSGEMM_MATH_FP32); });
  add("set_math_mode, bad", bad, [](Data *, libsgemm_handle_t h) -> int {
    return libsgemm_set_math_mode(h, static_cast<libsgemm_math_mode_t>(8));
  });
  add("set_backend", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_backend(h, "cuda,ref"); });
  add("set_backend, NULL", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_backend(h, nullptr); });
  add("set_backend, bad", bad,
      [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_backend(h, "a backend with a long name"); });
  add("set_kernel", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_kernel(h, ""); });
  add("set_kernel, bad", bad,
      [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_kernel(h, "a kernel with a long name"); });
  add("set_verify", ok, [](Data *, libsgemm_handle_t h) -> int {
    return libsgemm_set_verify(h, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN);
  });
  add("set_verify, bad", bad, [](Data *, libsgemm_handle_t h) -> int {
    return libsgemm_set_verify(h, static_cast<libsgemm_verify_t>(3), LIBSGEMM_VERIFY_WARN);
  });
  add("synchronize", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_synchronize(h); });
}

void add_plans(Entries *entries) {
  const auto add = adder_to(entries);
  add("plan", ok, [](Data *x, libsgemm_handle_t h) -> int {
    libsgemm_set_math_mode(h, LIBSGEMM_MATH_BF16X6);
    libsgemm_plan_t plan = nullptr;
    const libsgemm_status_t status =
        libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, kN, kN, x->A(), kN, &plan);
    return status != LIBSGEMM_SUCCESS ? status : libsgemm_plan_destroy(plan);
  });
  add("plan, bad", bad, [](Data *x, libsgemm_handle_t h) -> int {
    libsgemm_plan_t plan = nullptr;
    return libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, -1, kN, x->A(), kN, &plan);
  });
  add("plan_destroy, bad", bad,
      [](Data *x, libsgemm_handle_t) -> int { return libsgemm_plan_destroy(reinterpret_cast<libsgemm_plan_t>(x)); });
}

void add_functions(Entries *entries) {
  const auto add = adder_to(entries);
  add(
      "get_memory", ok,
      [](Data *, libsgemm_handle_t) -> int {
        libsgemm_memory_t memory;
        return libsgemm_get_memory(&memory);
      },
      false);
  add(
      "set_memory_limits", ok, [](Data *, libsgemm_handle_t) -> int { return libsgemm_set_memory_limits(0, 0); },
      false);
  add(
      "release_memory", ok, [](Data *, libsgemm_handle_t) -> int { return libsgemm_release_memory(); }, false);
  add(
      "backend_describe", ok,
      [](Data *, libsgemm_handle_t) -> int {
        libsgemm_status_t status = LIBSGEMM_SUCCESS;
        libsgemm_backend_info_t info;
        for (int i = 0; i < libsgemm_backend_count() && status == LIBSGEMM_SUCCESS; ++i)
          status = libsgemm_backend_describe(i, &info);
        return status;
      },
      false);
  add(
      "device_describe", ok,
      [](Data *, libsgemm_handle_t) -> int {
        libsgemm_device_info_t info;
        return libsgemm_device_describe(libsgemm_backend_count() - 1, 0, &info);
      },
      false);
  add(
      "kernel_name", kVoid,
      [](Data *, libsgemm_handle_t) -> int {
        for (int i = 0; i < libsgemm_backend_count(); ++i) libsgemm_kernel_name(i, 0);
        return kVoid;
      },
      false);
  add(
      "last_info", kVoid,
      [](Data *x, libsgemm_handle_t) -> int {
        call(Routine::kSgemm, legal(Routine::kSgemm, x));
        libsgemm_info_t info;
        libsgemm_last_info(&info);
        return kVoid;
      },
      false);
}

void add_drop_in(Entries *entries) {
  const auto add = [entries](const char *name, void (*run)(Data *), bool in_parts = false) {
    entries->push_back({name, kVoid,
                        [run](Data *x, libsgemm_handle_t) {
                          run(x);
                          return kVoid;
                        },
                        false, in_parts});
  };
  add("cblas_sgemm", [](Data *x) { cblas_sgemm(102, 111, 111, kN, kN, kN, 1, x->A(), kN, x->A(), kN, 1, x->C(), kN); });
  add("cblas_sgemm, m -1",
      [](Data *x) { cblas_sgemm(102, 111, 111, -1, kN, kN, 1, x->A(), kN, x->A(), kN, 1, x->C(), kN); });
  add("cblas_strsm", [](Data *x) { cblas_strsm(102, 141, 121, 111, 131, kN, kN, 1, x->A(), kN, x->C(), kN); });
  add("cblas_strsm, uplo 0", [](Data *x) { cblas_strsm(102, 141, 0, 111, 131, kN, kN, 1, x->A(), kN, x->C(), kN); });
  add("cblas_sgemm_batch", [](Data *x) { batch(x, nullptr, 20, true); });
  // The first group (k = 0) needs no memory.
  add(
      "cblas_sgemm_batch, two groups",
      [](Data *x) {
        const int op[2] = {111, 111}, twenty[2] = {20, 20}, depth[2] = {0, 20}, ld[2] = {kN, kN}, one[2] = {1, 1};
        const float alpha[2] = {1, 1}, beta[2] = {2, 1};
        const float *a[2] = {x->A(), x->A()};
        float *c[2] = {x->C(), x->C() + kCount / 2};
        cblas_sgemm_batch(102, op, op, twenty, twenty, depth, alpha, a, ld, a, ld, beta, c, ld, 2, one);
      },
      true);
  add("cblas_sgemm_batch, m -1", [](Data *x) { batch(x, nullptr, -1, true); });
  add("cblas_sgemm_batch_strided", [](Data *x) {
    cblas_sgemm_batch_strided(102, 111, 111, 20, 20, 20, 1, x->A(), kN, 0, x->A(), kN, 0, 1, x->C(), kN, kCount / 2, 2);
  });
  const auto fortran = [](Data *x, int n) {
    const float one = 1;
    const int k = kN;
    sgemm_("N", "t", &n, &k, &k, &one, x->A(), &k, x->A(), &k, &one, x->C(), &k);
  };
  entries->push_back({"sgemm_", kVoid, [=](Data *x, libsgemm_handle_t) {
                        fortran(x, kN);
                        return kVoid;
                      }});
  entries->push_back({"sgemm_, m -1", kVoid, [=](Data *x, libsgemm_handle_t) {
                        fortran(x, -1);
                        return kVoid;
                      }});
  add("ssyrk_", [](Data *x) {
    const float one = 1;
    const int k = kN;
    ssyrk_("U", "N", &k, &k, &one, x->A(), &k, &one, x->C(), &k);
  });
}

}  // namespace

Entries all_entries() {
  Entries entries;
  add_routines(&entries);
  add_batches(&entries);
  add_settings(&entries);
  add_plans(&entries);
  add_functions(&entries);
  add_drop_in(&entries);
  return entries;
}

}  // namespace sgemm_test
