// Operands in host memory, and their blocks, cut into pieces that are copied one by one.
#pragma once

#include "contract/backend.h"
#include "tile_plan.h"

namespace libsgemm {

// A, B or C of all products.
struct Operand {
  enum Which : int8_t { a, b, c } which;
  const GemmDesc *desc;
  size_t size;  // of an element
  bool pinned;  // the device copies it in place

  Stored of_item(int64_t item) const;
};

// Pinned if all of it is page-locked: the device can copy it directly.
Operand make_operand(Operand::Which which, const GemmDesc &desc, const Backend &backend);

// Columns [column, column + columns) of a block, counted across products, with all rows, or some rows of a single
// column that is longer than a piece.
struct Piece {
  int64_t column, columns, row, rows;
};

// The piece from `column` and `row` with at most `bytes` bytes on the device.
Piece next_piece(const Block &block, size_t size, size_t bytes, int64_t column, int64_t row);

// Byte offset of a piece in its block on the device; its bytes there without the gap after the last column.
size_t piece_offset(const Block &block, const Piece &piece, size_t size);
size_t piece_bytes(const Block &block, const Piece &piece, size_t size);

// Copy between host memory and a buffer with the device's layout. unpack() writes only the part of C that the routine
// writes.
void pack(const Operand &from, const Block &block, const Piece &piece, char *buffer);
void unpack(const Operand &to, const Block &block, const Piece &piece, const char *buffer);

// The copy between host memory and the block on the device, for columns of one product.
Copy direct_copy(const Operand &operand, const Block &block, const Piece &piece, char *device, bool up);

}  // namespace libsgemm
