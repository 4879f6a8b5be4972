// Operands in host memory, cut into blocks, and blocks into pieces that are copied one by one.
#pragma once

#include "contract/backend.h"
#include "tile_plan.h"

namespace libsgemm {

struct Operand {
  enum Which : int8_t { a, b, c } which;
  const GemmDesc *desc;
  size_t size;  // bytes of an element
  bool pinned;  // the device copies it in place

  Stored of_item(int64_t item) const;
};

Operand make_operand(Operand::Which which, const GemmDesc &desc, const Backend &backend);

// Columns [column, column + columns) of a block, counted across products, with all rows; or some rows of a column
// longer than a piece.
struct Piece {
  int64_t column, columns, row, rows;
};

Piece next_piece(const Block &block, size_t size, size_t bytes, int64_t column, int64_t row);

// Bytes: offset in the block on the device; length without the last column's padding.
size_t piece_offset(const Block &block, const Piece &piece, size_t size);
size_t piece_bytes(const Block &block, const Piece &piece, size_t size);

// Copies between host memory and a buffer in the device's layout. unpack() writes only what the routine writes.
void pack(const Operand &from, const Block &block, const Piece &piece, char *buffer);
void unpack(const Operand &to, const Block &block, const Piece &piece, const char *buffer);

Copy direct_copy(const Operand &operand, const Block &block, const Piece &piece, char *device, bool up);

}  // namespace libsgemm
