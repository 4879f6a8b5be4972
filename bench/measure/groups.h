// Groups of one product each, of different sizes (`libsgemm bench --groups`).
#pragma once

#include <libsgemm.h>

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/routines.h"
#include "inputs/suite.h"

namespace command {

struct GroupsKind {
  enum Distribution {
    kUniform,  // from 0 to m
    kZipf,     // m / 1, m / 2, m / 3, ... in random order
    kEmpty     // 0 for half of them, else 1 to m
  } distribution;
  int64_t count;
  std::string text;
};

// Parses "uniform:128". Throws Error.
GroupsKind parse_groups(const std::string &text);

// A seed gives the same rows on every machine.
std::vector<int64_t> draw_rows(const GroupsKind &kind, const Shape &shape, uint64_t seed);

}  // namespace command
