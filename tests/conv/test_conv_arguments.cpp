#include <cstring>
#include <functional>
#include <vector>

#include "conv_problem.h"
#include "support/call.h"
#include "support/catch.h"
#include "support/subject.h"

using namespace sgemm_test;

std::string sgemm_test::skip_reason() { return ""; }

namespace {

const ConvCase kCase = {"", 2, 4, 6, 5, 6, 3, 2, 2};

// A C program can store a number that is no enumerator.
template <typename Enum>
void put(int number, Enum *value) {
  std::memcpy(value, &number, sizeof number);
}

struct Fault {
  const char *message;
  std::function<void(libsgemm_conv2d_t *)> make;
};

const std::vector<Fault> kFaults = {
    {"field size is 8, must be ", [](libsgemm_conv2d_t *v) { v->size = 8; }},
    {"field direction is 3, must be 0 (forward), 1 (data gradient) or 2 (weight gradient)",
     [](libsgemm_conv2d_t *v) { put(3, &v->direction); }},
    {"field layout is 2, must be 0 (NCHW) or 1 (NHWC)", [](libsgemm_conv2d_t *v) { put(2, &v->layout); }},
    {"field n is -1, must be >= 0", [](libsgemm_conv2d_t *v) { v->n = -1; }},
    {"field c is -2, must be >= 0", [](libsgemm_conv2d_t *v) { v->c = -2; }},
    {"field h is -1, must be >= 0", [](libsgemm_conv2d_t *v) { v->h = -1; }},
    {"field w is -1, must be >= 0", [](libsgemm_conv2d_t *v) { v->w = -1; }},
    {"field k is -2, must be >= 0", [](libsgemm_conv2d_t *v) { v->k = -2; }},
    {"field r is 0, must be >= 1", [](libsgemm_conv2d_t *v) { v->r = 0; }},
    {"field s is 0, must be >= 1", [](libsgemm_conv2d_t *v) { v->s = 0; }},
    {"field groups is 0, must be >= 1", [](libsgemm_conv2d_t *v) { v->groups = 0; }},
    {"field groups is 3, must divide c = 4 and k = 6", [](libsgemm_conv2d_t *v) { v->groups = 3; }},
    {"field groups is 4, must divide c = 4 and k = 6", [](libsgemm_conv2d_t *v) { v->groups = 4; }},
    {"field stride_h is 0, must be >= 1", [](libsgemm_conv2d_t *v) { v->stride_h = 0; }},
    {"field stride_w is -3, must be >= 1", [](libsgemm_conv2d_t *v) { v->stride_w = -3; }},
    {"field pad_top is -1, must be >= 0", [](libsgemm_conv2d_t *v) { v->pad_top = -1; }},
    {"field pad_left is -1, must be >= 0", [](libsgemm_conv2d_t *v) { v->pad_left = -1; }},
    {"field pad_bottom is -1, must be >= 0", [](libsgemm_conv2d_t *v) { v->pad_bottom = -1; }},
    {"field pad_right is -1, must be >= 0", [](libsgemm_conv2d_t *v) { v->pad_right = -1; }},
    {"field dilation_h is 0, must be >= 1", [](libsgemm_conv2d_t *v) { v->dilation_h = 0; }},
    {"field dilation_w is 0, must be >= 1", [](libsgemm_conv2d_t *v) { v->dilation_w = 0; }},
    {"field r is 7: with its dilation 7, more than the 6 of the image with its padding",
     [](libsgemm_conv2d_t *v) { v->r = 7; }},
    {"field s is 2: with its dilation 6, more than the 5 of the image with its padding",
     [](libsgemm_conv2d_t *v) { v->dilation_w = 5; }},
    {"field s is 2: with its dilation 9223372036854775807, more",
     [](libsgemm_conv2d_t *v) { v->dilation_w = INT64_MAX; }},
    {"field h is 6: with its padding it overflows", [](libsgemm_conv2d_t *v) { v->pad_bottom = INT64_MAX; }},
};

// Only libsgemm_sconv2d() finds these faults: the size of the output does not depend on them.
const std::vector<Fault> kTensorFaults = {
    {"field x_strides[2] is -1, must be >= 0",
     [](libsgemm_conv2d_t *v) {
       const int64_t strides[] = {120, 30, -1, 1};
       std::memcpy(v->x_strides, strides, sizeof strides);
     }},
    {"field f_strides[0] is -12, must be >= 0",
     [](libsgemm_conv2d_t *v) {
       const int64_t strides[] = {-12, 6, 2, 1};
       std::memcpy(v->f_strides, strides, sizeof strides);
     }},
    {"field y_strides lets elements of the output overlap",
     [](libsgemm_conv2d_t *v) {
       const int64_t strides[] = {96, 15, 4, 1};
       std::memcpy(v->y_strides, strides, sizeof strides);
     }},
    {"field y_strides lets elements of the output overlap",
     [](libsgemm_conv2d_t *v) {
       const int64_t strides[] = {0, 16, 4, 1};
       std::memcpy(v->y_strides, strides, sizeof strides);
     }},
    {"fields describe a tensor x that overflows the address space",
     [](libsgemm_conv2d_t *v) {
       const int64_t strides[] = {INT64_MAX / 2, 30, 5, 1};
       std::memcpy(v->x_strides, strides, sizeof strides);
     }},
    {"fields describe a tensor x that overflows the address space",
     [](libsgemm_conv2d_t *v) { v->n = int64_t{1} << 50, v->h = int64_t{1} << 20; }},
};

void refuses(const libsgemm_conv2d_t &conv, const ConvProblem &problem, int argument, const std::string &message) {
  ConvPlacement placement(problem, ConvLayout::kNchw);
  CHECK(libsgemm_sconv2d(&conv, 1, placement.a(), placement.b(), 0, placement.c()) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == argument);
  CHECK(std::string(last_info().entry) == "libsgemm_sconv2d");
  CHECK_THAT(last_info().message, Contains("libsgemm_sconv2d: argument " + std::to_string(argument)));
  CHECK_THAT(last_info().message, Contains(message));
  CHECK(placement.check_untouched() == "");
}

}  // namespace

