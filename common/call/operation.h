// The operation that a call asks for: one of three kinds. Code that treats all alike asks these functions; code that
// differs is overloaded on the description and called by visit().
#pragma once

#include <algorithm>

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
    return groups_ == nullptr ? visit_one(act) : act(*groups_);
  }
  // Not for groups: they are neither verified nor in host memory.
  template <typename Act>
  auto visit_one(const Act &act) const {
    return product_ != nullptr ? act(*product_) : act(*conv_);
  }

  const GemmDesc *product() const { return product_; }  // NULL: another kind

 private:
  const GemmDesc *product_ = nullptr;
  const ConvDesc *conv_ = nullptr;
  const GroupsDesc *groups_ = nullptr;
};

// The product that tells an operation's place in memory and its time.
inline const GemmDesc &as_product(const GemmDesc &desc) { return desc; }
inline GemmDesc as_product(const ConvDesc &desc) { return product_of(desc); }

// Groups have the same settings.
template <typename Desc>
const Desc &any_of_groups(const Desc &desc) {
  return desc;
}
inline const GemmDesc &any_of_groups(const GroupsDesc &desc) { return *desc.groups; }

inline libsgemm_math_mode_t math_mode(const Operation &x) {
  return x.visit([](const auto &desc) { return any_of_groups(desc).math_mode; });
}
inline libsgemm_deterministic_t deterministic(const Operation &x) {
  return x.visit([](const auto &desc) { return any_of_groups(desc).deterministic; });
}
inline bool invariant(const Operation &x) { return deterministic(x) == LIBSGEMM_DETERMINISTIC_INVARIANT; }

inline bool reads_c(const ConvDesc &desc) { return desc.beta != 0.0f; }
inline bool reads_c(const GroupsDesc &desc) {
  return std::any_of(desc.groups, desc.groups + desc.count, [](const GemmDesc &group) { return reads_c(group); });
}
inline bool reads_c(const Operation &x) {
  return x.visit([](const auto &desc) { return reads_c(desc); });
}

}  // namespace libsgemm
