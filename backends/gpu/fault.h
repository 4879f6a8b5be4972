// Injected faults for the tests. With LIBSGEMM_TEST_<backend>_FAULT="launch:3,allocate:1", the third launch and the
// first allocation of the process fail as if the runtime refused them; with "launch:3+", every third launch. open()
// reads the variable, except in set-user-id processes; only in builds with LIBSGEMM_FAULT_INJECTION.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// `object`: streams and events. `any`: each site before it. `lost`: a synchronization reports an illegal access, which
// loses the device. `flip`: a copy between host and device changes its first element.
enum class Site : int { allocate, pinned, memory, object, copy, launch, synchronize, any, lost, flip };
constexpr int kSiteCount = 10;

#if defined(LIBSGEMM_FAULT_INJECTION)

// An invalid variable gives UNAVAILABLE: a test must not rely on a fault that never occurs.
libsgemm_status_t read_faults(const char *variable, Error *error);

extern bool g_faults;
bool fails_now(Site site);

inline bool fails(Site site) { return g_faults && fails_now(site); }

#else

inline libsgemm_status_t read_faults(const char *, Error *) { return LIBSGEMM_SUCCESS; }
constexpr bool fails(Site) { return false; }

#endif

}  // namespace libsgemm::gpu
