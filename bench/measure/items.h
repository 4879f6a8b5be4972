#pragma once

#include <string>
#include <vector>

#include "inputs/routines.h"
#include "inputs/suite.h"

namespace command {

struct Item {
  Routine routine;
  Shape shape;
  Form form;
};

// `transposes`: "NT", or "N" for both.
Form make_form(const std::string &transposes);

// Random shapes alternate between a routine's forms. Throws Error.
std::vector<Item> choose_items(const BenchOptions &options);

}  // namespace command
