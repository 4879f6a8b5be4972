// Matrices in .npy files: float32 little-endian, two-dimensional, C- or Fortran-ordered, mapped read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace command {

class NpyMatrix {
 public:
  // Maps the file. Throws Error, beginning with the file's name, if it is anything but such a matrix and nothing else.
  explicit NpyMatrix(const std::string &path);

  const std::string &path() const { return path_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  bool fortran_order() const { return fortran_order_; }
  const float *data() const { return data_; }

 private:
  struct Unmap {
    size_t bytes;
    void operator()(void *address) const;
  };

  void read();

  std::string path_;
  int64_t rows_ = 0, columns_ = 0;
  bool fortran_order_ = false;
  const float *data_ = nullptr;
  std::unique_ptr<void, Unmap> mapping_;
  std::vector<float> copy_;  // used where the header leaves the data on an odd address
};

// Writes a C-ordered matrix whose rows stand one after another; atomically, as write_output.
void write_npy(const std::string &path, const float *data, int64_t rows, int64_t columns);

}  // namespace command
