// Dense copies of C's columns in memory mapped for the call.
#include "undo.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include "host_matrix.h"

namespace libsgemm {

namespace {

constexpr size_t kMostKept = size_t{64} << 20;

// Memory that a call has touched, for the next one: new pages cost more than what is copied there.
struct Kept {
  std::mutex mutex;
  void *memory = nullptr;
  size_t bytes = 0;

  // Puts one in the place of another, which is given back.
  void exchange(void *other, size_t other_bytes) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      std::swap(memory, other);
      std::swap(bytes, other_bytes);
    }
    if (other != nullptr) munmap(other, other_bytes);
  }
  // NULL if there is none so large.
  void *take(size_t *wanted) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (bytes < *wanted) return nullptr;
    *wanted = bytes;
    bytes = 0;
    return std::exchange(memory, nullptr);
  }
};

Kept &kept() {
  static Kept *instance = new Kept;
  return *instance;
}

}  // namespace

void release_undo_memory() { kept().exchange(nullptr, 0); }

Undo::~Undo() {
  if (memory_ == nullptr) return;
  if (bytes_ <= kMostKept) {
    kept().exchange(memory_, bytes_);
  } else {
    munmap(memory_, bytes_);
  }
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
  madvise(memory, bytes_, MADV_HUGEPAGE);  // only for speed
  memory_ = static_cast<float *>(memory);
  return true;
}

namespace {

// Whole columns of C that nobody has touched yet, as of a result that was allocated for this call: pages for them at
// once. Otherwise reading them here would map the page of zeros everywhere, and every first write would take it away
// again, in the way of all threads: 4096 x 4096 took 40 ms instead of 20 on an H100's host. What is there stays as it
// is; that memory is about to be written anyway.
void provide_pages(const GemmDesc &d, const Region &r) {
#ifdef MADV_POPULATE_WRITE
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const bool dense = static_cast<uintptr_t>(d.ldc - d.m) * sizeof(float) < page;
  if (r.row != 0 || !dense || stored_c(d).part != Stored::all) return;
  const auto first = reinterpret_cast<uintptr_t>(d.c + r.col * d.ldc);
  const auto last = reinterpret_cast<uintptr_t>(d.c + (r.col + r.cols - 1) * d.ldc + d.m);
  const uintptr_t begin = (first + page - 1) & ~(page - 1), end = last & ~(page - 1);
  if (begin >= end) return;
  auto *memory = reinterpret_cast<void *>(begin);
  unsigned char there = 1;
  if (mincore(memory, page, &there) == 0 && (there & 1) == 0) madvise(memory, end - begin, MADV_POPULATE_WRITE);
#else
  (void)d;
  (void)r;
#endif
}

}  // namespace

void Undo::copy(const GemmDesc &desc, const Region &r, bool save) const {
  const GemmDesc d = batch_item(desc, r.item);
  const Stored c = stored_c(d);
  if (save) provide_pages(d, r);
  for (int64_t j = r.col; j < r.col + r.cols; ++j) {
    const RowRange rows = rows_of_part(c, j, r.row, r.row + r.rows);
    if (rows.first >= rows.last) continue;
    float *column = d.c + j * d.ldc + rows.first;
    float *saved = memory_ + (r.item * d.n + j) * d.m + rows.first;
    const size_t bytes = static_cast<size_t>(rows.last - rows.first) * sizeof(float);
    std::memcpy(save ? saved : column, save ? column : saved, bytes);
  }
}

}  // namespace libsgemm
