// Edit distance with swaps ("optimal string alignment").
#include "nearest.h"

#include <algorithm>

namespace libsgemm {
namespace {

// Not tolower(), which follows the program's locale.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

size_t edits(const std::string &x, const std::string &y) {
  // Row i: distances of x's first i letters from each prefix of y. Only the last three are needed.
  std::vector<size_t> rows[3];
  for (std::vector<size_t> &row : rows) row.resize(y.size() + 1);
  for (size_t j = 0; j <= y.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= x.size(); ++i) {
    std::vector<size_t> &now = rows[i % 3];
    const std::vector<size_t> &before = rows[(i + 2) % 3], &earlier = rows[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= y.size(); ++j) {
      const bool same = lower(x[i - 1]) == lower(y[j - 1]);
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(x[i - 1]) == lower(y[j - 2]) && lower(x[i - 2]) == lower(y[j - 1]);
      if (swapped) now[j] = std::min(now[j], earlier[j - 2] + 1);
    }
  }
  return rows[x.size() % 3][y.size()];
}

}  // namespace

std::string nearest_name(const std::string &word, const std::vector<std::string> &names) {
  std::string best;
  size_t fewest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string &name : names) {
    const size_t distance = edits(word, name);
    if (distance >= fewest) continue;
    fewest = distance;
    best = name;
  }
  return best;
}

std::string did_you_mean(const std::string &word, const std::vector<std::string> &names) {
  const std::string name = nearest_name(word, names);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace libsgemm
