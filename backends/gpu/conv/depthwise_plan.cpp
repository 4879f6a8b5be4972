// Host side of depthwise convolutions (depthwise.h).
#include "depthwise_plan.h"

#include <algorithm>
#include <cmath>

#include "conv_plan.h"
#include "gpu/cost.h"

namespace libsgemm::gpu {
namespace {

constexpr int kThreads = 256, kLanes = 32;
constexpr int64_t kMostFilterBytes = 48 << 10;  // available on every device without opt-in
constexpr int kMostBlocks = 65535;              // limit of the grid's y

constexpr int64_t kMostSlices = 512;

int resident_blocks(int width, int taps, bool weights) {
  if (weights) return width > 1 || taps > 5 ? 2 : taps > 3 ? 3 : 4;
  return width == 1 ? (taps <= 3 ? 3 : 4) : 2;
}

// Number of blocks along positions that makes few and equally full waves. With `most` blocks each runs one iteration.
int64_t position_blocks(int64_t most, int64_t channel_blocks, int64_t resident, int64_t limit) {
  constexpr double kStart = 1.5;  // time of a block's start and end, in iterations
  int64_t best = 1;
  double least = 0;
  for (int64_t blocks = 1; blocks <= std::min(most, limit); ++blocks) {
    const double waves = static_cast<double>(ceil_div(blocks * channel_blocks, resident));
    const double time = waves * (static_cast<double>(ceil_div(most, blocks)) + kStart);
    if (blocks == 1 || time < least) best = blocks, least = time;
  }
  return best;
}

int number(int64_t x) { return static_cast<int>(x); }

// Chooses strips and blocks of the weight gradient for equal shares and few rows of the image read twice. `resident`
// blocks run at once; a strip reads `behind` additional rows.
void share_strips(DepthwisePlan *plan, int64_t resident, int behind) {
  constexpr int kLeastRows = 6;
  constexpr double kStart = 2;  // time of a strip's start, in rows
  DepthwiseProblem *p = &plan->problem;
  const int64_t most = std::clamp<int64_t>(resident / plan->channel_blocks, 1, kMostSlices);
  double least = 0;
  for (int64_t count = 1; count == 1 || count <= p->p / kLeastRows; count += std::max<int64_t>(1, count / 8)) {
    const int64_t rows = ceil_div(p->p, count), strips = ceil_div(p->p, rows);
    const int64_t turns = ceil_div(p->n * strips * p->q, plan->places);
    const int64_t turns_each = ceil_div(turns, most);
    const double time = static_cast<double>(turns_each) * (static_cast<double>(rows + behind) + kStart);
    if (count > 1 && time >= least) continue;
    least = time;
    p->strip_rows = number(rows);
    p->strips = Divisor::of(number(strips));
    p->positions = number(p->n * strips * p->q);
    plan->position_blocks = number(ceil_div(turns, turns_each));
  }
}

// Time of traffic by single floats relative to memory_seconds(); share of fma_peak().
constexpr double kOverMemory = 1.25, kFmaFraction = 0.15;

bool by_four(int64_t step) { return step % 4 == 0; }
bool by_four(const DepthwiseSteps &s) { return s.channel == 1 && by_four(s.n) && by_four(s.h) && by_four(s.w); }
bool aligned(const void *data) { return reinterpret_cast<uintptr_t>(data) % 16 == 0; }

DepthwiseSteps steps_of(const ConvDigit (&digits)[3], int64_t channel, int64_t ConvDigit::*step) {
  return {channel, digits[0].*step, digits[1].*step, digits[2].*step};
}

DepthwiseProblem problem_of(const ConvDesc &d, int64_t index) {
  const ConvProduct c = conv_product(d, index);
  const bool weights = d.direction == Conv::weight_gradient;
  const ConvDigits &pixels = weights ? c.sum : c.first, &taps = weights ? c.first : c.sum;
  DepthwiseProblem p = {};
  p.image = c.image, p.other = c.other, p.out = c.out;
  p.alpha = d.alpha, p.beta = d.beta;
  const int64_t filters = d.k / d.groups;
  p.channels = number(d.direction == Conv::data_gradient ? d.groups : d.k);
  p.multiplier = Divisor::of(d.direction == Conv::data_gradient ? 1 : number(filters));
  p.terms = d.direction == Conv::data_gradient ? number(filters) : 1;
  p.image_term = c.sum[0].image, p.other_term = c.sum[0].other;
  p.n = number(pixels[0].extent), p.p = number(pixels[1].extent), p.q = number(pixels[2].extent);
  p.r = number(taps[1].extent), p.s = number(taps[2].extent);
  p.first_h = number(c.first_h), p.first_w = number(c.first_w);
  p.down = number(pixels[1].h), p.right = number(pixels[2].w);
  p.tap_h = number(taps[1].h), p.tap_w = number(taps[2].w);
  p.height = number(c.height), p.width = number(c.width);
  const Steps &image = d.direction == Conv::data_gradient ? d.y_steps : d.x_steps;
  p.image_steps = {c.image_group, pixels[0].image, image.h, image.w};
  p.pixel_steps = steps_of(pixels, 0, weights ? &ConvDigit::other : &ConvDigit::out);
  p.filter_r = weights ? taps[1].out : taps[1].other;
  p.filter_s = weights ? taps[2].out : taps[2].other;
  switch (d.direction) {
    case Conv::forward:
      p.pixel_steps.channel = c.second[2].out, p.filter_channel = c.second[2].other;
      break;
    case Conv::data_gradient:
      p.pixel_steps.channel = c.out_group, p.filter_channel = c.other_group;
      break;
    case Conv::weight_gradient:
      p.pixel_steps.channel = c.second[2].other, p.filter_channel = c.second[2].out;
      break;
  }
  // Reverses taps, so that rows and columns of the image ascend.
  if (p.tap_h < 0) {
    p.first_h += (p.r - 1) * p.tap_h, p.tap_h = -p.tap_h;
    p.image = moved(p.image, -(p.r - 1) * p.tap_h * p.image_steps.h);
    p.other = moved(p.other, (p.r - 1) * p.filter_r), p.filter_r = -p.filter_r;
  }
  if (p.tap_w < 0) {
    p.first_w += (p.s - 1) * p.tap_w, p.tap_w = -p.tap_w;
    p.image = moved(p.image, -(p.s - 1) * p.tap_w * p.image_steps.w);
    p.other = moved(p.other, (p.s - 1) * p.filter_s), p.filter_s = -p.filter_s;
  }
  const int64_t strips = ceil_div(p.p, kDepthwiseRows);
  p.strips = Divisor::of(number(strips)), p.columns = Divisor::of(p.q);
  p.positions = number(p.n * strips * p.q), p.strip_rows = kDepthwiseRows;
  return p;
}

}  // namespace

bool is_depthwise(const ConvDesc &d) {
  constexpr double kMost = 1 << 29;
  return d.c == d.groups && conv_fits(d) && static_cast<double>(d.k) * static_cast<double>(d.r * d.s) < kMost &&
         d.k / d.groups * d.r * d.s * kLanes * 4 * 4 <= kMostFilterBytes && d.k <= kMostBlocks;
}

DepthwisePlan depthwise_plan(const ConvDesc &desc, int64_t index, int device) {
  DepthwisePlan plan = {};
  plan.problem = problem_of(desc, index);
  const DepthwiseProblem &p = plan.problem;
  const bool weights = desc.direction == Conv::weight_gradient;
  const int64_t column = std::abs(p.pixel_steps.w);
  const bool along_channels = p.channels > 1 && (p.q == 1 || p.pixel_steps.channel < column);
  const bool fours = along_channels && p.multiplier.value == 1 && p.channels % 4 == 0 && by_four(p.image_steps) &&
                     by_four(p.pixel_steps) && by_four(p.image_term) && aligned(p.image) &&
                     aligned(weights ? p.other : p.out);
  // Registers hold all sums of a weight gradient, and must suffice for two blocks.
  plan.width = !fours || (weights && p.r == 7) ? 1 : weights && p.r == 5 ? 2 : 4;
  const int vectors = p.channels / plan.width;
  const int blocks = along_channels ? number(ceil_div(vectors, kLanes)) : vectors;
  plan.lanes = number(ceil_div(vectors, blocks));
  plan.places = kThreads / plan.lanes;
  plan.channel_blocks = number(ceil_div(vectors, plan.lanes));
  const int64_t resident = int64_t{model(device).compute_units} * resident_blocks(plan.width, p.r, weights);
  if (weights && depthwise_walks(plan.width, p.r, p.down)) {
    share_strips(&plan, resident, (p.r - 1) / p.down);
  } else {
    plan.position_blocks = number(position_blocks(ceil_div(p.positions, plan.places), plan.channel_blocks, resident,
                                                  weights ? kMostSlices : 4 * resident));
  }
  plan.filter_bytes = 4 * p.terms * p.r * p.s * plan.lanes * plan.width;
  return plan;
}

size_t depthwise_bytes(const ConvDesc &desc, int device) {
  if (desc.direction != Conv::weight_gradient) return 0;
  const DepthwisePlan plan = depthwise_plan(desc, 0, device);
  return sizeof(double) * static_cast<size_t>(plan.position_blocks) * static_cast<size_t>(desc.k * desc.r * desc.s);
}

double depthwise_seconds(const ConvDesc &desc, int device) {
  const DeviceModel &d = model(device);
  const double launches = desc.direction == Conv::weight_gradient ? 2 : static_cast<double>(conv_products(desc));
  return kLaunchSeconds * launches +
         std::max(kOverMemory * memory_seconds(d, conv_bytes(desc)), flop_count(desc) / (kFmaFraction * fma_peak(d)));
}

}  // namespace libsgemm::gpu
