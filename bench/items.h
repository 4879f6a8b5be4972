// Which calls are measured: shapes, routines and transposes, from the command line.
#pragma once

#include <string>
#include <vector>

#include "routines.h"
#include "suite.h"

namespace command {

// One set of operands, timed on each backend.
struct Item {
  Routine routine;
  Shape shape;
  libsgemm_op_t transa, transb;
  std::string transposes;
};

// `transposes` as a routine has them in its own words: "NT", "T", "-".
Item make_item(Routine routine, const Shape &shape, const std::string &transposes);

// What --routine, --transposes, --max-flops and the options of shapes name; of random shapes each has its transposes in
// turn. Throws Error.
std::vector<Item> choose_items(const BenchOptions &options);

}  // namespace command
