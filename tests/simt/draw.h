// Cases for a kernel that the CPU emulates: the suite's, made small, and others with sizes around the tile's.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gpu/kernels.h"
#include "gpu/splits/split_kernel.h"
#include "simt/fibers/job.h"

namespace sgemm_test {

struct CodeKernels {
  std::string code;
  std::vector<Kernel> kernels;
};

// A kernel's name without its tile.
inline std::string kind_of(const Kernel &kernel) {
  std::string kind;
  for (const char *c = kernel.name; *c != '\0'; ++c) {
    int length = 0;
    std::sscanf(c, "_%*dx%*dx%*d%n", &length);
    c += length;
    if (*c == '\0') break;
    kind += *c;
  }
  return kind;
}

// The table's kernels by device code. SIMT_KERNELS selects some of each code: I/N every N-th from number I on, kinds
// the last of those whose names differ only in the tile.
inline std::vector<CodeKernels> kernels_by_code(bool convolutions) {
  const char *const which = std::getenv("SIMT_KERNELS");
  int part = 0, parts = 1;
  if (which != nullptr) std::sscanf(which, "%d/%d", &part, &parts);
  std::vector<CodeKernels> found;
  int at = 0;
  for (int i = 0; i < libsgemm::gpu::kernel_count(); ++i) {
    const Kernel &kernel = libsgemm::gpu::kernels()[i];
    if ((kernel.conv != nullptr) != convolutions) continue;
    const bool fast = kernel.math_mode == LIBSGEMM_MATH_FP32_FAST;  // not on all GPUs of its device code
    if (fast && !convolutions && !libsgemm::gpu::has_splits(kernel.math_mode, 0)) continue;
    if (found.empty() || found.back().code != kernel.code) found.push_back({kernel.code, {}}), at = 0;
    std::vector<Kernel> &kernels = found.back().kernels;
    if (which != nullptr && std::string(which) == "kinds") {
      const auto same = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const Kernel &other) { return kind_of(other) == kind_of(kernel); });
      if (same != kernels.end()) kernels.erase(same);
    }
    if (at++ % parts == part) kernels.push_back(kernel);
  }
  return found;
}

struct Tile {
  int64_t m = 16, n = 16, k = 16;
  explicit Tile(const std::string &row) {
    for (size_t at = row.find('_'); at != std::string::npos; at = row.find('_', at + 1)) {
      long long x, y, z;
      if (std::sscanf(row.c_str() + at, "_%lldx%lldx%lld", &x, &y, &z) == 3) m = x, n = y, k = z;
    }
  }
};

inline void set_size(int64_t m, int64_t n, int64_t k, Case *test) {
  test->m = m;
  test->n = n;
  test->k = k;
  fit_sizes(test);
}

inline std::vector<Case> small_cases(Routine routine) {
  constexpr int64_t kMost = 20;
  std::vector<Case> cases;
  for (Case test : cases_of(routine)) {
    if (needs_no_backend(test)) continue;
    if (test.m * test.n * test.k > kMost * kMost * kMost) {
      set_size(std::min(test.m, kMost), std::min(test.n, kMost), std::min(test.k, kMost), &test);
    }
    cases.push_back(test);
  }
  return cases;
}

class Draw {
 public:
  Draw(const Tile &tile, Routine routine) : tile_(tile), random_(2026), table_(small_cases(routine)) {}

  const std::vector<Case> &table() const { return table_; }
  Case small() { return aligned_or_not(pick(table_)); }
  Case around_tile() {
    Case test = pick(table_);
    const int64_t k = around(tile_.k) + (random_.integer(0, 3) == 0 ? 3 * tile_.k : 0);
    set_size(around(tile_.m), around(tile_.n), k, &test);
    return aligned_or_not(test);
  }

 private:
  // In half of the cases all columns of A and B start at multiples of 16 bytes.
  Case aligned_or_not(Case test) {
    if (random_.integer(0, 1) == 0) return test;
    const GemmDesc desc = outline(test, Form::kSingle, 1);
    test.padding.a += static_cast<int>(whole_chunks(desc.lda) - desc.lda);
    test.padding.b += static_cast<int>(whole_chunks(desc.ldb) - desc.ldb);
    test.offset = 0;
    return test;
  }
  template <typename T>
  T pick(const std::vector<T> &choices) {
    return choices[static_cast<size_t>(random_.integer(0, static_cast<int>(choices.size()) - 1))];
  }
  int64_t around(int64_t size) {
    return std::max<int64_t>(
        1, pick(std::vector<int64_t>{size - 1, size, size + 1, size / 2 + 1, size / 2 + 4, 2 * size + 3, 1}));
  }

  Tile tile_;
  Random random_;
  std::vector<Case> table_;
};

}  // namespace sgemm_test
