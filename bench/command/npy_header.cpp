#include "npy_header.h"

#include <fmt/format.h>
#include <string.h>

#include "base/command.h"

namespace command {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = sizeof kMagic - 1;

// Parses the few Python literals of a header; throws Error for others.
class Literal {
 public:
  Literal(const char *begin, const char *end) : at_(begin), end_(end) {}

  bool accept(char wanted) {
    skip_space();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' is missing", wanted));
  }
  bool next_is(char c) {
    skip_space();
    return at_ != end_ && *at_ == c;
  }
  bool at_end() {
    skip_space();
    return at_ == end_;
  }

  std::string string() {
    skip_space();
    if (at_ == end_ || (*at_ != '\'' && *at_ != '"')) fail("a string is missing");
    const char quote = *at_++;
    std::string text;
    for (; at_ != end_ && *at_ != quote; ++at_) {
      if (*at_ == '\\' || *at_ == '\n') fail("a string has an escape or a line break");
      text += *at_;
    }
    if (at_ == end_) fail("a string does not end");
    ++at_;
    return text;
  }

  bool boolean() {
    skip_space();
    const std::string word = letters();
    if (word == "True") return true;
    if (word == "False") return false;
    fail("fortran_order is neither True nor False");
  }

  std::vector<int64_t> tuple_of_sizes() {
    std::vector<int64_t> sizes;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("',' is missing in shape");
      sizes.push_back(size());
      comma = accept(',');
    }
    if (sizes.size() == 1 && !comma) fail("shape is not a tuple");
    return sizes;
  }

  [[noreturn]] static void fail(const std::string &what) { throw Error("bad header: " + what); }

 private:
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r' || *at_ == '\f')) ++at_;
  }
  std::string letters() {
    std::string word;
    while (at_ != end_ && ((*at_ >= 'a' && *at_ <= 'z') || (*at_ >= 'A' && *at_ <= 'Z'))) word += *at_++;
    return word;
  }
  int64_t size() {
    skip_space();
    if (at_ != end_ && *at_ == '-') fail("shape has a negative size");
    if (at_ == end_ || *at_ < '0' || *at_ > '9') fail("shape has something that is not a size");
    int64_t value = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *at_ - '0', &value)) {
        fail("shape overflows: a size is beyond 2^63");
      }
    }
    if (at_ != end_ && *at_ == 'L') ++at_;  // suffix of Python 2's long integers
    return value;
  }

  const char *at_;
  const char *end_;
};

uint64_t little_endian(const char *bytes, int count) {
  uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

NpyHeader parse_dict(const char *begin, const char *end) {
  NpyHeader header;
  bool seen_descr = false, seen_order = false, seen_shape = false;
  const auto once = [](bool *seen, const std::string &key) {
    if (*seen) Literal::fail("key '" + key + "' appears twice");
    *seen = true;
  };
  Literal literal(begin, end);
  literal.expect('{');
  bool comma = true;
  while (!literal.accept('}')) {
    if (!comma) literal.fail("',' is missing between keys");
    const std::string key = literal.string();
    literal.expect(':');
    if (key == "descr") {
      once(&seen_descr, key);
      if (literal.next_is('[') || literal.next_is('(')) {
        throw Error("its elements are structured; float32 (dtype '<f4') is wanted");
      }
      header.descr = literal.string();
    } else if (key == "fortran_order") {
      once(&seen_order, key);
      header.fortran_order = literal.boolean();
    } else if (key == "shape") {
      once(&seen_shape, key);
      header.shape = literal.tuple_of_sizes();
    } else {
      literal.fail("unknown key '" + key + "'");
    }
    comma = literal.accept(',');
  }
  if (!literal.at_end()) literal.fail("something follows the closing '}'");
  if (!seen_descr) literal.fail("key 'descr' is missing");
  if (!seen_order) literal.fail("key 'fortran_order' is missing");
  if (!seen_shape) literal.fail("key 'shape' is missing");
  return header;
}

struct Extent {
  size_t begin, end;
};

Extent find_dict(const char *file, size_t size) {
  if (size == 0) throw Error("not a .npy file: it is empty");
  if (memcmp(file, kMagic, size < kMagicBytes ? size : kMagicBytes) != 0) {
    throw Error("not a .npy file: it does not begin with \\x93NUMPY");
  }
  if (size < kMagicBytes + 2) throw Error("truncated: the file ends within its header");
  const int major = static_cast<unsigned char>(file[kMagicBytes]);
  const int minor = static_cast<unsigned char>(file[kMagicBytes + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(fmt::format("version {}.{} of the .npy format is not known; 1.0, 2.0 and 3.0 are", major, minor));
  }
  const int length_bytes = major == 1 ? 2 : 4;
  const size_t start = kMagicBytes + 2 + static_cast<size_t>(length_bytes);
  if (size < start) throw Error("truncated: the file ends within its header");
  const uint64_t length = little_endian(file + kMagicBytes + 2, length_bytes);
  if (length > size - start) {
    throw Error(fmt::format("truncated: the header should have {} bytes, the file has {}", length, size - start));
  }
  return {start, start + length};
}

}  // namespace

size_t npy_header_end(const char *file, size_t size) { return find_dict(file, size).end; }

NpyHeader parse_npy_header(const char *file, size_t size) {
  const Extent dict = find_dict(file, size);
  NpyHeader header = parse_dict(file + dict.begin, file + dict.end);
  header.data_offset = dict.end;
  return header;
}

std::string make_npy_header(int64_t rows, int64_t columns) {
  const size_t start = kMagicBytes + 4;
  std::string dict = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  dict.append((64 - (start + dict.size() + 1) % 64) % 64, ' ');
  dict += '\n';
  std::string header = kMagic;
  header += {'\1', '\0', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

std::string dtype_name(const std::string &descr) {
  const size_t prefix = descr.find_first_of("<>|=") == 0 ? 1 : 0;
  if (descr.size() < prefix + 2 || descr.find_first_not_of("0123456789", prefix + 1) != std::string::npos) {
    return descr == "|O" ? "Python objects" : "an unknown type";
  }
  const std::string digits = descr.substr(prefix + 1);
  const std::string bits = digits.size() < 4 ? fmt::format("{}", 8 * std::stoi(digits)) : "";
  const std::string order = prefix == 1 && descr[0] == '>' ? "big-endian " : "";
  switch (descr[prefix]) {
    case 'f':
      return order + "float" + bits;
    case 'c':
      return order + "complex" + bits;
    case 'i':
      return order + "int" + bits;
    case 'u':
      return order + "uint" + bits;
    case 'b':
      return "bool";
    case 'S':
    case 'U':
      return "text";
    case 'M':
    case 'm':
      return "times";
    default:
      return "an unknown type";
  }
}

std::string shape_text(const std::vector<int64_t> &shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace command
