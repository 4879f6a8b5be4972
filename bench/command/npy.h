// Little-endian float32 matrices in .npy files, C- or Fortran-ordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace command {

class NpyMatrix {
 public:
  // Throws Error, whose text begins with the file's name.
  explicit NpyMatrix(const std::string &path);

  const std::string &path() const { return path_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  bool fortran_order() const { return fortran_order_; }
  const float *data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float *memory) const;
  };

  void read();

  std::string path_;
  int64_t rows_ = 0, columns_ = 0;
  bool fortran_order_ = false;
  std::unique_ptr<float, Free> data_;
};

void write_npy(const std::string &path, const float *data, int64_t rows, int64_t columns);

}  // namespace command
