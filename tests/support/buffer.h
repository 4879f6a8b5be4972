// Guarded memory, filled with a NaN. It remembers its contents, to detect writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgemm_test {

// A NaN as binary16, as bfloat16 and, doubled, as binary32; its payload is one that no arithmetic makes.
constexpr uint16_t kPoison = 0x7fdb;

class Buffer {
 public:
  // `offset` elements of misalignment from a 64-byte boundary.
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

  // Ends the filling: stores the contents that `damage` compares with.
  void seal();

  // Opens the guards for inspection; with AddressSanitizer they trap until then.
  void unseal() const;

  // Puts the sealed contents back, and closes the guards again.
  void restore();

  // Empty, or a sentence naming the first byte that differs from the sealed contents, guards included. `writable` says
  // for each element whether it may differ; empty means none may.
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
