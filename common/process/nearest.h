// Suggestions for misspelt names.
#pragma once

#include <string>
#include <vector>

namespace libsgemm {

// Returns the name that `word` turns into with the fewest insertions, deletions, replacements and swaps of neighbouring
// letters; of equals the first. Empty if that takes more edits than a third of the word's letters, and more than one.
// Case is ignored.
std::string nearest_name(const std::string &word, const std::vector<std::string> &names);

// Returns "; did you mean NAME?", or "" if no name is near.
std::string did_you_mean(const std::string &word, const std::vector<std::string> &names);

}  // namespace libsgemm
