// A random call. `seed` and `number` determine everything about it, so that each call can be repeated alone.
#pragma once

#include <string>
#include <vector>

#include "support/check.h"
#include "support/numbers.h"

namespace random_calls {

using namespace sgemm_test;

// Small integers, for which bits are equal; normal; uniform and positive; log-normal; normal with one large element;
// all elements equal; normal with NaN and Inf; at the ends of FP32's range.
enum class Data { exact, normal, positive, log_normal, outlier, constant, special, scaled };
enum class Where { pageable, pinned, device, managed };
enum class Kind { single, strided, groups };

struct RandomCall {
  uint64_t seed, number;
  Kind kind = Kind::single;
  Routine routine = Routine::kSgemm;  // Kind::groups: the routine of each product
  libsgemm_layout_t layout = LIBSGEMM_COL_MAJOR;
  std::vector<Case> groups;  // one element, except for Kind::groups
  std::vector<int64_t> sizes;
  bool shares_a = false, shares_b = false;  // Kind::strided only
  int64_t apart = 0;                        // elements between the matrices of a strided batch
  Data data = Data::normal;
  int exponent_a = 0, exponent_b = 0, exponent_c = 0;  // Data::scaled only
  Where where = Where::pageable;
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;
  int handle = -1;  // -1: none
  int stream = -1;  // set on the handle before the call; -1: the handle keeps its stream
  int replays = 0;  // number of replays of the graph that records the call; 0: no graph

  std::string entry() const;
};

constexpr int kHandles = 4, kStreams = 5;  // the last stream is the default one

RandomCall draw_call(uint64_t seed, uint64_t number, bool gpu);

// Draws the matrices of a product; each replay has different ones.
Problem problem_of(const RandomCall &call, size_t group, size_t product, int replay);

// Returns the error bound that fits the call's numbers.
Bound bound_of(const RandomCall &call);

const char *name_of(Data data);
const char *name_of(Where where);

// Returns all parameters in one line.
std::string describe(const RandomCall &call);

}  // namespace random_calls
