// `seed` and `number` determine a random call, so that it can be repeated alone.
#pragma once

#include <string>
#include <vector>

#include "support/check.h"
#include "support/numbers.h"

namespace random_calls {

using namespace sgemm_test;

// exact: small integers, whose results have equal bits; special: normal numbers with NaN and Inf; scaled: the ends of
// FP32's range.
enum class Data { exact, normal, positive, log_normal, outlier, constant, special, scaled };
enum class Where { pageable, pinned, device, managed };
enum class Kind { single, strided, groups };

struct RandomCall {
  uint64_t seed, number;
  Kind kind = Kind::single;
  Routine routine = Routine::kSgemm;  // in Kind::groups that of each product
  libsgemm_layout_t layout = LIBSGEMM_COL_MAJOR;
  std::vector<Case> groups;                 // one, except for Kind::groups
  std::vector<int64_t> sizes;               // products in each group
  bool shares_a = false, shares_b = false;  // Kind::strided only
  int64_t apart = 0;                        // elements between matrices of a strided batch
  Data data = Data::normal;
  int exponent_a = 0, exponent_b = 0, exponent_c = 0;  // Data::scaled only
  Where where = Where::pageable;
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;
  int handle = -1;  // -1: none
  int stream = -1;  // set before the call; -1: unchanged
  int replays = 0;  // runs of the graph that records the call; 0: no graph

  std::string entry() const;
};

constexpr int kHandles = 4, kStreams = 5;  // the last stream is the default one

RandomCall draw_call(uint64_t seed, uint64_t number, bool gpu);

// The matrices differ for each replay.
Problem problem_of(const RandomCall &call, size_t group, size_t product, int replay);

Bound bound_of(const RandomCall &call);

const char *name_of(Data data);
const char *name_of(Where where);

std::string describe(const RandomCall &call);

}  // namespace random_calls
