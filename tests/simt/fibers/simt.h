// Runs CUDA and HIP kernels on the CPU: one fibre for each GPU thread, switched where threads wait for one another, in
// an order drawn from a seed. Kernel files compile unchanged as C++ against the headers next to this one.
//
// It finds:
// - missing barriers: shared memory is NaN at the start of a block, and threads run far ahead of each other;
// - barriers that not all threads reach, asynchronous copies without a wait, deadlocks between blocks;
// - limits of a launch, and values declared uniform that are not;
// - tiles and accumulators of wgmma and boxes of TMA that are accessed too early or described wrongly;
// - blocks that end before their neighbour has finished with them;
// - with AddressSanitizer, reads and writes beyond a matrix or beyond dynamic shared memory;
// - with ThreadSanitizer, all accesses that no barrier orders, in shared and global memory.
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
  size_t shared_bytes = 0;    // dynamic shared memory
  unsigned cluster = 1;       // blocks along x
  unsigned wave = 32;         // threads that execute as one: 32 or 64
  bool waits_itself = false;  // may start before the previous grid has ended; threads wait for it
};

// How threads are scheduled; tests set it between launches.
struct Schedule {
  uint64_t seed = 1;
  int multiprocessors = 4;      // limits the blocks that are resident together
  bool start_together = false;  // admit as many blocks as can be resident at once, not only when others wait
};
Schedule &schedule();

constexpr size_t kMaxSharedBytes = 227 * 1024;

// Runs `body`, a call of the kernel at address `kernel`, in every thread. Returns what went wrong, or an empty string.
std::string run(const void *kernel, const Configuration &configuration, const std::function<void()> &body);

// ---- The rest is called by kernels, through the names in cuda_runtime.h, hip_runtime.h and the twins of headers.

// The part of a thread that kernels see.
struct Thread {
  Index index, block_index;  // threadIdx, blockIdx
  unsigned rank = 0;         // in the block
  uint64_t clock = 0;
};
extern Thread *current;
const Configuration &configuration();

// Ends the launch with a fault of this thread.
[[noreturn]] void fail(const std::string &what);

// Lets other threads run first. Every loop that waits for another thread must call it.
void yield();
// Tells the scheduler that a thread changed something that another may wait for.
void progress();

// Barrier `id` of the block for `count` threads, 0 for all. `place` distinguishes calls in the source.
void barrier_sync(int id, unsigned count, int place);
void barrier_arrive(int id, unsigned count, int place);
// A barrier that also returns the number of threads whose value is not zero.
int barrier_count(int value, int place);
// Barrier of all threads of the cluster that have not left.
void cluster_sync();
// Rank of the block in its cluster.
unsigned cluster_rank();

// Operations of a wave (a warp if it has 32 threads) in lock step: each lane in `mask` brings a value and receives a
// result.
enum class WarpOp { sync, shuffle, ballot, reduce_add, reduce_min, reduce_max, reduce_and, reduce_or, matrix };
// `argument` is the source lane of a shuffle.
uint64_t warp_exchange(WarpOp op, uint64_t mask, uint64_t value, unsigned argument = 0);

// Rank of the thread in its wave, and the mask of all lanes of that.
unsigned lane();
uint64_t full_wave();

// Checks that the n-th value that a thread declares uniform is that of all lanes of its wave, which would share it in a
// register. Lanes do not wait for one another, so that it orders nothing.
void expect_uniform(uint64_t value);

// Computes a matrix instruction, C += A * B; matrix_instructions.h names them. `a` and `b` are this lane's registers of
// the operands, `c` its accumulators, in memory.
struct MatrixOp;
void matrix_multiply(const MatrixOp &op, const void *a, const void *b, void *c);

