#include "npy.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/command.h"
#include "base/output_file.h"
#include "npy_header.h"

namespace command {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are read as they are");

class Descriptor {
 public:
  // O_NONBLOCK: a FIFO is refused, not waited for.
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
  if (!S_ISREG(status.st_mode)) throw Error("is not a regular file");
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

// Does not map the file: if another process truncates it, an access raises SIGBUS.
void read_at(int descriptor, size_t offset, void *memory, size_t bytes) {
  constexpr size_t kMost = size_t{1} << 30;  // read(2) takes at most 2 GiB
  char *to = static_cast<char *>(memory);
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = pread(descriptor, to + done, std::min(bytes - done, kMost), static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("cannot be read: {}", strerror(errno)));
    if (got == 0) throw Error(fmt::format("truncated while it was read: it ends after {} bytes", offset + done));
    done += static_cast<size_t>(got);
  }
}

NpyHeader read_header(int descriptor, size_t file_bytes) {
  std::string head(std::min(file_bytes, kNpyPrefixBytes), '\0');
  read_at(descriptor, 0, head.data(), head.size());
  const size_t end = npy_header_end(head.data(), file_bytes), read = std::min(head.size(), end);
  head.resize(end);
  read_at(descriptor, read, head.data() + read, end - read);
  return parse_npy_header(head.data(), file_bytes);
}

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

void NpyMatrix::Free::operator()(float *memory) const { free(memory); }

NpyMatrix::NpyMatrix(const std::string &path) : path_(path) {
  try {
    read();
  } catch (const Error &error) {
    throw Error(path + ": " + error.what());
  }
}

void NpyMatrix::read() {
  const Descriptor descriptor(path_);
  const size_t file_bytes = size_of_regular_file(descriptor);
  const NpyHeader header = read_header(descriptor, file_bytes);
  check_type(header);
  check_size(header, file_bytes);
  rows_ = header.shape[0];
  columns_ = header.shape[1];
  fortran_order_ = header.fortran_order;
  const size_t bytes = file_bytes - header.data_offset;
  data_.reset(static_cast<float *>(malloc(std::max<size_t>(1, bytes))));
  if (data_ == nullptr) throw Error(fmt::format("not enough memory for its {} bytes", bytes));
  read_at(descriptor, header.data_offset, data_.get(), bytes);
}

void write_npy(const std::string &path, const float *data, int64_t rows, int64_t columns) {
  const std::string header = make_npy_header(rows, columns);
  write_output(path, {{header.data(), header.size()}, {data, static_cast<size_t>(rows * columns) * sizeof(float)}});
}

}  // namespace command
