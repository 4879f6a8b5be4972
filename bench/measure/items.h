// The measured calls: shapes, routines and forms.
#pragma once

#include <string>
#include <vector>

#include "inputs/routines.h"
#include "inputs/suite.h"

namespace command {

// A call, timed on each backend.
struct Item {
  Routine routine;
  Shape shape;
  Form form;
};

// `transposes`: "NT", or "N" for both.
Form make_form(const std::string &transposes);

// Returns the calls of --routine, --transposes, --side, --uplo, --batch, --max-flops and the options of shapes. Random
// shapes alternate between a routine's forms. Throws Error.
std::vector<Item> choose_items(const BenchOptions &options);

}  // namespace command
