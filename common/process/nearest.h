// The name that somebody may have meant who wrote another one.
#pragma once

#include <string>
#include <vector>

namespace libsgemm {

// The one of `names` that fewest insertions, deletions, replacements and swaps of neighbouring letters make of `word`,
// the first of equals; empty if that takes more than a third of the word's letters. Upper and lower case are the same.
std::string nearest_name(const std::string &word, const std::vector<std::string> &names);

// "; did you mean NAME?", or nothing if no name is near.
std::string did_you_mean(const std::string &word, const std::vector<std::string> &names);

}  // namespace libsgemm
