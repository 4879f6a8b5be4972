// Tiles of an operand that is gathered from a tensor (gpu/conv/conv_problem.h), for the loop of matrix.h. Lookups of
// addresses are cut into pieces without branches, each short enough to follow one matrix instruction. Elements outside
// of the image are read from an array of zeros.
//
// While k-tile t is multiplied, the addresses of k-tile t + 2 are made from one of two slots of places in LDS, and the
// places of k-tile t + 3 are written to the other slot. The loop's barrier follows both; then k-tile t + 2 is fetched.
//
//   LDS, in ConvPlaces    [rows of the tile, inner][slot 0: places of k][slot 1][those of the first k-tile]
#pragma once

#include "gpu/conv/gather_tile.h"
#include "hip/tensor/matrix.h"

namespace libsgemm::hip {

using namespace gpu;

__device__ const float kZeros[4] = {};

template <class Map>
struct GatherParts : GatheredTile<Map> {
  using Tile = GatheredTile<Map>;
  using Tile::copies, Tile::width, Tile::step, Tile::along_k, Tile::outer_places, Tile::sum_places, Tile::sum_step;
  using Staged = float[copies][width];
  static constexpr int places = outer_places + 3 * sum_places;
  static constexpr int parts = copies + 1;  // pieces of a lookup

  const ConvPlace *slots;
  int slot;                   // slot of the k-tile to look up
  int of_k;                   // first place in that slot
  Global<const char> *zeros;  // kept in vector registers like `data`: an instruction can read several
  ConvPlace own, listed[2];
  Global<const char> *own_data;      // includes the thread's own place
  Global<const char> *from[copies];  // addresses of the k-tile to fetch

  // SumPlaces and a barrier must precede the first fetch.
  __device__ __forceinline__ GatherParts(const ConvIndex &outer, const ConvOperand &operand, int group, int first,
                                         ConvPlace *table)
      : Tile(outer, operand, group, first, table),
        slots(table + outer_places),
        slot(2 * sum_places),
        zeros(reinterpret_cast<Global<const char> *>(global(kZeros))),
        own{0, this->own_h, this->own_w},
        own_data(this->data) {
    keep_in_register(zeros);
    keep_in_register(this->data);
  }

  // Reads the place of copy kPart, and makes the address of the previous copy.
  template <int kPart>
  __device__ __forceinline__ void look_up() {
    if constexpr (kPart == 0) {
      of_k = slot + this->k / sum_step;
      keep_in_register(of_k);  // others are at constant distances
      if constexpr (along_k) own = load_place(slots + of_k);
    }
    if constexpr (kPart < copies) {
      listed[kPart % 2] = load_place((along_k ? this->outer_table : slots + of_k) + kPart * step);
      keep_order();
    } else {
      slot = sum_places - slot;
    }
    if constexpr (kPart == 1 && along_k) own_data = this->data + own.bytes;
    if constexpr (kPart > 0) {
      const ConvPlace &at = listed[(kPart - 1) % 2];
      Global<const char> *&address = from[kPart - 1];
      address = this->inside(own, at) ? own_data + at.bytes : zeros;
      pin(address);
    }
  }

  __device__ __forceinline__ void fetch(Staged &staged) const {
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      if constexpr (width == 4) {
        const Vec4 x = *reinterpret_cast<Global<const Vec4> *>(from[i]);
        staged[i][0] = x.x, staged[i][1] = x.y, staged[i][2] = x.z, staged[i][3] = x.w;
      } else {
        staged[i][0] = *reinterpret_cast<Global<const float> *>(from[i]);
      }
    }
  }
  // Needs no depth: places past the end of the sum are outside of the image.
  __device__ __forceinline__ void fetch_short(Staged &staged, int) {
    for_constants<parts>([&](auto i) { look_up<decltype(i)::value>(); });
    slot = 0;
    fetch(staged);
  }
  // For the first k-tile; in the loop look_up() does this.
  __device__ __forceinline__ void advance(int) {
    for_constants<parts>([&](auto i) { look_up<decltype(i)::value>(); });
  }
  __device__ __forceinline__ void advance() const {}
};

