// AddressSanitizer also poisons the guards: it sees reads beyond a matrix.
#include "buffer.h"

#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define SGEMM_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SGEMM_TEST_ASAN 1
#endif
#endif
#ifdef SGEMM_TEST_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace sgemm_test {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kGuard = 128;  // bytes on either side

}  // namespace

Buffer::Buffer(int64_t elements, size_t element_size, int offset)
    : element_size_(element_size), bytes_(static_cast<size_t>(elements) * element_size) {
  const size_t shift = static_cast<size_t>(offset) * element_size;
  memory_.resize(bytes_ + shift + kAlignment + 2 * kGuard);
  for (size_t i = 0; i + 1 < memory_.size(); i += 2) std::memcpy(&memory_[i], &kPoison, sizeof kPoison);
  const auto address = reinterpret_cast<uintptr_t>(memory_.data()) + kGuard;
  begin_ = kGuard + (kAlignment - address % kAlignment) % kAlignment + shift;
}

Buffer::~Buffer() { unseal(); }

void Buffer::seal() {
  sealed_ = memory_;
  close_guards();
}

void Buffer::restore() {
  unseal();
  std::memcpy(memory_.data(), sealed_.data(), memory_.size());
  close_guards();
}

void Buffer::close_guards() const {
#ifdef SGEMM_TEST_ASAN
  ASAN_POISON_MEMORY_REGION(memory_.data(), begin_);
  ASAN_POISON_MEMORY_REGION(memory_.data() + begin_ + bytes_, memory_.size() - begin_ - bytes_);
#endif
}

void Buffer::unseal() const {
#ifdef SGEMM_TEST_ASAN
  ASAN_UNPOISON_MEMORY_REGION(memory_.data(), memory_.size());
#endif
}

std::string Buffer::damage(const std::vector<bool> &writable) const {
  unseal();
  const unsigned char *now = memory_.data(), *before = sealed_.data();
  if (std::memcmp(now, before, memory_.size()) == 0) return "";
  for (size_t i = 0; i < memory_.size(); ++i) {
    if (i == begin_) i += bytes_;
    if (now[i] == before[i]) continue;
    const size_t distance = i < begin_ ? begin_ - i : i - begin_ - bytes_;
    return std::to_string(distance) + " bytes " + (i < begin_ ? "before" : "after the end of") +
           " the matrix were written";
  }
  for (size_t element = 0; element < bytes_ / element_size_; ++element) {
    const size_t i = begin_ + element * element_size_;
    const bool may_differ = !writable.empty() && writable[element];
    if (!may_differ && std::memcmp(now + i, before + i, element_size_) != 0) {
      return "element " + std::to_string(element) + " of the array was written";
    }
  }
  return "";
}

}  // namespace sgemm_test