TEST_CASE("a field that is not valid is named") {
  const ConvProblem problem(kCase, LIBSGEMM_CONV2D_FORWARD, ConvInputs::kExact, 1, 0);
  for (const auto *faults : {&kFaults, &kTensorFaults}) {
    for (const Fault &fault : *faults) {
      libsgemm_conv2d_t conv = conv_of(kCase, LIBSGEMM_CONV2D_FORWARD, ConvLayout::kNchw);
      fault.make(&conv);
      INFO(fault.message);
      refuses(conv, problem, 1, fault.message);
      const bool of_size = faults == &kFaults;
      int64_t p = -7, q = -7;
      const libsgemm_status_t status = libsgemm_conv2d_output_size(&conv, &p, &q);
      CHECK(status == (of_size ? LIBSGEMM_INVALID_ARGUMENT : LIBSGEMM_SUCCESS));
      if (!of_size) continue;
      CHECK(p == -7);
      CHECK(q == -7);
      CHECK_THAT(last_info().message, Contains(fault.message));
    }
  }
}

TEST_CASE("outputs of gradients must keep their elements apart, inputs need not") {
  for (const libsgemm_conv2d_direction_t direction : kDirections) {
    const ConvProblem problem(kCase, direction, ConvInputs::kExact, 1, 0);
    for (int tensor = 0; tensor < 3; ++tensor) {
      libsgemm_conv2d_t conv = conv_of(kCase, direction, ConvLayout::kNchw);
      int64_t *const strides = tensor == 0 ? conv.x_strides : tensor == 1 ? conv.f_strides : conv.y_strides;
      const int64_t all_meet[] = {1, 1, 1, 1};
      std::memcpy(strides, all_meet, sizeof all_meet);
      const int output = direction == LIBSGEMM_CONV2D_FORWARD ? 2 : direction == LIBSGEMM_CONV2D_DATA_GRADIENT ? 0 : 1;
      INFO(direction_name(direction) << ", tensor " << tensor);
      if (tensor == output) {
        refuses(conv, problem, 1, "lets elements of the output overlap");
      } else {
        ConvPlacement placement(problem, ConvLayout::kNchw);
        CHECK(libsgemm_sconv2d(&conv, 1, placement.a(), placement.b(), 0, placement.c()) == LIBSGEMM_SUCCESS);
      }
    }
  }
}

