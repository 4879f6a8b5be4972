#include "operand.h"

#include <algorithm>
#include <cstring>

#include "matrix/host_matrix.h"

namespace libsgemm {
namespace {

bool page_locked(const Backend &backend, const void *first, const void *last) {
  const void *pointers[2] = {first, last};
  Location locations[2];
  backend.locate(pointers, 2, locations);
  return locations[0].space != Space::host && locations[1].space != Space::host;
}

const char *last_byte(const Stored &x) {
  return x.base + (static_cast<size_t>(x.cols - 1) * static_cast<size_t>(x.ld) + static_cast<size_t>(x.rows)) * x.size -
         1;
}

// Calls visit(item, first column, columns, columns before) for each product of a piece.
template <typename Visit>
void for_items(const Block &b, const Piece &p, const Visit &visit) {
  for (int64_t done = 0; done < p.columns;) {
    const int64_t at = p.column + done, item = at / b.cols, col = at % b.cols;
    const int64_t count = std::min(p.columns - done, b.cols - col);
    visit(b.item + item, b.col + col, count, done);
    done += count;
  }
}

size_t pitch(const Block &b, const Piece &p, size_t size) {
  return static_cast<size_t>(p.rows == b.rows ? device_ld(b.rows, size) : p.rows) * size;
}

const char *address(const Stored &x, int64_t row, int64_t col) {
  return x.base + (static_cast<size_t>(col) * static_cast<size_t>(x.ld) + static_cast<size_t>(row)) * x.size;
}

}  // namespace

Stored Operand::of_item(int64_t item) const {
  const GemmDesc d = batch_item(*desc, item);
  return which == a ? stored_a(d) : which == b ? stored_b(d) : stored_c(d);
}

Operand make_operand(Operand::Which which, const GemmDesc &desc, const Backend &backend) {
  Operand x = {which, &desc, which == Operand::c ? sizeof(float) : size_of(desc.type), false};
  const Stored first = x.of_item(0);
  if (first.rows == 0 || first.part != Stored::all) return x;
  if (desc.batch == Batch::pointers && desc.batch_count > 64) return x;  // small products, which are packed together
  if (desc.batch != Batch::pointers) {
    x.pinned = page_locked(backend, first.base, last_byte(x.of_item(desc.batch_count - 1)));
    return x;
  }
  x.pinned = true;
  for (int64_t i = 0; i < desc.batch_count && x.pinned; ++i) {
    x.pinned = page_locked(backend, x.of_item(i).base, last_byte(x.of_item(i)));
  }
  return x;
}

Piece next_piece(const Block &b, size_t size, size_t bytes, int64_t column, int64_t row) {
  const size_t whole = static_cast<size_t>(device_ld(b.rows, size)) * size;
  const int64_t left = b.items * b.cols - column;
  if (row == 0 && whole <= bytes) {
    return {column, std::min(left, static_cast<int64_t>(bytes / whole)), 0, b.rows};
  }
  return {column, 1, row, std::min(b.rows - row, static_cast<int64_t>(bytes / size))};
}

size_t piece_offset(const Block &b, const Piece &p, size_t size) {
  return (static_cast<size_t>(p.column) * static_cast<size_t>(device_ld(b.rows, size)) + static_cast<size_t>(p.row)) *
         size;
}

size_t piece_bytes(const Block &b, const Piece &p, size_t size) {
  // Excludes the gap after the last column, which may be beyond the end of the block.
  return (static_cast<size_t>(p.columns) - 1) * pitch(b, p, size) + static_cast<size_t>(p.rows) * size;
}

void pack(const Operand &from, const Block &b, const Piece &p, char *buffer) {
  const size_t to = pitch(b, p, from.size), bytes = static_cast<size_t>(p.rows) * from.size;
  for_items(b, p, [&](int64_t item, int64_t col, int64_t count, int64_t before) {
    const Stored x = from.of_item(item);
    const char *source = address(x, b.row + p.row, col);
    char *target = buffer + static_cast<size_t>(before) * to;
    const size_t step = static_cast<size_t>(x.ld) * x.size;
    if (step == to && bytes == to) {
      std::memcpy(target, source, bytes * static_cast<size_t>(count));
      return;
    }
    for (int64_t j = 0; j < count; ++j, source += step, target += to) std::memcpy(target, source, bytes);
  });
}

void unpack(const Operand &to, const Block &b, const Piece &p, const char *buffer) {
  const size_t from = pitch(b, p, to.size);
  for_items(b, p, [&](int64_t item, int64_t col, int64_t count, int64_t before) {
    const Stored x = to.of_item(item);
    const int64_t first = b.row + p.row;
    for (int64_t j = 0; j < count; ++j) {
      const RowRange rows = rows_of_part(x, col + j, first, first + p.rows);
      if (rows.first >= rows.last) continue;
      const char *source =
          buffer + static_cast<size_t>(before + j) * from + static_cast<size_t>(rows.first - first) * x.size;
      std::memcpy(const_cast<char *>(address(x, rows.first, col + j)), source,
                  static_cast<size_t>(rows.last - rows.first) * x.size);
    }
  });
}

Copy direct_copy(const Operand &operand, const Block &b, const Piece &p, char *device, bool up) {
  const Stored x = operand.of_item(b.item);
  char *host = const_cast<char *>(address(x, b.row + p.row, b.col + p.column));
  char *there = device + piece_offset(b, p, x.size);
  const size_t host_pitch = static_cast<size_t>(x.ld) * x.size, pitch_there = pitch(b, p, x.size);
  const size_t bytes = static_cast<size_t>(p.rows) * x.size;
  if (up) return {Copy::to_device, there, host, pitch_there, host_pitch, bytes, p.columns};
  return {Copy::to_host, host, there, host_pitch, pitch_there, bytes, p.columns};
}

}  // namespace libsgemm
