// Marks functions that host and device code share.
#pragma once

#if defined(__CUDACC__) || defined(__HIP__)
#define LIBSGEMM_HOST_DEVICE __host__ __device__
#else
#define LIBSGEMM_HOST_DEVICE
#endif