// Writes the places of k of both operands without divisions: from one k-tile to the next, the digits of a k grow by the
// same numbers, and may carry. Half of a wave's lanes compute A's places, the others B's. To avoid a branch all waves
// compute places, but only the first one writes.
template <class A, class B>
struct SumPlaces {
  static constexpr int parts = 4, half = 32;

  ConvPlace *to;  // place of the thread's k in slot 0
  bool writes;
  int slot_places, slot, extent;
  int i;                       // k of the k-tile to write
  ConvPlace at;                // valid after the end of the sum, too
  int digit[2];                // last two digits of i
  int base[2];                 // numbers at which they carry
  int growth[2];               // growth from one k-tile to the next
  ConvPlace step, carried[2];  // changes of the place by growth, by each carry
  bool carries[2];

  __device__ __forceinline__ SumPlaces(const ConvProblem &p, int first_k, ConvPlace *places_a, ConvPlace *places_b) {
    const int lane = static_cast<int>(threadIdx.x) % (2 * half);
    const bool of_b = lane >= half;
    slot_places = of_b ? B::sum_places : A::sum_places;
    const int of_slot = lane % slot_places;
    to = (of_b ? places_b + B::outer_places : places_a + A::outer_places) + of_slot;
    writes = static_cast<int>(threadIdx.x) < 2 * half && lane % half < slot_places;
    slot = 2 * slot_places;
    extent = p.sum.extent;
    i = first_k + of_slot * (of_b ? B::sum_step : A::sum_step);

    const ConvSteps &steps = of_b ? p.b.sum : p.a.sum;
    int first[kConvDigits], grown[kConvDigits];
    digits_of(p.sum, i, first);
    digits_of(p.sum, A::depth, grown);
    at = place_of(steps, first);
    step = place_of(steps, grown);
#pragma unroll
    for (int d = 0; d < 2; ++d) {
      digit[d] = first[d + 1];
      growth[d] = grown[d + 1];
      base[d] = p.sum.digit[d].value;
      int carry[kConvDigits] = {};
      carry[d] = 1, carry[d + 1] = -base[d];
      carried[d] = place_of(steps, carry);
    }
    write_next();
    slot = 0;
    write_next();
    write_next();
  }

  __device__ __forceinline__ void write_next() {
    for_constants<parts>([&](auto i) { part<decltype(i)::value>(); });
  }

  template <int kPart>
  __device__ __forceinline__ void part() {
    if constexpr (kPart == 0) {
      const ConvPlace place = {at.bytes, i < extent ? at.h : kOutside, i < extent ? at.w : 0};
      if (writes) to[slot] = place;
      i += A::depth;
      slot = slot_places - slot;
    } else if constexpr (kPart == 1) {
      int carry = 0;
#pragma unroll
      for (int d = 1; d >= 0; --d) {
        digit[d] += growth[d] + carry;
        carries[d] = digit[d] >= base[d];
        digit[d] -= carries[d] ? base[d] : 0;
        carry = carries[d] ? 1 : 0;
        pin(digit[d]);
      }
    } else if constexpr (kPart == 2) {
      at.bytes += step.bytes;
#pragma unroll
      for (int d = 0; d < 2; ++d) at.bytes += carries[d] ? carried[d].bytes : 0;
      pin(at.bytes);
    } else {
      at.h += step.h, at.w += step.w;
#pragma unroll
      for (int d = 0; d < 2; ++d) at.h += carries[d] ? carried[d].h : 0, at.w += carries[d] ? carried[d].w : 0;
      pin(at.h);
      pin(at.w);
    }
  }
};

template <class A, class B>
struct GatherLookUps {
  static constexpr int first_of_sum = A::parts + B::parts, parts = first_of_sum + SumPlaces<A, B>::parts;

  A &a;
  B &b;
  SumPlaces<A, B> &sum;

  template <int kPart>
  __device__ __forceinline__ void part() const {
    if constexpr (kPart < A::parts) {
      a.template look_up<kPart>();
    } else if constexpr (kPart < first_of_sum) {
      b.template look_up<kPart - A::parts>();
    } else {
      sum.template part<kPart - first_of_sum>();
    }
  }
};

}  // namespace libsgemm::hip
