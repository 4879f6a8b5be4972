#include "program_blas.h"

#include <cxxabi.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "call.h"
#include "contract/cpu_blas.h"
#include "process/gate.h"
#include "process/loader.h"
#include "process/log.h"
#include "process/stats.h"

namespace libsgemm {
namespace {

std::atomic<const CpuBlas *> g_first{nullptr};

}  // namespace

const CpuBlas *program_blas() { return g_first.load(std::memory_order_acquire); }

}  // namespace libsgemm

bool libsgemm_private_find_blas(const libsgemm::CpuBlas *(*search)(void *), void *argument) {
  using namespace libsgemm;
  const InGate gate;
  if (gate.ending()) return false;
  try {
    library();  // opens the log
    const CpuBlas *const found = search(argument);
    if (found == nullptr) return true;
    const CpuBlas *none = nullptr;
    const uint32_t computes = library().env.cpu_blas.empty() ? uint32_t{StatsBlas::kComputes} : 0;
    const uint32_t lapack = found->has_lapack ? uint32_t{StatsBlas::kHasLapack} : 0;
    stats_note_blas(found->version.c_str(), found->file.c_str(), StatsBlas::kOwn | computes | lapack);
    g_first.compare_exchange_strong(none, found);
    log_message(1, [&] { return "the program's own BLAS: " + found->version + " (" + found->file + ")"; });
    return true;
  } catch (const abi::__forced_unwind &) {  // see protect()
    throw;
  } catch (...) {
    return false;
  }
}

void libsgemm_private_note_blas(const char *version, const char *file, bool has_lapack) {
  using namespace libsgemm;
  const char *const directory = secure_getenv("LIBSGEMM_STATS_DIR");
  if (directory == nullptr) return;
  try {
    stats_open(directory);
  } catch (const std::bad_alloc &) {
    return;
  }
  stats_note_blas(version, file, has_lapack ? uint32_t{StatsBlas::kHasLapack} : 0);
}
