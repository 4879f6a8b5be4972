// Uses MADV_POPULATE_WRITE (Linux 5.14), for pages of whole columns of C.
#include "pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace libsgemm {

#ifdef MADV_POPULATE_WRITE
namespace {

struct Pages {
  char *begin = nullptr;
  size_t bytes = 0;
};

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// Pages that hold only these columns. None if they are not whole, or the gap between them is a page or more.
Pages pages_of(const GemmDesc &desc, const Block &r) {
  const GemmDesc d = batch_item(desc, r.item);
  const size_t page = page_size();
  const bool dense = static_cast<size_t>(d.ldc - d.m) * sizeof(float) < page;
  if (r.row != 0 || !dense || stored_c(d).part != Stored::all) return {};
  char *const first = reinterpret_cast<char *>(d.c + r.col * d.ldc);
  char *const begin = first + (page - reinterpret_cast<uintptr_t>(first) % page) % page;
  char *const last = reinterpret_cast<char *>(d.c + (r.col + r.cols - 1) * d.ldc + d.m);
  if (last - begin < static_cast<std::ptrdiff_t>(page)) return {};
  return {begin, static_cast<size_t>(last - begin) / page * page};
}

bool absent(char *page) {
  unsigned char there = 1;
  return mincore(page, page_size(), &there) == 0 && (there & 1) == 0;
}

}  // namespace

// The first page may exist: an allocator has written before it, in the same huge page.
bool lacks_pages(const GemmDesc &desc, const Block &r) {
  const Pages pages = pages_of(desc, r);
  return pages.bytes > 0 && (absent(pages.begin) || absent(pages.begin + pages.bytes - page_size()));
}

void provide_pages(const GemmDesc &desc, const Block &r) {
  const Pages pages = pages_of(desc, r);
  if (pages.bytes > 0 && absent(pages.begin)) madvise(pages.begin, pages.bytes, MADV_POPULATE_WRITE);
}
#else
bool lacks_pages(const GemmDesc &, const Block &) { return false; }
void provide_pages(const GemmDesc &, const Block &) {}
#endif

}  // namespace libsgemm
