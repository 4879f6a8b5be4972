// Suggestions for misspelt names.
#pragma once

#include <string>
#include <vector>

namespace libsgemm {

// The name with the fewest insertions, deletions, replacements and swaps of neighbours; of equals the first. Empty if
// these are more than a third of the word's letters, and more than one. Case is ignored.
std::string nearest_name(const std::string &word, const std::vector<std::string> &names);

// "; did you mean NAME?", or "".
std::string did_you_mean(const std::string &word, const std::vector<std::string> &names);

}  // namespace libsgemm
