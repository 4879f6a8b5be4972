// A test without memory: one allocation of the library, or each from there on, fails.
#pragma once

namespace sgemm_test {

// The nth allocation from now on (1: the next) that libsgemm.so or libsgemm_blas.so makes, by itself or through the C
// and C++ libraries and the loader, finds no memory; with `all` those behind it neither. Not those of the test, of
// plugins and of OpenBLAS.
void fail_allocation(int nth, bool all = false);

// Ends that; whether there were so many.
bool allocation_failed();

}  // namespace sgemm_test
