// Looks for a name where the dynamic linker does: in the global scope, then among the libraries of the calling object.
// Then it looks for sgemm in the same places, and at last in the whole process, because the calling code may hold a
// function's address.
#include "blas/program.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>

#include "blas/objects.h"
#include "call/call.h"

namespace libsgemm {

std::atomic<const Own *> g_own[1 << kOwnSlotBits];

namespace {

// One entry per name and calling object. An object loaded at the address of an unloaded one gets that one's BLAS.
std::atomic<const Own *> g_all{nullptr};

const Own *known(const char *entry, uintptr_t caller) {
  const Own *own = g_all.load(std::memory_order_acquire);
  while (own != nullptr && !own->is_for(entry, caller)) own = own->next;
  return own;
}

const Own *known_elsewhere(const char *entry) {
  const Own *own = g_all.load(std::memory_order_acquire);
  while (own != nullptr && !(own->entry == entry && own->end == 0)) own = own->next;
  return own;
}

// The same BLAS, found under another name or for another object, or NULL.
const CpuBlas *known_blas(const CpuBlas &blas) {
  for (const Own *own = g_all.load(std::memory_order_acquire); own != nullptr; own = own->next) {
    const CpuBlas *const other = own->blas;
    if (other != nullptr && other->gemm == blas.gemm && other->trsm == blas.trsm && other->syrk == blas.syrk &&
        other->file == blas.file) {
      return other;
    }
  }
  return nullptr;
}

struct Place {
  uintptr_t begin, end;
};

Place place_of(uintptr_t address) {
  struct Search {
    uintptr_t address;
    Place found;
  } search = {address, {0, 0}};
  const auto look = [](dl_phdr_info *object, size_t, void *data) {
    Search &s = *static_cast<Search *>(data);
    Place place = {UINTPTR_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr) &segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      place.begin = std::min(place.begin, object->dlpi_addr + segment.p_vaddr);
      place.end = std::max(place.end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
    if (s.address < place.begin || s.address >= place.end) return 0;
    s.found = place;
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

class Search {
 public:
  Search(const Spelling &spelling, const void *caller)
      : spelling_(spelling),
        caller_(object_of(caller)),
        sgemm_(std::string(spelling.prefix) + "sgemm" + spelling.suffix) {}

  void *definition(const std::string &name) const {
    void *const next = others(dlsym(RTLD_NEXT, name.c_str()));
    return next != nullptr || caller_ == nullptr ? next : definition_for(caller_->l_name, name);
  }

  // False: the function's object is no BLAS, or some routines are missing.
  bool take(void *function) {
    const link_map *const map = function != nullptr ? object_of(function) : nullptr;
    if (map == nullptr) return false;
    Object object = opened_object(map->l_name);
    if (object == nullptr) return false;
    std::string problem;
    auto blas = std::make_unique<CpuBlas>();
    if (!resolve_blas(functions_of(object.get()), spelling_, file_of(*map), blas.get(), &problem)) return false;
    found_ = known_blas(*blas);
    if (found_ != nullptr) return true;
    static_cast<void>(object.release());  // never unloaded while we may call it
    found_ = new_ = blas.release();
    return true;
  }

  void take_by_sgemm() {
    if (take(definition(sgemm_))) return;
    for (const std::string &name : object_names()) {
      if (!name.empty() && take(definition_for(name.c_str(), sgemm_))) return;
    }
  }

  const CpuBlas *found() const { return found_; }
  const CpuBlas *found_now() const { return new_; }

 private:
  // Returns NULL for libsgemm's own functions.
  static void *others(void *function) {
    const link_map *const map = function != nullptr ? object_of(function) : nullptr;
    if (map == nullptr) return nullptr;
    const Object object = opened_object(map->l_name);
    return object != nullptr && !is_ours(*map, object.get()) ? function : nullptr;
  }

  static void *definition_for(const char *object_name, const std::string &name) {
    const Object object = opened_object(object_name);
    return object != nullptr ? others(dlsym(object.get(), name.c_str())) : nullptr;
  }

  const Spelling &spelling_;
  const link_map *const caller_;
  const std::string sgemm_;
  const CpuBlas *found_ = nullptr, *new_ = nullptr;
};

struct Question {
  const char *entry;
  int spelling;
  const void *caller;
  const Own *answer;
};

// Threads that search at the same time find the same results independently.
const CpuBlas *answer(void *question) {
  Question &q = *static_cast<Question *>(question);
  Search search(kSpellings[q.spelling], q.caller);
  const Place place = place_of(reinterpret_cast<uintptr_t>(q.caller));
  auto own = std::make_unique<Own>(Own{place.begin, place.end, q.entry, nullptr, search.definition(q.entry), nullptr});
  if (own->definition == nullptr) {
    search.take_by_sgemm();
  } else if (!search.take(own->definition)) {
    // It will be called: its object stays loaded.
    static_cast<void>(opened_object(object_of(own->definition)->l_name).release());
  }
  own->blas = search.found();
  own->next = g_all.load();
  while (!g_all.compare_exchange_weak(own->next, own.get())) continue;
  q.answer = own.release();
  return search.found_now();
}

}  // namespace

const Own &find_own(const char *entry, int spelling, const void *caller) {
  static constexpr Own kNothing = {};
  const auto at = reinterpret_cast<uintptr_t>(caller);
  const Own *own = known(entry, at);
  if (own == nullptr && place_of(at).end == 0) own = known_elsewhere(entry);
  if (own == nullptr) {
    Question question = {entry, spelling, caller, nullptr};
    // Memory is short, or the process ends: the next call searches again.
    if (!libsgemm_private_find_blas(answer, &question)) return kNothing;
    own = question.answer;
  }
  own_slot(entry, at).store(own, std::memory_order_release);
  return *own;
}

}  // namespace libsgemm
