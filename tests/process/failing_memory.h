// Makes allocations of the library fail: a single one, or all from one on.
#pragma once

namespace sgemm_test {

// Makes the nth allocation from now on fail (1: the next); with `all` also those after it. Only allocations of
// libsgemm.so or libsgemm_blas.so count, made directly or through the C and C++ libraries and the loader; not those of
// the test, of plugins and of OpenBLAS.
void fail_allocation(int nth, bool all = false);

// Ends the failures. True if the nth allocation was reached.
bool allocation_failed();

}  // namespace sgemm_test
