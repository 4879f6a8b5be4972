// State of a launch in the CPU emulation, internal to its runtime.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "fiber.h"
#include "shared_image.h"
#include "simt.h"
#include "support/numbers.h"
#include "watch.h"

namespace simt {

struct PendingCopy {
  void *target;
  const void *source;  // null: zeros
  size_t bytes;
  bool whole_vector = false;  // TMA may read up to 16 bytes from before the matrix
};

struct PendingBox {
  ArrayMap map;
  int64_t at[4];
  char *shared;
  int64_t offset[2] = {0, 0};  // columns, rows; images only
};

struct Transfer {
  std::vector<PendingCopy> copies;
  std::vector<PendingBox> boxes;
  Mbarrier *barrier;
  unsigned arrivals;
  unsigned transaction;  // bytes
};

// Accumulators of pending products: 64 rows of n.
struct WarpgroupSums {
  int n;
  std::vector<float> values;
};

struct WarpgroupProduct {
  WarpgroupOp op;
  uint64_t x, y;
  std::vector<const float *> registers;  // each thread's x, if no descriptor gives it
  bool add;
  std::shared_ptr<WarpgroupSums> sums;
  unsigned issued;  // threads that have issued it
};

struct FiberThread;

struct Warpgroup {
  std::deque<WarpgroupProduct> products;  // pending
  size_t done = 0;                        // number of finished products, all before `products`
  std::vector<FiberThread *> waiting;     // threads that wait for others to issue a product
};

struct SumsInFlight {
  float *registers;
  size_t end;  // number of issued products up to the last one for these accumulators
  std::shared_ptr<WarpgroupSums> sums;
};

enum class Waiting { no, poll, barrier, warp, cluster, warpgroup, left };

struct Block;

struct FiberThread : Thread {
  Fiber fiber;
  Block *block = nullptr;
  Waiting waiting = Waiting::no;
  int place = 0;   // line of the awaited barrier
  int result = 0;  // returned by barrier_count
  // `value`: the lane's input, then its result.
  WarpOp op = WarpOp::sync;
  uint64_t mask = 0, value = 0;
  unsigned argument = 0;
  size_t uniform_values = 0;
  // Copies since the last commit_copies, and earlier groups.
  std::vector<PendingCopy> open_copies;
  std::deque<std::vector<PendingCopy>> groups;
  // Issued products of its warpgroup, their number at each group's end, and its accumulators.
  size_t products = 0;
  std::vector<size_t> product_groups;
  std::vector<SumsInFlight> sums;
  bool fenced = false;  // wgmma_fence ran since the last access to the accumulators
  // Stored boxes since the last commit_stores, and earlier groups.
  std::vector<PendingBox> open_stores;
  std::deque<std::vector<PendingBox>> stores;
  std::vector<uint32_t> unknown_writes;  // shared words, as in Block::unknown
  bool knows_grid_before = false;
};

struct Barrier {
  unsigned expected = 0, arrived = 0;
  int place = 0, sum = 0;
  std::vector<FiberThread *> waiting;
  Ordering ordering;
};

struct Wave {
  uint64_t waiting = 0;           // lanes in an operation
  std::vector<uint64_t> uniform;  // declared by the first lane to reach them
  Ordering ordering[2];           // the halves synchronise separately
};

struct Cluster {
  size_t threads = 0, left = 0;
  std::vector<FiberThread *> waiting;

  // Wakes the waiting threads if all others have left.
  void release();
};

struct AlignedDelete {
  void operator()(unsigned char *memory) const { ::operator delete(memory, std::align_val_t(1024)); }
};

struct Block {
  explicit Block(uint64_t rank_in_grid);
  ~Block();

  bool done() const { return left == threads.size(); }
  void wake(FiberThread *thread);
  std::string state() const;

  uint64_t rank;
  Index index;
  Cluster *cluster;
  std::vector<std::unique_ptr<FiberThread>> threads;
  std::vector<FiberThread *> ready, polling;
  std::vector<Wave> waves;
  std::vector<Warpgroup> warpgroups;
  std::array<Barrier, 16> barriers;
  std::vector<Transfer> transfers;
  std::unique_ptr<unsigned char, AlignedDelete> dynamic_shared;
  // For each 8 bytes of dynamic shared memory: threads that wrote there without a later fence for TMA and wgmma.
  std::vector<uint16_t> unknown;
  std::vector<char> static_shared;  // saved while another block is active
  size_t left = 0;
};

struct Grid {
  Configuration configuration;
  const std::function<void()> *body;
  SharedImage image;
  sgemm_test::Random random;
  std::map<uint64_t, Cluster> clusters;
  std::vector<std::unique_ptr<Block>> resident;
  Block *active = nullptr;  // its static shared memory is in place
  uint64_t progress = 0;    // counts changes that threads may wait for
  std::string fault = "";
  char begin = 0, end = 0;  // order the host's work around the launch for ThreadSanitizer
};
extern Grid *grid;

inline FiberThread *self() { return static_cast<FiberThread *>(current); }

void wait(Waiting reason);

// Computes the lanes' matrix operation. Returns its fault or "".
std::string multiply_wave(const std::unique_ptr<FiberThread> *lanes);

// True if Block::unknown marks one of these bytes.
bool has_unknown(size_t offset, size_t bytes);

// Lands a random transfer of the block; false if there is none.
bool land_one(Block *block);

}  // namespace simt
