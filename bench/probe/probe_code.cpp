#include "probe_code.h"

#include <fmt/core.h>

#include <fstream>
#include <iterator>

#include "base/command.h"
#include "base/output_file.h"
#include "probe_kernels.h"
#include "probe_patch.h"

namespace command {
namespace {

void print_patterns() {
  for (const RegisterPattern &x : register_patterns()) {
    fmt::print("{} {:d} {:d}\n", x.changing, x.one_bank, x.reuse);
  }
}

void patch(const std::string &from, const std::string &to, const std::string &number) {
  std::ifstream file(from, std::ios::binary);
  const std::string code((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string patched =
      patch_ffma(code, kPatchedKernel, kPatchedFfma, register_patterns().at(std::stoul(number)));
  write_output(to, {{patched.data(), patched.size()}});
}

}  // namespace

int probe_code(const std::vector<std::string> &words) {
  if (words.size() == 3) {
    patch(words[0], words[1], words[2]);
  } else if (words == std::vector<std::string>{"patterns"}) {
    print_patterns();
  } else if (words == std::vector<std::string>{"hip"}) {
    fmt::print("{}", hip_probe_source());
  } else {
    const std::string text = words.size() == 1 ? ptx_module(words[0]) : "";
    if (text.empty()) throw Error("use __probe_code TARGET, patterns, or IN.cubin OUT.cubin NUMBER");
    fmt::print("{}", text);
  }
  return 0;
}

}  // namespace command
