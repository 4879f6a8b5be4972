// The state of a launch: its blocks, their threads, and what these wait for. Internal to the runtime.
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

// A copy that was issued and has not landed.
struct PendingCopy {
  void *target;
  const void *source;  // null: zeros
  size_t bytes;
  bool whole_vector = false;  // some of the 16 bytes that TMA reads may be before the matrix
};

// A box of an array in flight to or from shared memory.
struct PendingBox {
  ArrayMap map;
  int64_t at[4];
  char *shared;
  int64_t offset[2] = {0, 0};  // columns and rows; for images only
};

// Copies that land together at some later time, and what they then count at the barrier.
struct Transfer {
  std::vector<PendingCopy> copies;
  std::vector<PendingBox> boxes;
  Mbarrier *barrier;
  unsigned arrivals;
  unsigned transaction;  // bytes
};

// Accumulators of a warpgroup that still wait for products: 64 rows of n.
struct WarpgroupSums {
  int n;
  std::vector<float> values;
};

// An instruction of a warpgroup.
struct WarpgroupProduct {
  WarpgroupOp op;
  uint64_t x, y;
  std::vector<const float *> registers;  // registers of each thread that hold x, in place of a descriptor
  bool add;
  std::shared_ptr<WarpgroupSums> sums;
  unsigned issued;  // threads that have issued it
};

struct FiberThread;

struct Warpgroup {
  std::deque<WarpgroupProduct> products;  // issued and not carried out
  size_t done = 0;                        // number of products carried out, all before `products`
  std::vector<FiberThread *> waiting;     // for other threads to issue a product
};

// Accumulators of a thread with products in flight.
struct SumsInFlight {
  float *registers;
  size_t end;  // number of products that the thread had issued after the last one for these accumulators
  std::shared_ptr<WarpgroupSums> sums;
};

enum class Waiting { no, poll, barrier, warp, cluster, warpgroup, left };

struct Block;

struct FiberThread : Thread {
  Fiber fiber;
  Block *block = nullptr;
  Waiting waiting = Waiting::no;
  int place = 0;   // line of the barrier where it waits
  int result = 0;  // result of barrier_count
  // A warp operation. `value` is what the lane brings, and then its result.
  WarpOp op = WarpOp::sync;
  uint64_t mask = 0, value = 0;
  unsigned argument = 0;
  size_t uniform_values = 0;  // number of values that it has declared uniform
  // Copies since the last commit_copies, and the groups before it.
  std::vector<PendingCopy> open_copies;
  std::deque<std::vector<PendingCopy>> groups;
  // Products of its warpgroup: the number it has issued, that number at the end of each of its groups, and its
  // accumulators.
  size_t products = 0;
  std::vector<size_t> product_groups;
  std::vector<SumsInFlight> sums;
  bool fenced = false;  // has executed wgmma_fence since it last had access to its accumulators
  // Boxes that it stores: those since the last commit_stores, and the earlier groups.
  std::vector<PendingBox> open_stores;
  std::deque<std::vector<PendingBox>> stores;
  std::vector<uint32_t> unknown_writes;  // words of shared memory, as in Block::unknown
  bool knows_grid_before = false;
};

struct Barrier {
  unsigned expected = 0, arrived = 0;
  int place = 0, sum = 0;
  std::vector<FiberThread *> waiting;
  Ordering ordering;
};

// The threads that execute as one.
struct Wave {
  uint64_t waiting = 0;           // lanes that wait in an operation
  std::vector<uint64_t> uniform;  // values that the first lane to reach them has declared
  Ordering ordering[2];           // one for each half, since the halves synchronise separately
};

// Blocks that are resident together.
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
  // Describes which threads wait for what.
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
  // For each 8 bytes of dynamic shared memory: the number of threads that wrote there without a fence for TMA and wgmma
  // since.
  std::vector<uint16_t> unknown;
  std::vector<char> static_shared;  // saved while another block is active
  size_t left = 0;                  // threads that have left the kernel
};

// The launch under way.
struct Grid {
  Configuration configuration;
  const std::function<void()> *body;
  SharedImage image;
  sgemm_test::Random random;
  std::map<uint64_t, Cluster> clusters;
  std::vector<std::unique_ptr<Block>> resident;
  Block *active = nullptr;  // the block whose static shared memory is in place
  uint64_t progress = 0;    // counts every change that another thread may wait for
  std::string fault = "";
  char begin = 0, end = 0;  // places that order the host's work before and after the launch for ThreadSanitizer
};
extern Grid *grid;

inline FiberThread *self() { return static_cast<FiberThread *>(current); }

// Suspends the current thread for `reason`.
void wait(Waiting reason);

// Computes the matrix operation in which these lanes of a wave wait. Returns what is wrong with it, or an empty string.
std::string multiply_wave(const std::unique_ptr<FiberThread> *lanes);

// True if a thread of the block wrote to these bytes of dynamic shared memory without making that known to TMA and
// wgmma.
bool has_unknown(size_t offset, size_t bytes);

// Lands one of the block's transfers, drawn at random; false if there is none.
bool land_one(Block *block);

}  // namespace simt
