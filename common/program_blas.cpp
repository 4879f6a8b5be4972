#include "program_blas.h"

#include <atomic>

#include "call.h"
#include "cpu_blas.h"
#include "gate.h"
#include "loader.h"
#include "log.h"

namespace libsgemm {
namespace {

std::atomic<const CpuBlas *> g_first{nullptr};

}  // namespace

const CpuBlas *program_blas() { return g_first.load(std::memory_order_acquire); }

}  // namespace libsgemm

const libsgemm::CpuBlas *libsgemm_private_find_blas(const libsgemm::CpuBlas *(*search)(const void *),
                                                    const void *argument, bool *searched) {
  using namespace libsgemm;
  *searched = false;
  const InGate gate;
  if (gate.ending()) return nullptr;
  try {
    library();  // opens the log
    const CpuBlas *const found = search(argument);
    *searched = true;
    if (found == nullptr) return nullptr;
    const CpuBlas *none = nullptr;
    g_first.compare_exchange_strong(none, found);
    log_message(1, [&] { return "the program's own BLAS: " + found->version + " (" + found->file + ")"; });
    return found;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
