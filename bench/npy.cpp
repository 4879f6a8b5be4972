#include "npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "command.h"
#include "npy_header.h"
#include "output_file.h"

namespace command {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are mapped as they are");

class Descriptor {
 public:
  // O_NONBLOCK, so that a FIFO is refused rather than waited for.
  explicit Descriptor(const std::string &path) : value_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (value_ < 0) throw Error(fmt::format("cannot be opened: {}", strerror(errno)));
  }
  ~Descriptor() { close(value_); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  operator int() const { return value_; }

 private:
  int value_;
};

size_t size_of_regular_file(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) throw Error(fmt::format("cannot be examined: {}", strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw Error("is a directory");
  if (!S_ISREG(status.st_mode)) throw Error("is not a regular file, and so cannot be mapped");
  return static_cast<size_t>(status.st_size);
}

void check_type(const NpyHeader &header) {
  if (header.descr != "<f4") {
    throw Error(fmt::format("its elements are {} (dtype '{}'); float32 (dtype '<f4') is wanted",
                            dtype_name(header.descr), header.descr));
  }
  if (header.shape.size() != 2) {
    throw Error(fmt::format("it has {} dimension{}, shape {}; a matrix with 2 is wanted", header.shape.size(),
                            header.shape.size() == 1 ? "" : "s", shape_text(header.shape)));
  }
}

// The header's claim against the file.
void check_size(const NpyHeader &header, size_t file_bytes) {
  int64_t bytes;
  if (__builtin_mul_overflow(header.shape[0], header.shape[1], &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<int64_t>(sizeof(float)), &bytes)) {
    throw Error(fmt::format("shape {} overflows: that is beyond 2^63 bytes", shape_text(header.shape)));
  }
  const size_t present = file_bytes - header.data_offset;
  const size_t wanted = static_cast<size_t>(bytes);
  if (present < wanted) {
    throw Error(fmt::format("truncated: shape {} needs {} bytes of data, the file has {}", shape_text(header.shape),
                            wanted, present));
  }
  if (present > wanted) {
    throw Error(fmt::format("{} bytes follow the {} bytes of data of shape {}", present - wanted, wanted,
                            shape_text(header.shape)));
  }
}

}  // namespace

void NpyMatrix::Unmap::operator()(void *address) const { munmap(address, bytes); }

NpyMatrix::NpyMatrix(const std::string &path) : path_(path), mapping_(nullptr, Unmap{0}) {
  try {
    read();
  } catch (const Error &error) {
    throw Error(path + ": " + error.what());
  }
}

void NpyMatrix::read() {
  const Descriptor descriptor(path_);
  const size_t bytes = size_of_regular_file(descriptor);
  const char *file = "";
  if (bytes > 0) {
    void *address = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) throw Error(fmt::format("cannot be mapped: {}", strerror(errno)));
    mapping_ = {address, Unmap{bytes}};
    file = static_cast<const char *>(address);
  }
  const NpyHeader header = parse_npy_header(file, bytes);
  check_type(header);
  check_size(header, bytes);
  if (mapping_ != nullptr) madvise(mapping_.get(), bytes, MADV_WILLNEED);
  rows_ = header.shape[0];
  columns_ = header.shape[1];
  fortran_order_ = header.fortran_order;
  if (header.data_offset % alignof(float) == 0) {
    data_ = reinterpret_cast<const float *>(file + header.data_offset);
  } else {
    copy_.resize(static_cast<size_t>(rows_ * columns_));
    if (!copy_.empty()) memcpy(copy_.data(), file + header.data_offset, copy_.size() * sizeof(float));
    data_ = copy_.data();
  }
}

void write_npy(const std::string &path, const float *data, int64_t rows, int64_t columns) {
  const std::string header = make_npy_header(rows, columns);
  write_output(path, {{header.data(), header.size()}, {data, static_cast<size_t>(rows * columns) * sizeof(float)}});
}

}  // namespace command