// Products of warpgroups (wgmma): issued by all threads of four warps, carried out at some time between then and the
// wait. Until a thread has waited its accumulators are NaN, and must not be changed.
enum class WarpgroupNumber { f16, bf16, tf32 };
struct WarpgroupOp {
  WarpgroupNumber number;
  int n;
  bool x_along_k, y_along_k;
};
// `sum`: this thread's n / 2 accumulators; `x`, `y`: descriptors of the operands. The second form takes x in TF32 from
// 4 registers of this thread.
void warpgroup_multiply(const WarpgroupOp &op, float *sum, uint64_t x, uint64_t y, bool add);
void warpgroup_multiply(const WarpgroupOp &op, float *sum, const float *x, uint64_t y, bool add);
void warpgroup_fence();
void warpgroup_commit();
void warpgroup_wait(unsigned pending);

void *dynamic_shared();
// The 32-bit addresses of shared memory that instructions take.
uint32_t shared_address(const void *pointer);
void *shared_pointer(uint32_t address, size_t bytes);
// Returns the same place in the shared memory of block `rank` of the cluster.
void *cluster_pointer(uint32_t address, size_t bytes, unsigned rank);

// ---- Asynchronous copies. They land at the wait, or later if the wait allows; until then the target is NaN.

void copy_async(void *target, const void *source, size_t bytes, bool valid);
void commit_copies();
void wait_for_copies(int pending);

// The mbarrier object, in the 64 bits that it has on the device.
struct Mbarrier {
  uint64_t bits;
};
void mbarrier_init(Mbarrier *barrier, unsigned count);
void mbarrier_arrive(Mbarrier *barrier, unsigned count = 1);
void mbarrier_expect(Mbarrier *barrier, unsigned bytes);
bool mbarrier_test(const Mbarrier *barrier, unsigned parity);
// Arrives when the copies that this thread has issued so far have landed.
void mbarrier_arrive_after_copies(Mbarrier *barrier);

// TMA's tensor map of a column-major matrix of floats.
struct TensorMap {
  const float *base;
  uint64_t rows, columns, ld;
  uint32_t box_rows, box_columns;
  bool swizzled;  // see libsgemm::cuda::MatrixBoxes
};
// Copies the box at (row, column), with zeros outside of the matrix, and counts its bytes at the barrier.
void copy_box(float *target, const TensorMap &map, int row, int column, Mbarrier *barrier);

// TMA's tensor map of an array of four dimensions; fields as in libsgemm::cuda::TensorBoxes.
struct ArrayMap {
  static constexpr uint64_t kDimensions = 4, kImages = 5;
  uint64_t dimensions;  // kDimensions, where a TensorMap has its address, or kImages for a map of images
  const char *base;
  uint64_t sizes[4], strides[3];
  uint32_t element_bytes, box[4], swizzle;
  bool to_tf32;  // rounds what it copies to shared memory
  // For maps of images, as in libsgemm::cuda::ImageBoxes: box[0] channels of box[1] pixels.
  int16_t lower[2], upper[2];
  uint8_t step[2];
};
// Copies the box at `at` to the same place in the blocks of the cluster whose bit in `blocks` is set. Each of them
// counts the bytes at its own barrier.
void copy_box(uint32_t target, const ArrayMap &map, const int (&at)[4], uint32_t barrier, unsigned blocks);
// Copies a box by a map of images, each pixel moved by `offset` columns and rows.
void copy_pixels(uint32_t target, const ArrayMap &map, const int (&at)[4], const int (&offset)[2], uint32_t barrier,
                 unsigned blocks);
// Copies a box from shared memory to the array, at some time that the thread's waits permit. Threads that note their
// writes to it must have made them known since.
void store_box(const ArrayMap &map, uint32_t source, const int (&at)[4]);
void commit_stores();
void wait_for_stores(unsigned pending);
void note_write(uint32_t address, uint32_t bytes);
void make_writes_known();

// Waits for the previous grid, if the launch leaves that to the kernel. Every thread must wait, and TMA must not be
// used before.
void wait_for_grid_before();

}  // namespace simt