TEST_CASE("pointers that are NULL") {
  const ConvProblem problem(kCase, LIBSGEMM_CONV2D_FORWARD, ConvInputs::kExact, 1, 0);
  const libsgemm_conv2d_t conv = conv_of(kCase, LIBSGEMM_CONV2D_FORWARD, ConvLayout::kNchw);
  ConvPlacement placement(problem, ConvLayout::kNchw);
  const float *a = placement.a(), *b = placement.b();
  float *c = placement.c();
  const auto argument = [&](const libsgemm_conv2d_t *v, const float *x, const float *f, float *y) {
    CHECK(libsgemm_sconv2d(v, 1, x, f, 0, y) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK_THAT(last_info().message, Contains("is NULL"));
    return last_info().argument;
  };
  CHECK(argument(nullptr, a, b, c) == 1);
  CHECK(argument(&conv, nullptr, b, c) == 3);
  CHECK(argument(&conv, a, nullptr, c) == 4);
  CHECK(argument(&conv, a, b, nullptr) == 6);
  CHECK(libsgemm_sconv2d(&conv, 0, nullptr, nullptr, 0, c) == LIBSGEMM_SUCCESS);
  int64_t p = 0, q = 0;
  CHECK(libsgemm_conv2d_output_size(nullptr, &p, &q) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(libsgemm_conv2d_output_size(&conv, nullptr, &q) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 2);
  CHECK(libsgemm_conv2d_output_size(&conv, &p, nullptr) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 3);
  CHECK(libsgemm_sconv2d_h(nullptr, &conv, 1, a, b, 0, c) == LIBSGEMM_INVALID_HANDLE);
}

TEST_CASE("the output must not overlap an input") {
  for (const libsgemm_conv2d_direction_t direction : kDirections) {
    const ConvCase square = {"", 1, 2, 4, 4, 2, 1, 1};
    const ConvProblem problem(square, direction, ConvInputs::kExact, 1, 0);
    const libsgemm_conv2d_t conv = conv_of(square, direction, ConvLayout::kNchw);
    std::vector<float> memory(200, 1.0f), other(200, 1.0f);
    const std::vector<float> before = memory;
    CHECK(libsgemm_sconv2d(&conv, 1, memory.data(), other.data(), 0, memory.data() + 1) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK(last_info().argument == 6);
    CHECK_THAT(last_info().message, Contains("overlaps A"));
    CHECK(libsgemm_sconv2d(&conv, 1, other.data(), memory.data(), 0, memory.data() + 1) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK_THAT(last_info().message, Contains("overlaps B"));
    CHECK(memory == before);
    CHECK(libsgemm_sconv2d(&conv, 1, memory.data(), other.data(), 0, memory.data() + 100) == LIBSGEMM_SUCCESS);
  }
}

TEST_CASE("the size of the output") {
  struct Size {
    int64_t h, r, stride, pad, dilation, p;
  };
  for (const Size &t : {Size{224, 7, 2, 3, 1, 112}, Size{56, 3, 1, 1, 1, 56}, Size{56, 3, 2, 1, 1, 28},
                        Size{5, 5, 1, 0, 1, 1}, Size{9, 3, 1, 2, 2, 9}, Size{0, 1, 1, 1, 1, 2}}) {
    libsgemm_conv2d_t conv;
    libsgemm_conv2d_init(&conv, sizeof conv);
    conv.h = t.h, conv.w = 10, conv.r = t.r, conv.stride_h = t.stride, conv.dilation_h = t.dilation;
    conv.pad_top = conv.pad_bottom = t.pad;
    int64_t p = 0, q = 0;
    REQUIRE(libsgemm_conv2d_output_size(&conv, &p, &q) == LIBSGEMM_SUCCESS);
    CHECK(p == t.p);
    CHECK(q == 10);
  }
}

TEST_CASE("a program of another header") {
  // Unknown fields of a larger struct become 0, and the call is refused.
  struct {
    libsgemm_conv2d_t known;
    int64_t unknown;
  } later;
  std::memset(static_cast<void *>(&later), 0xff, sizeof later);
  libsgemm_conv2d_init(&later.known, sizeof later);
  CHECK(later.unknown == 0);
  int64_t p, q;
  CHECK(libsgemm_conv2d_output_size(&later.known, &p, &q) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK_THAT(last_info().message, Contains("field size"));
  libsgemm_conv2d_init(nullptr, sizeof later);
  libsgemm_conv2d_t conv;
  conv.y_strides[3] = 4711;
  libsgemm_conv2d_init(&conv, offsetof(libsgemm_conv2d_t, y_strides));
  CHECK(conv.y_strides[3] == 4711);
}
