// The operands of a call in host memory, and their blocks cut into pieces that are copied one by one.
#pragma once

#include "contract/backend.h"
#include "tile_plan.h"

namespace libsgemm {

// A, B or C of all products.
struct Operand {
  enum Which : int8_t { a, b, c } which;
  const GemmDesc *desc;
  size_t size;  // bytes of an element
  bool pinned;  // the device copies it in place

  Stored of_item(int64_t item) const;
};

// Describes an operand. It is pinned if all of it is page-locked, so that the device can copy it directly.
Operand make_operand(Operand::Which which, const GemmDesc &desc, const Backend &backend);

// Columns [column, column + columns) of a block, counted on from product to product, and rows of them: all, or some of
// a single column that is longer than a piece.
struct Piece {
  int64_t column, columns, row, rows;
};

// The piece that follows `column` and `row` and has at most `bytes` bytes on the device.
Piece next_piece(const Block &block, size_t size, size_t bytes, int64_t column, int64_t row);

// Byte offset of a piece in its block on the device, and its bytes there without the gap after its last column.
size_t piece_offset(const Block &block, const Piece &piece, size_t size);
size_t piece_bytes(const Block &block, const Piece &piece, size_t size);

// Copy a piece between host memory and a buffer with the device's layout. Of C, unpack() writes only the part that the
// routine writes.
void pack(const Operand &from, const Block &block, const Piece &piece, char *buffer);
void unpack(const Operand &to, const Block &block, const Piece &piece, const char *buffer);

// Describes the copy between host memory and the block on the device, for columns of one product.
Copy direct_copy(const Operand &operand, const Block &block, const Piece &piece, char *device, bool up);

}  // namespace libsgemm
