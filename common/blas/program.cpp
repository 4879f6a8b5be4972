// Where a name of a BLAS leads without the drop-in: to the next definition in the global scope; where there is none, to
// one among the libraries that the calling module needs, as in a Python extension; and as the last resort, since a call
// may come from code that was handed a function's address, to one anywhere in the process.
#include "blas/program.h"

#include <dlfcn.h>

#include "blas/objects.h"
#include "call.h"

namespace libsgemm {

std::atomic<const CpuBlas *> g_program_blas[kSpellingCount];
const CpuBlas kNoBlas = {};

namespace {

class Search {
 public:
  explicit Search(const Spelling &spelling)
      : spelling_(spelling), sgemm_(std::string(spelling.prefix) + "sgemm" + spelling.suffix) {}

  // The BLAS in which the definition at this address lies, which may be NULL.
  bool take(const void *definition) {
    const link_map *map = definition != nullptr ? object_of(definition) : nullptr;
    if (map == nullptr) return false;
    Object object = opened_object(map->l_name);
    std::string problem;
    if (object == nullptr || is_ours(*map, object.get())) return false;
    auto blas = std::make_unique<CpuBlas>();
    if (!resolve_blas(functions_of(object.get()), spelling_, file_of(*map), blas.get(), &problem)) return false;
    static_cast<void>(object.release());  // it stays loaded, as long as we call it
    found_ = blas.release();
    return true;
  }

  bool take_next() { return take(dlsym(RTLD_NEXT, sgemm_.c_str())); }

  // Among what an object needs, itself first.
  bool take_from(const char *name) {
    const Object object = opened_object(name);
    return object != nullptr && take(dlsym(object.get(), sgemm_.c_str()));
  }

  bool take_any() {
    for (const std::string &name : object_names()) {
      if (!name.empty() && take_from(name.c_str())) return true;
    }
    return false;
  }

  const CpuBlas *found() const { return found_; }

 private:
  const Spelling &spelling_;
  const std::string sgemm_;
  const CpuBlas *found_ = nullptr;
};

struct Question {
  int spelling;
  const void *caller;
};

const CpuBlas *search(const void *question) {
  const Question &q = *static_cast<const Question *>(question);
  Search search(kSpellings[q.spelling]);
  const link_map *const caller = object_of(q.caller);
  if (!search.take_next() && !(caller != nullptr && search.take_from(caller->l_name))) search.take_any();
  return search.found();
}

}  // namespace

const CpuBlas *find_program_blas(int spelling, const void *caller) {
  const Question question = {spelling, caller};
  bool searched = false;
  const CpuBlas *found = libsgemm_private_find_blas(search, &question, &searched);
  if (!searched) return &kNoBlas;  // for want of memory, or because the process is ending; the next call looks again
  if (found == nullptr) found = &kNoBlas;
  const CpuBlas *first = nullptr;
  // Of threads that searched at once, one finds it for all; the others' result is the same and is not worth freeing.
  return g_program_blas[spelling].compare_exchange_strong(first, found) ? found : first;
}

}  // namespace libsgemm
