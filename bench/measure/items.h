// The calls that are measured: shapes, routines and their forms, from the command line.
#pragma once

#include <string>
#include <vector>

#include "inputs/routines.h"
#include "inputs/suite.h"

namespace command {

// One set of operands, timed on each backend.
struct Item {
  Routine routine;
  Shape shape;
  Form form;
};

// `transposes`: "NT", or "N" for both.
Form make_form(const std::string &transposes);

// Returns the calls that --routine, --transposes, --side, --uplo, --batch, --max-flops and the options of shapes name.
// Random shapes alternate between the forms of a routine. Throws Error.
std::vector<Item> choose_items(const BenchOptions &options);

}  // namespace command
