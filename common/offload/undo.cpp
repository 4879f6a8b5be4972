#include "undo.h"

#include <sys/mman.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <vector>

#include "matrix/host_matrix.h"
#include "process/immortal.h"

namespace libsgemm {

namespace {

// Memory touched by earlier calls: new pages cost more than the copy into them. The kernel may take pages of large
// pieces back when memory is short.
class Kept {
 public:
  // `bytes` becomes the piece's size. NULL: none is large enough; the largest is released to make room.
  void *take(size_t *bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto fits = std::find_if(idle_.begin(), idle_.end(), [&](const Piece &p) { return p.bytes >= *bytes; });
    if (fits == idle_.end()) {
      drop_largest();
      return nullptr;
    }
    const Piece piece = *fits;
    idle_.erase(fits);
    *bytes = piece.bytes;
    return piece.memory;
  }

  void give(void *memory, size_t bytes) {
#ifdef MADV_FREE
    if (bytes >= kWorthAsking) madvise(memory, bytes, MADV_FREE);
#endif
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      const auto place = std::find_if(idle_.begin(), idle_.end(), [&](const Piece &p) { return p.bytes >= bytes; });
      idle_.insert(place, {memory, bytes});
    } catch (const std::bad_alloc &) {
      munmap(memory, bytes);
    }
    shrink(most_);
  }

  void release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    shrink(0);
  }

 private:
  struct Piece {
    void *memory;
    size_t bytes;
  };

  static constexpr size_t kWorthAsking = size_t{64} << 20;

  void drop_largest() {
    if (idle_.empty()) return;
    munmap(idle_.back().memory, idle_.back().bytes);
    idle_.pop_back();
  }

  void shrink(size_t most) {
    const auto all = [&] {
      return std::accumulate(idle_.begin(), idle_.end(), size_t{0},
                             [](size_t sum, const Piece &p) { return sum + p.bytes; });
    };
    while (all() > most) drop_largest();
  }

  std::mutex mutex_;
  std::vector<Piece> idle_;  // ascending
  const size_t most_ = std::min(
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 16 * static_cast<size_t>(sysconf(_SC_PAGESIZE)), size_t{1} << 30);
};

Kept &kept() { return immortal<Kept>(); }

}  // namespace

void release_undo_memory() { kept().release(); }

Undo::~Undo() {
  if (memory_ != nullptr) kept().give(memory_, bytes_);
}

bool Undo::reserve(const GemmDesc &d) {
  size_t count = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(d.m) * static_cast<size_t>(d.n), static_cast<size_t>(d.batch_count),
                             &count) ||
      __builtin_mul_overflow(count, sizeof(float), &bytes_)) {
    return false;
  }
  memory_ = static_cast<float *>(kept().take(&bytes_));
  if (memory_ != nullptr) return true;
  void *memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  madvise(memory, bytes_, MADV_HUGEPAGE);
  memory_ = static_cast<float *>(memory);
  return true;
}

namespace {

// Flushes memory that was only read. Otherwise a device's writes flush it line by line, far slower
// (docs/kernels/offload.md).
#ifdef __x86_64__
__attribute__((target("clflushopt"))) void flush(char *first, size_t bytes) {
  constexpr size_t kLine = 64;
  for (size_t at = 0; at < bytes; at += kLine) _mm_clflushopt(first + at);
  _mm_clflushopt(first + bytes - 1);
}

bool can_flush() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}

void leave_caches(float *first, size_t bytes) {
  static const bool can = can_flush();
  if (can) flush(reinterpret_cast<char *>(first), bytes);
}
#else
void leave_caches(float *, size_t) {}
#endif

template <typename Visit>
void for_columns(const GemmDesc &desc, const Block &r, float *copies, const Visit &visit) {
  const GemmDesc d = batch_item(desc, r.item);
  const Stored c = stored_c(d);
  for (int64_t j = r.col; j < r.col + r.cols; ++j) {
    const RowRange rows = rows_of_part(c, j, r.row, r.row + r.rows);
    if (rows.first >= rows.last) continue;
    visit(d.c + j * d.ldc + rows.first, copies + (r.item * d.n + j) * d.m + rows.first,
          static_cast<size_t>(rows.last - rows.first) * sizeof(float));
  }
}

}  // namespace

void Undo::save(const GemmDesc &desc, const Block &r, bool for_device) const {
  for_columns(desc, r, memory_, [for_device](float *column, float *copy, size_t bytes) {
    std::memcpy(copy, column, bytes);
    if (for_device) leave_caches(column, bytes);
  });
}

void Undo::restore(const GemmDesc &desc, const Block &r) const {
  for_columns(desc, r, memory_,
              [](float *column, const float *copy, size_t bytes) { std::memcpy(column, copy, bytes); });
}

}  // namespace libsgemm
