#pragma once

namespace sgemm_test {

// The nth allocation from now fails (1: the next), with `all` also later ones. Counts what libsgemm.so and
// libsgemm_blas.so allocate, also through the C and C++ libraries and the loader.
void fail_allocation(int nth, bool all = false);

// Ends the failures. Returns whether the nth was reached.
bool allocation_failed();

}  // namespace sgemm_test
