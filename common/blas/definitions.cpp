// Follows the generic ELF ABI and GNU's hash table.
#include "blas/definitions.h"

#include <elf.h>

#include <cstring>

namespace libsgemm {
namespace {

struct Tables {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const uint32_t *hash = nullptr;
};

template <typename T>
T *object_at(ElfW(Addr) address) {
  return reinterpret_cast<T *>(address);  // NOLINT(performance-no-int-to-ptr): the loader gives addresses as numbers
}

// glibc replaces offsets by addresses when it loads an object, except in the kernel's vDSO.
template <typename T>
const T *located(const dl_phdr_info &object, const ElfW(Dyn) & entry) {
  const ElfW(Addr) at = entry.d_un.d_ptr;
  return object_at<const T>(at < object.dlpi_addr ? object.dlpi_addr + at : at);
}

Tables tables_of(const dl_phdr_info &object) {
  Tables tables;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto *entry = object_at<const ElfW(Dyn)>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_SYMTAB) tables.symbols = located<ElfW(Sym)>(object, *entry);
      if (entry->d_tag == DT_STRTAB) tables.names = located<char>(object, *entry);
      if (entry->d_tag == DT_GNU_HASH) tables.hash = located<uint32_t>(object, *entry);
    }
  }
  return tables;
}

uint32_t hash_of(const char *name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = 33 * hash + static_cast<unsigned char>(*name);
  return hash;
}

}  // namespace

void *function_defined_in(const dl_phdr_info &object, const char *name) {
  const Tables tables = tables_of(object);
  if (tables.symbols == nullptr || tables.names == nullptr || tables.hash == nullptr) return nullptr;
  // Head of the table: buckets, first symbol, words of a filter (not used here), its shift.
  const uint32_t buckets = tables.hash[0], first = tables.hash[1], filter_words = tables.hash[2];
  const uint32_t *const bucket = tables.hash + 4 + filter_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t *const chain = bucket + buckets;  // hashes from symbol `first` on; the last bit ends a bucket
  const uint32_t hash = hash_of(name);
  if (buckets == 0 || bucket[hash % buckets] < first) return nullptr;
  for (uint32_t i = bucket[hash % buckets];; ++i) {
    const ElfW(Sym) &symbol = tables.symbols[i];
    const bool is_function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
    if ((chain[i - first] | 1) == (hash | 1) && is_function && std::strcmp(tables.names + symbol.st_name, name) == 0) {
      return object_at<void>(object.dlpi_addr + symbol.st_value);
    }
    if ((chain[i - first] & 1) != 0) return nullptr;
  }
}

}  // namespace libsgemm
