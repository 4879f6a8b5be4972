// Asynchronous copies, TMA and mbarriers of the CPU emulation.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "block.h"
#include "contract/half.h"

namespace simt {
namespace {

// AddressSanitizer would object to bytes before the matrix.
__attribute__((no_sanitize("address"))) void copy_unchecked(const PendingCopy &copy) {
  auto *target = static_cast<volatile unsigned char *>(copy.target);
  const auto *source = static_cast<const volatile unsigned char *>(copy.source);
  for (size_t i = 0; i < copy.bytes; ++i) target[i] = source[i];
}

void land(const std::vector<PendingCopy> &copies) {
  for (const PendingCopy &copy : copies) {
    if (copy.source == nullptr) {
      std::memset(copy.target, 0, copy.bytes);
    } else if (copy.whole_vector) {
      copy_unchecked(copy);
    } else {
      std::memcpy(copy.target, copy.source, copy.bytes);
    }
  }
}

// Calls each(column, row, image) for the pixels of a box of images.
template <typename Each>
void for_pixels(const PendingBox &box, const Each &each) {
  const ArrayMap &map = box.map;
  int64_t at[] = {box.at[1], box.at[2], box.at[3]};
  for (uint32_t i = 0; i < map.box[1]; ++i) {
    each(at[0] + box.offset[0], at[1] + box.offset[1], at[2]);
    bool behind = true;
    for (int d = 0; d < 2 && behind; ++d) {
      at[d] += map.step[d];
      behind = at[d] > static_cast<int64_t>(map.sizes[d + 1]) - 1 + map.upper[d];
      if (behind) at[d] = map.lower[d];
    }
    if (behind) ++at[2];
  }
}

// Calls each(chunk, element, skipped, bytes) for a box's 16-byte chunks in shared memory: `bytes` from byte `skipped`
// on are those at `element` of the array; null: outside. The swizzle exchanges chunks by bits of shared memory
// addresses, which begin at a multiple of 1024.
template <typename Each>
void for_chunks(const PendingBox &box, const Each &each) {
  const ArrayMap &map = box.map;
  const int64_t line_bytes = int64_t{map.element_bytes} * map.box[0];
  const uintptr_t mask = map.swizzle == 0 ? 0 : map.swizzle / 16 - 1;
  uintptr_t shared = reinterpret_cast<uintptr_t>(box.shared);
  const auto outside = [&map](int dimension, int64_t at) {
    return at < 0 || at >= static_cast<int64_t>(map.sizes[dimension]);
  };
  const auto bytes_at = [&map](int64_t element) { return element * static_cast<int64_t>(map.element_bytes); };
  const int64_t begin = std::clamp<int64_t>(bytes_at(-box.at[0]), 0, line_bytes);
  const int64_t end = std::clamp<int64_t>(bytes_at(static_cast<int64_t>(map.sizes[0]) - box.at[0]), begin, line_bytes);
  const auto for_line = [&](int64_t d1, int64_t d2, int64_t d3) {
    const bool none = outside(1, d1) || outside(2, d2) || outside(3, d3);
    const int64_t line = bytes_at(box.at[0]) + d1 * static_cast<int64_t>(map.strides[0]) +
                         d2 * static_cast<int64_t>(map.strides[1]) + d3 * static_cast<int64_t>(map.strides[2]);
    for (int64_t i = 0; i < line_bytes; i += 16, shared += 16) {
      const int64_t first = std::max(i, begin), last = std::min(i + 16, end);
      auto *chunk = reinterpret_cast<char *>(shared ^ (shared >> 7 & mask) << 4);
      if (none || first >= last) {
        each(chunk, nullptr, 0, 0);
      } else {
        each(chunk, map.base + line + first, static_cast<size_t>(first - i), static_cast<size_t>(last - first));
      }
    }
  };
  if (map.dimensions == ArrayMap::kImages) return for_pixels(box, for_line);
  for (int64_t d3 = box.at[3]; d3 < box.at[3] + map.box[3]; ++d3) {
    for (int64_t d2 = box.at[2]; d2 < box.at[2] + map.box[2]; ++d2) {
      for (int64_t d1 = box.at[1]; d1 < box.at[1] + map.box[1]; ++d1) for_line(d1, d2, d3);
    }
  }
}

// Rounds like TMA (measured on an H100).
float round_to_tf32(float x) {
  return std::isnan(x) ? libsgemm::float_from_bits(0x7fffe000) : libsgemm::round_to_tf32(x);
}

void land(const PendingBox &box) {
  for_chunks(box, [&box](char *chunk, const char *element, size_t skipped, size_t bytes) {
    char landed[16] = {};
    if (bytes != 0) std::memcpy(landed + skipped, element, bytes);
    if (box.map.to_tf32) {
      float numbers[4];
      std::memcpy(numbers, landed, sizeof landed);
      for (float &number : numbers) number = round_to_tf32(number);
      std::memcpy(landed, numbers, sizeof landed);
    }
    std::memcpy(chunk, landed, sizeof landed);
  });
}

void store(const std::vector<PendingBox> &boxes) {
  for (const PendingBox &box : boxes) {
    for_chunks(box, [](const char *chunk, const char *element, size_t skipped, size_t bytes) {
      if (bytes != 0) std::memcpy(const_cast<char *>(element), chunk + skipped, bytes);
    });
  }
}

bool aligned(const void *address, size_t bytes) { return reinterpret_cast<uintptr_t>(address) % bytes == 0; }

constexpr uint32_t kDynamicWindow = 1u << 20, kStaticWindow = 1u << 24;

// An mbarrier's 64 bits.
struct State {
  uint64_t initialised : 2;  // 1; poison is 3
  uint64_t phase : 1;
  uint64_t expected : 20;  // arrivals in a phase
  uint64_t pending : 20;   // arrivals that this phase still needs
  int64_t bytes : 21;      // announced, not arrived; negative: arrived first
};
constexpr int64_t kMostBytes = (1 << 20) - 1;

State load(const Mbarrier *barrier) {
  State state;
  std::memcpy(&state, &barrier->bits, sizeof state);
  return state;
}

void store(State state, Mbarrier *barrier) {
  if (state.pending == 0 && state.bytes == 0) {
    state.phase ^= 1;
    state.pending = state.expected;
  }
  std::memcpy(&barrier->bits, &state, sizeof state);
  progress();
}

std::string count_down(Mbarrier *barrier, unsigned arrivals, unsigned bytes) {
  State state = load(barrier);
  if (state.initialised != 1) return "uses an mbarrier that is not initialised";
  if (arrivals > state.pending) return "arrives at an mbarrier that expects nobody";
  state.pending -= arrivals;
  const int64_t left = state.bytes - static_cast<int64_t>(bytes);
  if (left < -kMostBytes) return "counts more bytes at an mbarrier than it can hold";
  state.bytes = left;
  store(state, barrier);
  return "";
}

void copy_rows(float *target, const TensorMap &map, int64_t row, int64_t column, int64_t count,
               std::vector<PendingCopy> *copies) {
  const bool inside = column >= 0 && column < static_cast<int64_t>(map.columns);
  const int64_t end = row + count;
  const int64_t first = std::min(end, std::max<int64_t>(row, 0));
  const int64_t last = std::max(first, std::min(end, static_cast<int64_t>(map.rows)));
  const size_t before = static_cast<size_t>(first - row), within = static_cast<size_t>(last - first);
  const size_t behind = static_cast<size_t>(end - last);
  const float *source = inside ? map.base + column * static_cast<int64_t>(map.ld) + first : nullptr;
  if (before != 0) copies->push_back({target, nullptr, 4 * before});
  const size_t head = inside && first == 0 ? std::min<size_t>(within, 4) : 0;
  if (head != 0) copies->push_back({target + before, source, 4 * head, true});
  if (within != head) {
    copies->push_back({target + before + head, inside ? source + head : nullptr, 4 * (within - head)});
  }
  if (behind != 0) copies->push_back({target + before + within, nullptr, 4 * behind});
}

unsigned bytes_of(const ArrayMap &map) { return map.element_bytes * map.box[0] * map.box[1] * map.box[2] * map.box[3]; }

void require_box(const ArrayMap &map, uint64_t dimensions, const int (&at)[4], uint32_t shared) {
  if (map.dimensions != dimensions) fail("copies a box by a map of another number of dimensions");
  const uint32_t boundary = map.swizzle == 0 ? 128 : 8 * map.swizzle;
  if (shared % boundary != 0) {
    fail("copies a box of shared memory that is not aligned to " + std::to_string(boundary) + " bytes");
  }
  if (static_cast<int64_t>(map.element_bytes) * at[0] % 16 != 0) {
    fail("copies a box at an address that is not a multiple of 16");
  }
  if (configuration().waits_itself && !self()->knows_grid_before) {
    fail("copies a box before it has waited for the grid before");
  }
}

Block *cluster_block(unsigned rank) {
  Block *own = self()->block;
  const uint64_t wanted = own->rank - own->rank % grid->configuration.cluster + rank;
  if (wanted == own->rank) return own;
  for (const std::unique_ptr<Block> &block : grid->resident) {
    if (block->rank == wanted && !block->done() && rank < grid->configuration.cluster) return block.get();
  }
  fail("accesses shared memory of block " + std::to_string(rank) + " of its cluster, which is not there");
}

}  // namespace

bool land_one(Block *block) {
  std::vector<Transfer> &transfers = block->transfers;
  if (transfers.empty()) return false;
  const int last = static_cast<int>(transfers.size()) - 1;
  std::swap(transfers[static_cast<size_t>(grid->random.integer(0, last))], transfers.back());
  const Transfer transfer = std::move(transfers.back());
  transfers.pop_back();
  land(transfer.copies);
  for (const PendingBox &box : transfer.boxes) land(box);
  const std::string fault = count_down(transfer.barrier, transfer.arrivals, transfer.transaction);
  if (!fault.empty()) grid->fault = "a copy in block " + std::to_string(block->rank) + " " + fault;
  progress();
  return true;
}

void copy_async(void *target, const void *source, size_t bytes, bool valid) {
  if (!aligned(target, bytes) || (valid && !aligned(source, bytes))) {
    fail("copies " + std::to_string(bytes) + " bytes asynchronously at an unaligned address");
  }
  poison(target, bytes);
  self()->open_copies.push_back({target, valid ? source : nullptr, bytes});
}

void commit_copies() {
  FiberThread *thread = self();
  thread->groups.push_back(std::move(thread->open_copies));
  thread->open_copies.clear();
}

void wait_for_copies(int pending) {
  FiberThread *thread = self();
  std::deque<std::vector<PendingCopy>> &groups = thread->groups;
  while (groups.size() > static_cast<size_t>(pending)) {
    std::vector<PendingCopy> landed = std::move(groups.front());
    groups.pop_front();
    land(landed);
    if (!thread->open_copies.empty()) continue;
    landed.clear();
    thread->open_copies = std::move(landed);  // reused by the next copies
  }
}

void mbarrier_init(Mbarrier *barrier, unsigned count) {
  State state = {};
  state.initialised = 1;
  state.expected = state.pending = count & 0xfffff;
  if (count == 0 || state.expected != count) fail("initialises an mbarrier for " + std::to_string(count) + " arrivals");
  std::memcpy(&barrier->bits, &state, sizeof state);
}

void mbarrier_arrive(Mbarrier *barrier, unsigned count) {
  const std::string fault = count_down(barrier, count, 0);
  if (!fault.empty()) fail(fault);
}

void mbarrier_expect(Mbarrier *barrier, unsigned bytes) {
  State state = load(barrier);
  if (state.initialised != 1) fail("uses an mbarrier that is not initialised");
  if (state.bytes + static_cast<int64_t>(bytes) > kMostBytes) fail("announces more bytes than an mbarrier can hold");
  state.bytes += static_cast<int>(bytes);
  store(state, barrier);
}

bool mbarrier_test(const Mbarrier *barrier, unsigned parity) {
  const State state = load(barrier);
  if (state.initialised != 1) fail("waits at an mbarrier that is not initialised");
  if (state.phase != (parity & 1)) return true;
  yield();
  return load(barrier).phase != (parity & 1);
}

void mbarrier_arrive_after_copies(Mbarrier *barrier) {
  FiberThread *thread = self();
  Transfer transfer = {std::move(thread->open_copies), {}, barrier, 1, 0};
  thread->open_copies.clear();
  for (const std::vector<PendingCopy> &group : thread->groups) {
    transfer.copies.insert(transfer.copies.end(), group.begin(), group.end());
  }
  thread->groups.clear();
  thread->block->transfers.push_back(std::move(transfer));
}

void copy_box(float *target, const TensorMap &map, int row, int column, Mbarrier *barrier) {
  if (!aligned(target, 128)) fail("copies a box to shared memory that is not aligned to 128 bytes");
  if ((reinterpret_cast<uintptr_t>(map.base) + 4 * static_cast<uintptr_t>(row)) % 16 != 0) {
    fail("copies a box from an address that is not a multiple of 16");
  }
  if (map.swizzled && shared_address(target) % 512 != 0) {
    fail("copies a swizzled box to shared memory that is not aligned to 512 bytes");
  }
  Transfer transfer = {{}, {}, barrier, 0, 4 * map.box_rows * map.box_columns};
  poison(target, transfer.transaction);
  for (int64_t j = column; j < column + map.box_columns; ++j) {
    if (map.swizzled) {
      const int shuffle = static_cast<int>(j - column) / 2 % 4;
      for (int quad = 0; quad < 4; ++quad) {
        copy_rows(target + 4 * (quad ^ shuffle), map, row + 4 * quad, j, 4, &transfer.copies);
      }
    } else {
      copy_rows(target, map, row, j, map.box_rows, &transfer.copies);
    }
    target += map.box_rows;
  }
  self()->block->transfers.push_back(std::move(transfer));
}

namespace {

void copy_box_to(const PendingBox &box, uint32_t target, uint32_t barrier, unsigned blocks) {
  const unsigned bytes = bytes_of(box.map);
  if (blocks == 0 || blocks >> configuration().cluster != 0) fail("copies a box to blocks that its cluster has not");
  const auto to = [&](unsigned rank) {
    if (cluster_block(rank) != self()->block && std::max(target, barrier) >= kStaticWindow) {
      fail("copies to static shared memory of another block, which no kernel does and the emulation lacks");
    }
    auto *memory = static_cast<char *>(cluster_pointer(target, bytes, rank));
    auto *counter = static_cast<Mbarrier *>(cluster_pointer(barrier, sizeof(Mbarrier), rank));
    if (load(counter).initialised != 1) fail("copies for an mbarrier that is not initialised");
    poison(memory, bytes);
    PendingBox there = box;
    there.shared = memory;
    cluster_block(rank)->transfers.push_back({{}, {there}, counter, 0, bytes});
  };
  for (unsigned rank = 0; rank < configuration().cluster; ++rank) {
    if ((blocks >> rank & 1) != 0) to(rank);
  }
}

}  // namespace

void copy_box(uint32_t target, const ArrayMap &map, const int (&at)[4], uint32_t barrier, unsigned blocks) {
  require_box(map, ArrayMap::kDimensions, at, target);
  copy_box_to({map, {at[0], at[1], at[2], at[3]}, nullptr}, target, barrier, blocks);
}

void copy_pixels(uint32_t target, const ArrayMap &map, const int (&at)[4], const int (&offset)[2], uint32_t barrier,
                 unsigned blocks) {
  require_box(map, ArrayMap::kImages, at, target);
  for (int d = 0; d < 2; ++d) {
    if (offset[d] < 0 || offset[d] > 255) fail("moves pixels by more than 255");
    const int last = static_cast<int>(map.sizes[d + 1]) - 1 + map.upper[d];
    if (at[d + 1] < map.lower[d] || at[d + 1] > last || (at[d + 1] - map.lower[d]) % map.step[d] != 0) {
      fail("begins with a pixel outside of the rectangle of the map");
    }
  }
  copy_box_to({map, {at[0], at[1], at[2], at[3]}, nullptr, {offset[0], offset[1]}}, target, barrier, blocks);
}

void store_box(const ArrayMap &map, uint32_t source, const int (&at)[4]) {
  require_box(map, ArrayMap::kDimensions, at, source);
  const unsigned bytes = bytes_of(map);
  // An H100 writes all 16 bytes of the chunk in which the array ends.
  if (map.sizes[0] * map.element_bytes % 16 != 0) fail("stores boxes of an array whose lines end within 16 bytes");
  auto *memory = static_cast<char *>(shared_pointer(source, bytes));
  if (has_unknown(source - kDynamicWindow, bytes)) fail("stores a box that a thread has not made known to TMA");
  const PendingBox box = {map, {at[0], at[1], at[2], at[3]}, memory};
  if (grid->random.integer(0, 1) == 0) {
    store({box});
  } else {
    self()->open_stores.push_back(box);
  }
}

void commit_stores() {
  FiberThread *thread = self();
  thread->stores.push_back(std::move(thread->open_stores));
  thread->open_stores.clear();
}

void wait_for_stores(unsigned pending) {
  std::deque<std::vector<PendingBox>> &stores = self()->stores;
  while (stores.size() > pending) {
    store(stores.front());
    stores.pop_front();
  }
}

void note_write(uint32_t address, uint32_t bytes) {
  const uint32_t offset = address - kDynamicWindow;
  if (offset + uint64_t{bytes} > grid->configuration.shared_bytes) fail("notes a write outside dynamic shared memory");
  std::vector<uint32_t> &mine = self()->unknown_writes;
  for (uint32_t word = offset / 8; word <= (offset + bytes - 1) / 8; ++word) {
    if (std::find(mine.begin(), mine.end(), word) != mine.end()) continue;
    mine.push_back(word);
    ++self()->block->unknown[word];
  }
}

void make_writes_known() {
  for (const uint32_t word : self()->unknown_writes) --self()->block->unknown[word];
  self()->unknown_writes.clear();
}

bool has_unknown(size_t offset, size_t bytes) {
  const std::vector<uint16_t> &unknown = self()->block->unknown;
  for (size_t word = offset / 8; word <= (offset + bytes - 1) / 8; ++word) {
    if (unknown[word] != 0) return true;
  }
  return false;
}

void wait_for_grid_before() { self()->knows_grid_before = true; }

void *dynamic_shared() { return self()->block->dynamic_shared.get(); }

uint32_t shared_address(const void *pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const auto dynamic = reinterpret_cast<uintptr_t>(dynamic_shared());
  const auto fixed = reinterpret_cast<uintptr_t>(grid->image.base);
  if (address - dynamic < grid->configuration.shared_bytes)
    return kDynamicWindow + static_cast<uint32_t>(address - dynamic);
  if (address - fixed < grid->image.bytes) return kStaticWindow + static_cast<uint32_t>(address - fixed);
  fail("takes the shared address of what is not shared memory");
}

void *shared_pointer(uint32_t address, size_t bytes) {
  const bool is_static = address >= kStaticWindow;
  const uint32_t offset = address - (is_static ? kStaticWindow : kDynamicWindow);
  const size_t size = is_static ? grid->image.bytes : grid->configuration.shared_bytes;
  if (offset > size || bytes > size - offset) fail("accesses shared memory beyond its end");
  return (is_static ? grid->image.base : static_cast<char *>(dynamic_shared())) + offset;
}

void *cluster_pointer(uint32_t address, size_t bytes, unsigned rank) {
  void *pointer = shared_pointer(address, bytes);
  Block *block = cluster_block(rank);
  if (block == self()->block) return pointer;
  if (address < kStaticWindow) return block->dynamic_shared.get() + (address - kDynamicWindow);
  if (block->static_shared.empty()) fail("accesses static shared memory of a block that has not begun");
  return block->static_shared.data() + (address - kStaticWindow);
}

}  // namespace simt
