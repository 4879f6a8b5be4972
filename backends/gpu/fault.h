// Injected faults for the tests. LIBSGEMM_TEST_<backend>_FAULT="launch:3,allocate:1" makes the third launch and the
// first allocation of the process fail as if the runtime had refused them; "launch:3+" every third launch. Read at
// open(), ignored in set-user-id processes. Only in builds for tests (LIBSGEMM_FAULT_INJECTION).
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// `object`: creating a stream or an event, recording an event, making a stream wait for it. `any`: each site listed
// before it. `lost`: a synchronization reports that a kernel has made an illegal access, so that the device is lost.
// `flip`: a copy between host and device succeeds, with other bits in its first element.
enum class Site : int { allocate, pinned, memory, object, copy, launch, synchronize, any, lost, flip };
constexpr int kSiteCount = 10;

#if defined(LIBSGEMM_FAULT_INJECTION)

// Reads the faults from the environment. UNAVAILABLE if the variable is invalid: a test must not rely on a fault that
// never occurs.
libsgemm_status_t read_faults(const char *variable, Error *error);

extern bool g_faults;  // true if any fault is set
bool fails_now(Site site);

// True if this call at the site is the one to fail.
inline bool fails(Site site) { return g_faults && fails_now(site); }

#else

inline libsgemm_status_t read_faults(const char *, Error *) { return LIBSGEMM_SUCCESS; }
constexpr bool fails(Site) { return false; }

#endif

}  // namespace libsgemm::gpu
