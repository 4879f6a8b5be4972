// Finds a library's thread-local segment through the dynamic linker.
#include "shared_image.h"

#include <link.h>

#include <cstdint>
#include <cstring>

namespace simt {
namespace {

struct Search {
  ElfW(Addr) address;
  SharedImage found;
};

int visit(dl_phdr_info *info, size_t, void *data) {
  auto *search = static_cast<Search *>(data);
  bool here = false;
  size_t bytes = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    const ElfW(Addr) start = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && search->address - start < header.p_memsz) here = true;
    if (header.p_type == PT_TLS) bytes = header.p_memsz;
  }
  if (!here) return 0;
  const bool library = info->dlpi_name != nullptr && info->dlpi_name[0] != '\0';
  if (library && info->dlpi_tls_data != nullptr) search->found = {static_cast<char *>(info->dlpi_tls_data), bytes};
  return 1;
}

}  // namespace

SharedImage static_shared(const void *kernel) {
  Search search = {reinterpret_cast<ElfW(Addr)>(kernel), {}};
  dl_iterate_phdr(visit, &search);
  return search.found;
}

void poison(void *memory, size_t bytes) { std::memset(memory, 0xff, bytes); }

}  // namespace simt
