// Injected faults for the tests. LIBSGEMM_TEST_<backend>_FAULT="launch:3,allocate:1" makes the third launch and the
// first allocation of the process fail as if the runtime had refused them; "launch:3+" every third launch. Read at
// open(), not in set-user-id processes; only in builds with LIBSGEMM_FAULT_INJECTION.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// `object`: creating a stream or an event, recording one, making a stream wait for it. `any`: each site before it.
// `lost`: a synchronization reports an illegal access, so that the device is lost. `flip`: a copy between host and
// device changes its first element.
enum class Site : int { allocate, pinned, memory, object, copy, launch, synchronize, any, lost, flip };
constexpr int kSiteCount = 10;

#if defined(LIBSGEMM_FAULT_INJECTION)

// UNAVAILABLE if the variable is invalid: a test must not rely on a fault that never occurs.
libsgemm_status_t read_faults(const char *variable, Error *error);

extern bool g_faults;  // any is set
bool fails_now(Site site);

inline bool fails(Site site) { return g_faults && fails_now(site); }

#else

inline libsgemm_status_t read_faults(const char *, Error *) { return LIBSGEMM_SUCCESS; }
constexpr bool fails(Site) { return false; }

#endif

}  // namespace libsgemm::gpu
