// Runs CUDA and HIP kernels on the CPU: a fibre for each GPU thread, switched at waits in an order drawn from a seed.
// Kernel files compile unchanged as C++ against the headers here.
//
// It finds missing barriers, waits and fences (memory starts as NaN, copies land late, threads run far ahead of each
// other), deadlocks, wrong descriptions of tiles and boxes, exceeded limits of a launch, and values declared uniform
// that are not; with AddressSanitizer, accesses beyond a matrix or dynamic shared memory; with ThreadSanitizer,
// accesses that no barrier orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace simt {

struct Index {
  unsigned x, y, z;
  constexpr Index(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1) : x(x_size), y(y_size), z(z_size) {}
};

struct Configuration {
  Index grid, block;
  size_t shared_bytes = 0;    // dynamic
  unsigned cluster = 1;       // blocks along x
  unsigned wave = 32;         // threads that execute together: 32 or 64
  bool waits_itself = false;  // may start before the previous grid's end, for which threads wait
};

struct Schedule {
  uint64_t seed = 1;
  int multiprocessors = 4;      // limits the resident blocks
  bool start_together = false;  // admits all blocks that can be resident, not only when others wait
};
Schedule &schedule();

constexpr size_t kMaxSharedBytes = 227 * 1024;

// Runs `body`, a call of the kernel at `kernel`, in every thread. Returns the fault or "".
std::string run(const void *kernel, const Configuration &configuration, const std::function<void()> &body);

// ---- Called by kernels, through names of cuda_runtime.h, hip_runtime.h and emulating headers.

struct Thread {
  Index index, block_index;
  unsigned rank = 0;  // in the block
  uint64_t clock = 0;
};
extern Thread *current;
const Configuration &configuration();

[[noreturn]] void fail(const std::string &what);

// Lets other threads run. Every loop that waits for a thread must call it.
void yield();
// A thread changed something that another may wait for.
void progress();

// Barrier `id` of `count` threads, 0: all of the block. `place`: the call in the source.
void barrier_sync(int id, unsigned count, int place);
void barrier_arrive(int id, unsigned count, int place);
// Returns the number of nonzero values.
int barrier_count(int value, int place);
// Barrier of the cluster's threads that have not left.
void cluster_sync();
unsigned cluster_rank();

// Wave operations (a warp: 32 threads) in lock step: each lane in `mask` brings a value and receives a result.
enum class WarpOp { sync, shuffle, ballot, reduce_add, reduce_min, reduce_max, reduce_and, reduce_or, matrix };
// `argument`: a shuffle's source lane.
uint64_t warp_exchange(WarpOp op, uint64_t mask, uint64_t value, unsigned argument = 0);

unsigned lane();
uint64_t full_wave();

// The n-th value declared uniform must be that of all lanes of the wave, which do not wait.
void expect_uniform(uint64_t value);

// C += A * B. `a`, `b`: this lane's operand registers; `c`: its accumulators.
struct MatrixOp;
void matrix_multiply(const MatrixOp &op, const void *a, const void *b, void *c);

// Warpgroup products (wgmma): issued by the threads of four warps, carried out before the wait ends. Until a thread has
// waited its accumulators are NaN and must not change.
enum class WarpgroupNumber { f16, bf16, tf32 };
struct WarpgroupOp {
  WarpgroupNumber number;
  int n;
  bool x_along_k, y_along_k;
};
// `sum`: this thread's n / 2 accumulators; `x`, `y`: descriptors. The second form takes TF32 x from 4 registers.
void warpgroup_multiply(const WarpgroupOp &op, float *sum, uint64_t x, uint64_t y, bool add);
void warpgroup_multiply(const WarpgroupOp &op, float *sum, const float *x, uint64_t y, bool add);
void warpgroup_fence();
void warpgroup_commit();
void warpgroup_wait(unsigned pending);

void *dynamic_shared();
uint32_t shared_address(const void *pointer);
void *shared_pointer(uint32_t address, size_t bytes);
// The same place in block `rank` of the cluster.
void *cluster_pointer(uint32_t address, size_t bytes, unsigned rank);

// ---- Asynchronous copies. They land at the wait, or later if allowed; until then the target is NaN.

void copy_async(void *target, const void *source, size_t bytes, bool valid);
void commit_copies();
void wait_for_copies(int pending);

struct Mbarrier {
  uint64_t bits;
};
void mbarrier_init(Mbarrier *barrier, unsigned count);
void mbarrier_arrive(Mbarrier *barrier, unsigned count = 1);
void mbarrier_expect(Mbarrier *barrier, unsigned bytes);
bool mbarrier_test(const Mbarrier *barrier, unsigned parity);
void mbarrier_arrive_after_copies(Mbarrier *barrier);

// TMA's map of a column-major float matrix.
struct TensorMap {
  const float *base;
  uint64_t rows, columns, ld;
  uint32_t box_rows, box_columns;
  bool swizzled;  // see libsgemm::cuda::MatrixBoxes
};
// Copies the box at (row, column), zeros outside, and counts bytes at the barrier.
void copy_box(float *target, const TensorMap &map, int row, int column, Mbarrier *barrier);

// TMA's map of four dimensions; fields as in libsgemm::cuda::TensorBoxes.
struct ArrayMap {
  static constexpr uint64_t kDimensions = 4, kImages = 5;
  uint64_t dimensions;  // kDimensions, where a TensorMap has its address, or kImages
  const char *base;
  uint64_t sizes[4], strides[3];
  uint32_t element_bytes, box[4], swizzle;
  bool to_tf32;  // rounds copies to shared memory
  // Maps of images, as in libsgemm::cuda::ImageBoxes: box[0] channels of box[1] pixels.
  int16_t lower[2], upper[2];
  uint8_t step[2];
};
// Copies the box at `at` to the same place in the cluster's blocks with a bit in `blocks`; counts bytes at their
// barriers.
void copy_box(uint32_t target, const ArrayMap &map, const int (&at)[4], uint32_t barrier, unsigned blocks);
// Copies a box of images, pixels moved by `offset` columns and rows.
void copy_pixels(uint32_t target, const ArrayMap &map, const int (&at)[4], const int (&offset)[2], uint32_t barrier,
                 unsigned blocks);
// Stores a box before the thread's wait ends. Threads' writes to it must have been made known to TMA.
void store_box(const ArrayMap &map, uint32_t source, const int (&at)[4]);
void commit_stores();
void wait_for_stores(unsigned pending);
void note_write(uint32_t address, uint32_t bytes);
void make_writes_known();

// Waits for the previous grid, if the launch leaves that to the kernel. Every thread must, and before it uses TMA.
void wait_for_grid_before();

}  // namespace simt
