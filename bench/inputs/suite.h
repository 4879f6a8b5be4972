// Problem shapes, from the command line or a suite file: CSV with columns m,n,k,pad,what. `what` is the rest of the
// line. A # begins a comment line.
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

// `text`: "m,n,k[,pad]" or the form of shape_name(). Throws Error.
Shape parse_shape(const std::string &text);

// `text`: "first:last:step", for square sizes. Throws Error.
std::vector<Shape> parse_sweep(const std::string &text);

// Throws Error "FILE:LINE: what".
std::vector<Shape> read_suite(const std::string &path);

// The shapes of a seed are the same on every machine: independent log-uniform sizes from `least` to `most`, a random
// half rounded down to multiples of 8, 16, 32 or 64. `most_flops`: operations of sgemm; 0: no limit. Throws Error.
std::vector<Shape> random_shapes(int count, uint64_t seed, int64_t least, int64_t most, double most_flops);

std::string default_suite();

// Returns the shapes that the options select, by default the installed suite. Throws Error.
std::vector<Shape> choose_shapes(const BenchOptions &options);

// Returns for example "64x64x65536", with "+1" for a pad of 1.
std::string shape_name(const Shape &shape);

}  // namespace command
