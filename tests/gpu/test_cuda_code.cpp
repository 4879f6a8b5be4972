// Which code of backend cuda runs on which GPU, from what CMake compiles (architectures.cmake, passed as definitions)
// and what the plugin reads.
#include <cstdio>
#include <string>
#include <vector>

#include "cuda/runtime/code_arch.h"
#include "cuda/runtime/throughput.h"
#include "support/catch.h"

using libsgemm::cuda::Code;
using libsgemm::cuda::code_arch;

namespace {

struct Gpu {
  int arch, code;  // code: architecture of the code that runs; 0: none
};

template <int kCodes, int kPtxs>
void check(const char *build, const Code (&code)[kCodes], const int (&ptx)[kPtxs], const std::vector<Gpu> &gpus) {
  for (const Gpu &gpu : gpus) {
    INFO("code for " << build << ", sm_" << gpu.arch);
    CHECK(code_arch(gpu.arch, code, ptx) == gpu.code);
  }
}

}  // namespace

TEST_CASE("every GPU from Turing on, also one to come, runs code of a build for all architectures") {
  const Code code[] = {ALL_CODE};
  const int ptx[] = {ALL_PTX};
  check("all", code, ptx,
        {{70, 0},
         {75, 75},
         {80, 80},
         {86, 86},
         {87, 86},
         {89, 89},
         {90, 90},
         {100, 100},
         {103, 100},
         {110, 100},
         {120, 120},
         {121, 120},
         {130, 120},
         {200, 120}});
  for (int arch = 75; arch < 250; ++arch) {
    if (arch / 10 == 9 && arch != 90) continue;  // no such GPU, nor would code for 90a run on it
    INFO("sm_" << arch);
    CHECK(code_arch(arch, code, ptx) != 0);
  }
}

TEST_CASE("a build for some architectures serves those between and after them by PTX") {
  const Code some[] = {SOME_CODE};
  const int some_ptx[] = {SOME_PTX};
  check("80;90a", some, some_ptx, {{75, 0}, {80, 80}, {89, 80}, {90, 90}, {100, 80}, {110, 80}, {120, 80}});
  const Code gaps[] = {GAPS_CODE};
  const int gaps_ptx[] = {GAPS_PTX};
  check("75;90a;120", gaps, gaps_ptx,
        {{75, 75}, {80, 75}, {89, 75}, {90, 90}, {100, 75}, {110, 75}, {121, 120}, {130, 120}});
}

TEST_CASE("the code of sm_90a runs on sm_90 alone") {
  const Code one[] = {ONE_CODE};
  const int one_ptx[] = {ONE_PTX};
  check("90a", one, one_ptx, {{80, 0}, {89, 0}, {90, 90}, {100, 0}, {110, 0}, {120, 0}});
}

TEST_CASE("the chips made for FP64 are known by name and architecture") {
  struct Chip {
    const char *name;
    int arch, fp64;
  };
  constexpr Chip kChips[] = {{"NVIDIA A100-SXM4-80GB", 80, 64},
                             {"NVIDIA A100-PCIE-40GB", 80, 64},
                             {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", 80, 64},
                             {"A100-SXM4-40GB", 80, 64},
                             {"NVIDIA A800-SXM4-80GB", 80, 64},
                             {"NVIDIA A800 40GB Active", 80, 64},
                             {"NVIDIA A30", 80, 64},
                             {"NVIDIA CMP 170HX", 80, 2},
                             {"NVIDIA RTX A1000", 86, 2},
                             {"NVIDIA A10", 86, 2},
                             {"NVIDIA RTX A3000 Laptop GPU", 86, 2},
                             {"NVIDIA GeForce RTX 4090", 89, 2},
                             {"NVIDIA H100 80GB HBM3", 90, 128},
                             {"NVIDIA GH200 480GB", 90, 128},
                             {"NVIDIA H200", 90, 128},
                             {"NVIDIA H20", 90, 2},
                             {"NVIDIA H800", 90, 2},
                             {"NVIDIA B200", 100, 2},
                             {"NVIDIA GeForce RTX 5090", 120, 2},
                             {"Tesla T4", 75, 2}};
  for (const Chip &chip : kChips) {
    libsgemm::cuda::Device device = {};
    device.arch = chip.arch;
    std::snprintf(device.name, sizeof device.name, "%s", chip.name);
    libsgemm::cuda::set_throughputs(&device);
    INFO(chip.name);
    CHECK(device.fp64_tensor_per_clock == chip.fp64);
  }
}
