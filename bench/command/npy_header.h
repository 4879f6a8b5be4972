// The header of NumPy's .npy format, versions 1.0 to 3.0: magic, version, length, and a Python dict with the keys
// descr, fortran_order and shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace command {

struct NpyHeader {
  std::string descr;  // NumPy's element type: "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
  size_t data_offset = 0;
};

// Both functions throw Error without the file's name. This one reads at most kNpyPrefixBytes.
constexpr size_t kNpyPrefixBytes = 12;
size_t npy_header_end(const char *file, size_t size);

// Reads nothing after the header's end.
NpyHeader parse_npy_header(const char *file, size_t size);

// Returns the header of a C-ordered float32 matrix; its length is a multiple of 64 bytes.
std::string make_npy_header(int64_t rows, int64_t columns);

// "float64" for "<f8", "big-endian float32" for ">f4", "an unknown type" for types that are not plain.
std::string dtype_name(const std::string &descr);

// "(3, 4)", "(5,)", "()".
std::string shape_text(const std::vector<int64_t> &shape);

}  // namespace command
