// Suggestions for misspelt names.
#pragma once

#include <string>
#include <vector>

namespace libsgemm {

// The name with the fewest edits (insertions, deletions, replacements, swaps of neighbours), ignoring case. Empty: more
// than one edit, and more than a third of the word's letters.
std::string nearest_name(const std::string &word, const std::vector<std::string> &names);

std::string did_you_mean(const std::string &word, const std::vector<std::string> &names);

}  // namespace libsgemm
