// Problem shapes: from the command line, or from a suite file (CSV with the columns m,n,k,pad,what, where `what` is the
// rest of the line; lines that begin with # are comments).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace command {

struct BenchOptions;

struct Shape {
  int64_t m, n, k;
  int64_t pad;  // leading dimension = rows + pad
  std::string what;
};

// "m,n,k" or "m,n,k,pad", or as shape_name() writes it. Throws Error.
Shape parse_shape(const std::string &text);

// "first:last:step": squares of these sizes. Throws Error.
std::vector<Shape> parse_sweep(const std::string &text);

// Throws Error, "FILE:LINE: what".
std::vector<Shape> read_suite(const std::string &path);

// Draws `count` shapes. Their sizes are log-uniform from `least` to `most` and independent; a random half of the shapes
// is rounded down to multiples of 8, 16, 32 or 64. A seed gives the same shapes on every machine. Shapes with more than
// `most_flops` operations of sgemm are drawn again; 0: no limit. Throws Error.
std::vector<Shape> random_shapes(int count, uint64_t seed, int64_t least, int64_t most, double most_flops);

// The suite that comes with the command.
std::string default_suite();

// Returns the shapes that --shape, --sweep and --suite name, or that --random draws, otherwise the suite; without those
// that --filter leaves out. Throws Error.
std::vector<Shape> choose_shapes(const BenchOptions &options);

// "64x64x65536", with "+1" for a pad of 1.
std::string shape_name(const Shape &shape);

}  // namespace command
