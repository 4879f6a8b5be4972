// Makes one allocation of the library fail, or all from one on.
#pragma once

namespace sgemm_test {

// The nth allocation from now fails (1: the next), with `all` also later ones. Counts allocations of libsgemm.so and
// libsgemm_blas.so, direct or through the C and C++ libraries and the loader; not of tests, plugins or OpenBLAS.
void fail_allocation(int nth, bool all = false);

// Ends the failures. True if the nth was reached.
bool allocation_failed();

}  // namespace sgemm_test
