// Packing through views. Structure is looked at panel by panel: beside the diagonal a view is plain memory.
#pragma once

#include "steps.h"

namespace libsgemm {

// `line`: numbers for a panel, or for a line of all rows.
template <typename Real>
void pack_general(const Cpu &cpu, const Pack<Real> &how, const View &v, Span rows, Span terms, int64_t distance,
                  float *line, Real *out) {
  const bool by_rows = v.row_step == 1;
  const int64_t count = rows.last - rows.first, depth = terms.last - terms.first;
  const void *const data = v.block(rows.first, terms.first).data;
  if (v.type == Type::f32) {
    const auto pack = by_rows ? how.by_rows : how.by_terms;
    pack(static_cast<const float *>(data), by_rows ? v.col_step : v.row_step, count, depth, distance, out);
    return;
  }
  const uint16_t *halves = static_cast<const uint16_t *>(data);
  if (by_rows) {
    for (int64_t l = 0; l < depth; ++l) {
      cpu.widen(v.type, halves + l * v.col_step, count, line);
      how.by_rows(line, 0, count, 1, distance, out + l * how.width);
    }
    return;
  }
  for (int64_t i = 0; i < count; i += how.width, out += distance) {
    const int64_t some = std::min<int64_t>(how.width, count - i);
    for (int64_t r = 0; r < some; ++r) cpu.widen(v.type, halves + (i + r) * v.row_step, depth, line + r * depth);
    how.by_terms(line, depth, some, depth, distance, out);
  }
}

// Outside of a triangle stands the diagonal, a number that the routine multiplies anyway.
template <typename Real>
void pack_diagonal(const Pack<Real> &how, const View &v, Span rows, Span terms, Real *out) {
  for (int64_t l = terms.first; l < terms.last; ++l, out += how.width) {
    for (int64_t r = 0; r < how.width; ++r) {
      const int64_t i = std::min(rows.first + r, rows.last - 1);
      const bool outside = v.structure == View::triangular && i != l && (i < l) != v.upper;
      out[r] = v.at(outside ? l : i, l);
    }
  }
}

// Packs one panel. Terms outside of a triangle are left out.
template <typename Real>
void pack_structured(const Cpu &cpu, const Pack<Real> &how, const View &v, Span rows, Span terms, float *line,
                     Real *out) {
  const int64_t before = std::clamp(rows.first, terms.first, terms.last);
  const int64_t after = std::clamp(rows.last, terms.first, terms.last);
  const auto part = [&](Span some, bool stored) {
    if (some.first == some.last || (!stored && v.structure == View::triangular)) return;
    View plain = stored ? v : v.transposed();
    plain.structure = View::general;
    pack_general(cpu, how, plain, rows, some, 0, line, out + (some.first - terms.first) * how.width);
  };
  part({terms.first, before}, !v.upper);
  pack_diagonal(how, v, rows, {before, after}, out + (before - terms.first) * how.width);
  part({after, terms.last}, v.upper);
}

template <typename Real>
void pack(const Cpu &cpu, const Pack<Real> &how, const View &v, Span rows, Span terms, float *line, Real *out) {
  const int64_t distance = (terms.last - terms.first) * how.width;
  if (v.structure == View::general) return pack_general(cpu, how, v, rows, terms, distance, line, out);
  for (int64_t i = rows.first; i < rows.last; i += how.width, out += distance) {
    pack_structured(cpu, how, v, {i, std::min(rows.last, i + how.width)}, terms, line, out);
  }
}

}  // namespace libsgemm
