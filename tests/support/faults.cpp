#include "faults.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace sgemm_test {
namespace {

class Maker {
 public:
  Maker(Routine routine, const Args &right, const Padding &padding)
      : right_(right),
        padding_(padding),
        wide_inputs_(element_of(routine) == Element::kFloat),
        in_place_(is_in_place(routine)),
        strided_(single_of(routine) != routine) {}

  void make(const std::string &name, std::vector<Fault> *faults) {
    faults_ = faults;
    name_ = name;
    if (name == "layout") {
      enumerators(&Args::layout, {0, 100, 103});
    } else if (name == "transa" || name == "trans") {
      enumerators(&Args::transa, {0, 110, 114});
    } else if (name == "transb") {
      enumerators(&Args::transb, {0, 110, 114});
    } else if (name == "side") {
      enumerators(&Args::side, {0, 140, 143});
    } else if (name == "uplo") {
      enumerators(&Args::uplo, {0, 120, 123});
    } else if (name == "diag") {
      enumerators(&Args::diag, {0, 130, 133});
    } else if (name == "m") {
      values(&Args::m, {-1, INT64_MIN});
    } else if (name == "n") {
      values(&Args::n, {-1, INT64_MIN});
    } else if (name == "k") {
      values(&Args::k, {-1, INT64_MIN});
    } else if (name == "lda") {
      leading_dimension(&Args::lda, padding_.a);
    } else if (name == "ldc" || (name == "ldb" && in_place_)) {
      leading_dimension(&Args::ldc, padding_.c);
    } else if (name == "ldb") {
      leading_dimension(&Args::ldb, padding_.b);
    } else if (name == "A") {
      add("NULL").a = nullptr;
    } else if (name == "C" || (name == "B" && in_place_)) {
      add("NULL").c = nullptr;
    } else if (name == "B") {
      add("NULL").b = nullptr;
    } else if (name == "stride_a") {
      values(&Args::stride_a, {-1, INT64_MIN, INT64_MAX / 2});
    } else if (name == "stride_c" || (name == "stride_b" && in_place_)) {
      values(&Args::stride_c, {right_.stride_c - 1, 0, -1, INT64_MAX / 2});
    } else if (name == "stride_b") {
      values(&Args::stride_b, {-1, INT64_MIN, INT64_MAX / 2});
    } else if (name == "batch_count") {
      values(&Args::batch_count, {-1, INT64_MIN});
    }
  }

 private:
  Args &add(const std::string &label) {
    faults_->push_back({name_, label, right_});
    return faults_->back().args;
  }

  // The values fit in the enumeration's bits: the cast is defined.
  template <typename Enum>
  void enumerators(Enum Args::*field, std::initializer_list<int> wrong) {
    for (const int value : wrong) add(std::to_string(value)).*field = static_cast<Enum>(value);
  }

  void values(int64_t Args::*field, std::initializer_list<int64_t> wrong) {
    for (const int64_t value : wrong) add(std::to_string(value)).*field = value;
  }

  void leading_dimension(int64_t Args::*field, int padding) {
    const int64_t least = right_.*field - padding;
    values(field, {least - 1, 0, -1, INT64_MIN});
    // The second column is beyond 2^63 elements, or bytes.
    values(field, {INT64_MAX, INT64_MAX / 2 + 1});
    // The size does not overflow, but its sum with any address does.
    if (!strided_) add("overflows the address").*field = address_overflow(field);
  }

  // Two columns are just below 2^63 bytes apart, more columns exceed it.
  int64_t address_overflow(int64_t Args::*field) const {
    return (INT64_MAX - 4096) / (wide_inputs_ || field == &Args::ldc ? 4 : 2);
  }

  const Args &right_;
  const Padding &padding_;
  bool wide_inputs_;
  bool in_place_;
  bool strided_;
  std::string name_;
  std::vector<Fault> *faults_ = nullptr;
};

}  // namespace

std::vector<Fault> faults_of(Routine routine, const Args &right, const Padding &padding) {
  std::vector<Fault> faults;
  Maker maker(routine, right, padding);
  for (const std::string &name : parameters(routine)) maker.make(name, &faults);
  return faults;
}

bool has_word(const std::string &text, const std::string &word) {
  const auto is_part = [&text](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) return true;
  }
  return false;
}

std::string first_kernel() {
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    if (const char *name = libsgemm_kernel_name(index, 0)) return name;
  }
  return "";
}

std::string misreported(libsgemm_status_t status, const std::string &entry, const std::vector<std::string> &names,
                        const std::string &parameter) {
  const libsgemm_info_t info = last_info();
  const std::string message = info.message;
  const auto position = std::find(names.begin(), names.end(), parameter) - names.begin() + 1;
  if (status != LIBSGEMM_INVALID_ARGUMENT) return "status is " + std::to_string(status) + ": " + message;
  if (info.status != status) return "libsgemm_last_info has status " + std::to_string(info.status);
  if (info.argument != position) {
    return "argument is " + std::to_string(info.argument) + ", expected " + std::to_string(position) + ": " + message;
  }
  if (!has_word(message, parameter)) return "the message does not name the argument: " + message;
  if (!has_word(message, entry)) return "the message does not name " + entry + ": " + message;
  if (entry != info.entry) return std::string("entry is ") + info.entry;
  return "";
}

}  // namespace sgemm_test
