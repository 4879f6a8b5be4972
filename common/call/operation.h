// The operation that a call asks for: one of three kinds. Code that treats all alike asks these functions; code that
// differs is overloaded on the description and called by visit().
#pragma once

#include "contract/conv.h"
#include "contract/desc.h"

namespace libsgemm {

// Products of different sizes, none empty or without terms, in memory of one device.
struct GroupsDesc {
  const GemmDesc *groups;
  int64_t count;  // at least 1
};

// A view: the description outlives it.
class Operation {
 public:
  explicit Operation(const GemmDesc &product) : product_(&product) {}
  explicit Operation(const ConvDesc &conv) : conv_(&conv) {}
  explicit Operation(const GroupsDesc &groups) : groups_(&groups) {}

  // act(description)
  template <typename Act>
  auto visit(const Act &act) const {
    return groups_ != nullptr ? act(*groups_) : visit_one(act);
  }
  // Not for groups: they are neither verified nor in host memory.
  template <typename Act>
  auto visit_one(const Act &act) const {
    return conv_ != nullptr ? act(*conv_) : act(*product_);
  }

  const GemmDesc *product() const { return product_; }  // NULL: another kind

 private:
  const GemmDesc *product_ = nullptr;
  const ConvDesc *conv_ = nullptr;
  const GroupsDesc *groups_ = nullptr;
};

// The product that tells an operation's place in memory, its settings and its time.
inline const GemmDesc &as_product(const GemmDesc &desc) { return desc; }
inline GemmDesc as_product(const ConvDesc &desc) { return product_of(desc); }
inline const GemmDesc &as_product(const GroupsDesc &desc) { return *desc.groups; }

inline libsgemm_math_mode_t math_mode(const Operation &x) {
  return x.visit([](const auto &desc) { return as_product(desc).math_mode; });
}
inline libsgemm_deterministic_t deterministic(const Operation &x) {
  return x.visit([](const auto &desc) { return as_product(desc).deterministic; });
}
inline bool invariant(const Operation &x) { return deterministic(x) == LIBSGEMM_DETERMINISTIC_INVARIANT; }

inline bool reads_c(const ConvDesc &desc) { return desc.beta != 0.0f; }
inline bool reads_c(const GroupsDesc &desc) {
  for (int64_t i = 0; i < desc.count; ++i) {
    if (reads_c(desc.groups[i])) return true;
  }
  return false;
}
inline bool reads_c(const Operation &x) {
  return x.visit([](const auto &desc) { return reads_c(desc); });
}

}  // namespace libsgemm
