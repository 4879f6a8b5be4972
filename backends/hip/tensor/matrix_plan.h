// Places the work of a k-tile between its matrix instructions, in loops that fetch two k-tiles ahead (matrix.h).
//
// Reads of fragments have fixed places, and the compiler adds waits. The other work is placed in the order of the data
// flow, each piece after the first matrix instruction with room for it, or else the one with the most room:
//
//   stores of A, then of B      before the barrier
//   fetches of A, of B          after its stores, whose registers they fill, and after its stream has advanced; if the
//                               barrier waits for fetches, also after the barrier
#pragma once

#include "matrix_types.h"

namespace libsgemm::hip {

template <class Config, class A, class B, class StoringA, class StoringB>
struct MatrixPlan {
  static constexpr int step = Config::blocks_m * Config::blocks_n * Config::Core::parts;
  static constexpr int end = step * Config::steps, barrier = end - step / 2;
  static constexpr int reads =
      Config::blocks_m + Config::blocks_n;  // a k-step's fragments, read in the first half of the previous k-step
  static constexpr int pieces_a = A::copies * StoringA::parts, pieces = pieces_a + B::copies * StoringB::parts;

  // Index of the matrix instruction that each piece of work follows. `choose`: A's and B's distance().
  int store[pieces] = {}, fetch_a[A::copies] = {}, fetch_b[B::copies] = {};
  int choose = 0, advance_a = 0, advance_b = 0;

  // Takes the plan with the least time, then the least work after any one instruction.
  constexpr MatrixPlan() {
    int best = 1;
    for (int room = 2; room < 32; ++room) {
      if (lay(room) < lay(best)) best = room;
    }
    lay(best);
  }

 private:
#if defined(LIBSGEMM_HIP_BARRIER_WAITS)
  static constexpr int first_fetch = barrier;
#else
  static constexpr int first_fetch = 0;
#endif
  static constexpr int max(int a, int b) { return a > b ? a : b; }

  // Plans at most `room` instructions after each matrix instruction, if possible. Returns the cost.
  constexpr int lay(int room) {
    int used[end] = {};
    for (int i = 0; i < Config::steps; ++i) {
      ++used[i * step + step - 1];  // waits for reads
      for (int j = 0; j < reads; ++j) ++used[(i < Config::steps - 1 ? i * step : barrier) + j * (step / 2) / reads];
    }
    ++used[0];           // loop counter
    used[barrier] += 2;  // waits for stores
    ++used[end - 1];     // branch
    const auto put = [&](int slots, int first, int last) {
      int at = first;
      for (int i = first; i <= last && used[at] + slots > room; ++i) {
        if (used[i] < used[at]) at = i;
      }
      used[at] += slots;
      return at;
    };
    int last = 0;
    for (int i = 0; i < pieces_a; ++i) {
      last = store[i] = put(StoringA::slots(i % StoringA::parts) + (i == 0), last, barrier - 1);
    }
    const int stored_a = last;
    for (int i = pieces_a; i < pieces; ++i) {
      const int of_copy = (i - pieces_a) % StoringB::parts;
      last = store[i] = put(StoringB::slots(of_copy) + (i == pieces_a), last, barrier - 1);
    }
    choose = put(3, 0, end - 1);
    advance_a = put(2, choose, end - 1);
    advance_b = put(2, choose, end - 1);
    int at_a = max(max(stored_a, advance_a), first_fetch), at_b = max(max(last, advance_b), first_fetch);
    for (int i = 0; i < A::copies; ++i) at_a = fetch_a[i] = put(A::fetch_slots(i), at_a, end - 1);
    for (int i = 0; i < B::copies; ++i) at_b = fetch_b[i] = put(B::fetch_slots(i), at_b, end - 1);
    int waits = 0, most = 0;
    for (int each : used) {
      waits += max(0, each - 7);
      most = max(most, each);
    }
    return 100 * waits + most;
  }
};

}  // namespace libsgemm::hip
