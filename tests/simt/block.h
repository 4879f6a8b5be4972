// The state of a launch: blocks, their threads, and what these wait for. Internal to the runtime.
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
  bool whole_vector = false;  // of the 16 bytes that TMA reads, some may lie before the matrix
};

// A box of an array on its way to or from shared memory.
struct PendingBox {
  ArrayMap map;
  int64_t at[4];
  char *shared;
  int64_t offset[2] = {0, 0};  // of images
};

// Copies that land together at some later time, and what the barrier is then told.
struct Transfer {
  std::vector<PendingCopy> copies;
  std::vector<PendingBox> boxes;
  Mbarrier *barrier;
  unsigned arrivals;
  unsigned transaction;  // bytes
};

// The sums of products of a warpgroup that have not all been waited for, 64 rows of n.
struct WarpgroupSums {
  int n;
  std::vector<float> values;
};

// An instruction of a warpgroup.
struct WarpgroupProduct {
  WarpgroupOp op;
  uint64_t x, y;
  std::vector<const float *> registers;  // of x, each thread's, instead of a descriptor
  bool add;
  std::shared_ptr<WarpgroupSums> sums;
  unsigned issued;  // threads that have issued it
};

struct FiberThread;

struct Warpgroup {
  std::deque<WarpgroupProduct> products;  // that have not been carried out
  size_t done = 0;                        // those that have, which come before
  std::vector<FiberThread *> waiting;     // for others to issue
};

// What a thread has to do with sums on their way.
struct SumsInFlight {
  float *registers;
  size_t end;  // the number of products that it had issued with the last one that adds to them
  std::shared_ptr<WarpgroupSums> sums;
};

enum class Waiting { no, poll, barrier, warp, cluster, warpgroup, left };

struct Block;

struct FiberThread : Thread {
  Fiber fiber;
  Block *block = nullptr;
  Waiting waiting = Waiting::no;
  int place = 0;   // line of the barrier it waits at
  int result = 0;  // of barrier_count
  // A warp operation: what the lane brings, and in `value` then the result.
  WarpOp op = WarpOp::sync;
  uint64_t mask = 0, value = 0;
  unsigned argument = 0;
  size_t uniform_values = 0;  // how many it has named
  // Copies since the last commit_copies, and the groups before it.
  std::vector<PendingCopy> open_copies;
  std::deque<std::vector<PendingCopy>> groups;
  // Products of its warpgroup: how many it has issued, how many each of its groups ends behind, its sums.
  size_t products = 0;
  std::vector<size_t> product_groups;
  std::vector<SumsInFlight> sums;
  bool fenced = false;  // wgmma_fence since it last had sums in its hands
  // Boxes that it stores, since the last commit_stores and in the groups before it.
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
  uint64_t waiting = 0;           // the lanes that wait in an operation
  std::vector<uint64_t> uniform;  // the values that a lane has named first
  Ordering ordering[2];           // of its halves, which synchronise each by itself
};

// Blocks that are resident together.
struct Cluster {
  size_t threads = 0, left = 0;
  std::vector<FiberThread *> waiting;

  // Lets those go on that wait, if all others have left.
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
  // Which threads wait for what, in words.
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
  // For each 8 bytes of it, the number of threads that have written there and not made it known to TMA and wgmma.
  std::vector<uint16_t> unknown;
  std::vector<char> static_shared;  // while another block is active
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
  uint64_t progress = 0;    // counts everything that another thread may wait for
  std::string fault = "";
  char begin = 0, end = 0;  // what ThreadSanitizer is told of the host's work before and after the launch
};
extern Grid *grid;

inline FiberThread *self() { return static_cast<FiberThread *>(current); }

// Suspends the current thread for `reason`.
void wait(Waiting reason);

// The product of the matrix operation that these lanes of a wave wait in. Empty, or what is wrong with it.
std::string multiply_wave(const std::unique_ptr<FiberThread> *lanes);

// Whether a thread of the block has written to these bytes of dynamic shared memory and not made it known to TMA and
// wgmma.
bool has_unknown(size_t offset, size_t bytes);

// Lands one of the block's transfers, drawn at random; false if there is none.
bool land_one(Block *block);

}  // namespace simt
