#include <fmt/core.h>
#include <stdlib.h>

#include "base/command.h"
#include "conv.h"

namespace command {

ConvLayer parse_layer(const std::string &text) {
  ConvLayer layer = {};
  layer.stride = layer.dilation = layer.groups = 1;
  int64_t *const fields[] = {&layer.n, &layer.c,      &layer.h,   &layer.w,        &layer.k,     &layer.r,
                             &layer.s, &layer.stride, &layer.pad, &layer.dilation, &layer.groups};
  constexpr int kLeast = 7, kMost = 11;
  const char *at = text.c_str();
  int count = 0;
  while (count < kMost) {
    char *end = nullptr;
    const long long value = strtoll(at, &end, 10);
    if (end == at || value < 0) break;
    *fields[count++] = value;
    at = end;
    if (*at != ',') break;
    ++at;
  }
  if (count < kLeast || *at != '\0') {
    throw Error(fmt::format("--layer {}: it wants n,c,h,w,k,r,s[,stride[,pad[,dilation[,groups]]]]", text));
  }
  return layer;
}

const std::vector<ConvLayer> &conv_suite() {
  static const std::vector<ConvLayer> layers = {
      {"ResNet-50, first", 32, 3, 224, 224, 64, 7, 7, 2, 3}, {"ResNet-50, expanding", 32, 64, 56, 56, 256, 1, 1},
      {"ResNet-50", 32, 64, 56, 56, 64, 3, 3, 1, 1},         {"ResNet-50", 32, 128, 28, 28, 128, 3, 3, 1, 1},
      {"ResNet-50, reducing", 32, 512, 28, 28, 128, 1, 1},   {"ResNet-50", 32, 256, 14, 14, 256, 3, 3, 1, 1},
      {"ResNet-50", 32, 512, 7, 7, 512, 3, 3, 1, 1},         {"ResNet-50, strided", 32, 128, 56, 56, 128, 3, 3, 2, 1},
      {"VGG-16, second", 16, 64, 224, 224, 64, 3, 3, 1, 1},  {"VGG-16, fourth", 16, 128, 112, 112, 128, 3, 3, 1, 1},
  };
  return layers;
}

std::string layer_name(const ConvLayer &l) {
  std::string name = fmt::format("{}x{}x{}x{} {}x{}", l.n, l.c, l.h, l.w, l.r, l.s);
  if (l.stride != 1) name += fmt::format("/{}", l.stride);
  if (l.pad != 0) name += fmt::format(" pad {}", l.pad);
  if (l.dilation != 1) name += fmt::format(" dilation {}", l.dilation);
  if (l.groups != 1) name += fmt::format(" groups {}", l.groups);
  return name + fmt::format(" -> {}", l.k);
}

ConvWork make_conv(const ConvLayer &l, const ConvForm &form) {
  ConvWork work = {};
  libsgemm_conv2d_t &v = work.conv;
  libsgemm_conv2d_init(&v, sizeof v);
  v.direction = form.direction;
  v.layout = form.layout;
  v.n = l.n, v.c = l.c, v.h = l.h, v.w = l.w;
  v.k = l.k, v.r = l.r, v.s = l.s;
  v.groups = l.groups;
  v.stride_h = v.stride_w = l.stride;
  v.pad_top = v.pad_left = v.pad_bottom = v.pad_right = l.pad;
  v.dilation_h = v.dilation_w = l.dilation;
  if (libsgemm_conv2d_output_size(&v, &work.p, &work.q) != LIBSGEMM_SUCCESS) {
    libsgemm_info_t info;
    libsgemm_last_info(&info);
    throw Error(fmt::format("{}: {}", layer_name(l), info.message));
  }
  return work;
}

double ConvWork::flops() const {
  const int64_t channels = conv.c / conv.groups;
  const double taps = static_cast<double>(channels) * static_cast<double>(conv.r * conv.s);
  return 2 * taps * static_cast<double>(conv.n) * static_cast<double>(conv.k) * static_cast<double>(p * q);
}

}  // namespace command
