// Guarded memory, filled with NaN, that detects changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgemm_test {

// A NaN of binary16, bfloat16 and, doubled, binary32; no arithmetic makes its payload.
constexpr uint16_t kPoison = 0x7fdb;

class Buffer {
 public:
  // `offset`: elements of misalignment from 64 bytes.
  Buffer(int64_t elements, size_t element_size, int offset);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  unsigned char *data() { return memory_.data() + begin_; }
  const unsigned char *data() const { return memory_.data() + begin_; }
  template <typename T>
  T *as() {
    return reinterpret_cast<T *>(data());
  }
  template <typename T>
  const T *as() const {
    return reinterpret_cast<const T *>(data());
  }

  void seal();

  // Opens the guards, on which AddressSanitizer traps.
  void unseal() const;

  void restore();

  // Names the first byte, guards included, that differs from the sealed contents, or returns "". `writable` elements
  // may differ.
  std::string damage(const std::vector<bool> &writable = {}) const;

 private:
  void close_guards() const;

  size_t element_size_;
  size_t bytes_;
  size_t begin_;
  std::vector<unsigned char> memory_;
  std::vector<unsigned char> sealed_;
};

}  // namespace sgemm_test
