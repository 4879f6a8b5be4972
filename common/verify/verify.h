// Checks a result against FP64.
#pragma once

#include "contract/math_mode.h"
#include "matrix/host_matrix.h"

namespace libsgemm {

// Returns the worst |error| / bound over the elements examined; at most 1 if the result is right. Infinite if a value
// is not finite where it should be, or finite where it should not. trsm: of the residual op(A) X - alpha B. `before` is
// the old C, needed if reads_c(desc). All operands are in host memory.
//
// Sums are made in the usual floating-point environment, whatever that of the calling thread is, and no flag is raised.
//
// SAMPLE examines four columns and four rows, and a checksum of all of C (checksum.h), chosen by `seed`. An error of
// one element of row i of C (of a column if C has more columns than rows) is found for certain if it is at least twice
//   4 f (sum_l |alpha A_il| |B_l| + |beta| |C_i|), |.| the 2-norm of row l of op(B), of row i of C.
// That is some 4 sqrt(n) times the bound of an element, n the shorter side. A smaller error above the bound is found if
// the element's row or column is drawn, with probability 1 - (1 - 1/m)^4 (1 - 1/n)^4.
// A column of op(B) that holds NaN or Inf has no weight in the checksum, and that column of C must hold no finite
// number. Nor must a row of C whose row of op(A) holds NaN or Inf. Where zeros of a triangle keep these from some of
// the elements, and where C itself holds NaN or Inf for other reasons, the elements of the row or column are judged one
// by one. If there are many such rows and columns, all elements of C are.
//
// The bound is componentwise: f (|alpha| |A| |B| + |beta| |C|), with A and B rounded to the inputs of the mode, and
//   f = 4 sqrt(k + 2) u, u = 2^-24: twice the usual bound of libsgemm.h. The errors of k additions to a sum that one
//       large term dominates have a standard deviation of up to sqrt(k / 3) u, so the usual bound is 3.5 of them, which
//       one element in two thousand may exceed, and f is 6.9: one in 2 10^11. Errors that are not random, of sums of
//       equal terms, may exceed it from a k of some 250 on: up to (k + 2) u is possible.
//     + (k / 16 + 1) 2^-23  if the kernel truncates: one for each instruction that cuts off a sum (TF32: k / 8)
//     + 4 u                 BF16X6: the products left out, at most 2^-8 2^-16 of a product each
//     + 8 u                 FP16X3: those, 2^-11 2^-11, and what two parts of 11 bits do not hold of an input, 2^-23
//     + 2 (k + 2) u         in a thread that does not round to nearest: then all errors may have one direction
// A kernel that truncates aligns products by exponents from the smallest normal input on (fp16: 2^-14, bf16 and TF32:
// 2^-126), so for what it cuts off that input replaces smaller ones.
// The parts of a split input are also cut off at their lower end: in FP16X3 at 2^-49 of the largest input of the
// row of op(A) or column of op(B), in BF16X6 at 2^-148 of it, or at 2^-133 if that is more. These losses times the
// magnitudes of the other factors add to the bound.
//
// At the ends of the range the order in which a right kernel multiplies matters: alpha (A B), (alpha A) B or A (alpha
// B). BLAS do all three. Below the range 2^-149 of each product adds to the bound, times |alpha| if that is above 1. If
// alpha is neither 1 nor -1, 2^-149 of each element of A and B, times its factor, also adds to it. Above the range Inf
// and NaN are right where the sum of magnitudes with or without alpha exceeds the largest FP32 number, or where alpha
// times an element of A or B does. For trsm 2^-149 of each element of the solution adds to the bound. Finite results
// are judged all the same. But where a thread does not round to nearest, a value that leaves the range may also become
// the largest number, and so any number. If only a reciprocal of trsm's diagonal leaves the range, and the solution
// does not, Inf and NaN are wrong.
//
// A CPU kernel in a thread that flushes denormal numbers to zero may lose 2^-126 instead of 2^-149, of each product,
// sum and operand. A denormal beta, or a denormal number on trsm's diagonal, may then be a zero. (Some of a BLAS's
// threads may flush and others not.)
double verify_result(const GemmDesc &desc, const Snapshot *before, libsgemm_verify_t mode, Arithmetic arithmetic = {},
                     uint64_t seed = 0);

}  // namespace libsgemm
