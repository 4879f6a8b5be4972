// The scheduler of the CPU emulation. It admits blocks, runs fibres in random order and reports deadlocks.
#include "simt.h"

#include <algorithm>

#include "block.h"

namespace simt {

Thread *current = nullptr;
Grid *grid = nullptr;

namespace {

// Rounds of polling without progress before a launch counts as hung.
constexpr int kPatience = 1000;

struct Fault {
  std::string text;
};

// Limits of a multiprocessor.
constexpr uint64_t kThreads = 2048, kBlocks = 32;

uint64_t volume(const Index &index) { return static_cast<uint64_t>(index.x) * index.y * index.z; }

Index position(uint64_t rank, const Index &size) {
  return {static_cast<unsigned>(rank % size.x), static_cast<unsigned>(rank / size.x % size.y),
          static_cast<unsigned>(rank / size.x / size.y)};
}

// Fibres are reused, since creating a stack costs more than running on it, but not by the next block: ThreadSanitizer
// orders all that a fibre does, and through a barrier all of its block.
std::vector<std::unique_ptr<FiberThread>> &spare_threads(uint64_t block) {
  static std::array<std::vector<std::unique_ptr<FiberThread>>, 2> spare;
  return spare[block % 2];
}

std::unique_ptr<FiberThread> take_thread(uint64_t block) {
  std::vector<std::unique_ptr<FiberThread>> &spare = spare_threads(block);
  if (spare.empty()) return std::make_unique<FiberThread>();
  std::unique_ptr<FiberThread> thread = std::move(spare.back());
  spare.pop_back();
  return thread;
}

void leave(FiberThread *thread) {
  const Unwatched unwatched;
  const char *unfinished = nullptr;
  if (!thread->sums.empty()) unfinished = "its products of wgmma are waited for";
  if (!thread->open_stores.empty() || !thread->stores.empty()) unfinished = "what it stores by TMA has been read";
  if (grid->configuration.waits_itself && !thread->knows_grid_before) unfinished = "it has waited for the grid before";
  if (grid->fault.empty() && unfinished != nullptr) {
    grid->fault = "thread " + std::to_string(thread->rank) + " of block " + std::to_string(thread->block->rank) +
                  " leaves before " + unfinished;
  }
  thread->waiting = Waiting::left;
  ++thread->block->left;
  ++thread->block->cluster->left;
  thread->block->cluster->release();
  progress();
}

void thread_main(void *argument) {
  auto *thread = static_cast<FiberThread *>(argument);
  acquire(&grid->begin);
  try {
    (*grid->body)();
  } catch (const Fault &fault) {
    const Unwatched unwatched;
    grid->fault = fault.text;
  }
  release(&grid->end);
  leave(thread);
  thread->fiber.suspend(true);
}

void activate(Block *block) {
  const SharedImage &image = grid->image;
  if (grid->active == block || image.bytes == 0) return;
  if (grid->active != nullptr) grid->active->static_shared.assign(image.base, image.base + image.bytes);
  grid->active = block;
  make_new(image.base, image.bytes);
  if (block->static_shared.empty()) {
    poison(image.base, image.bytes);
  } else {
    std::copy(block->static_shared.begin(), block->static_shared.end(), image.base);
  }
}

void run_ready(Block *block) {
  std::vector<FiberThread *> &ready = block->ready;
  while (!ready.empty() && grid->fault.empty()) {
    const int last = static_cast<int>(ready.size()) - 1;
    std::swap(ready[static_cast<size_t>(grid->random.integer(0, last))], ready.back());
    FiberThread *thread = ready.back();
    ready.pop_back();
    current = thread;
    thread->fiber.resume();
    current = nullptr;
  }
}

// Runs until the threads have left or poll in vain. True if there was progress.
bool run_block(Block *block) {
  const uint64_t before = grid->progress;
  activate(block);
  uint64_t round;
  do {
    round = grid->progress;
    run_ready(block);
    if (grid->random.integer(0, 1) == 0) land_one(block);
    block->ready.insert(block->ready.end(), block->polling.begin(), block->polling.end());
    block->polling.clear();
  } while (grid->progress != round && grid->fault.empty() && !block->done());
  return grid->progress != before;
}

bool land_any() {
  for (const std::unique_ptr<Block> &block : grid->resident) {
    activate(block.get());
    if (land_one(block.get())) return true;
  }
  return false;
}

void remove_done() {
  std::vector<std::unique_ptr<Block>> &resident = grid->resident;
  for (size_t i = 0; i < resident.size();) {
    if (!resident[i]->done()) {
      ++i;
      continue;
    }
    if (grid->fault.empty() && !resident[i]->transfers.empty()) {
      grid->fault = "block " + std::to_string(resident[i]->rank) + " has ended while a copy to it was under way";
    }
    if (grid->active == resident[i].get()) grid->active = nullptr;
    resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::string hung() {
  std::string text = "no thread can go on:";
  for (const std::unique_ptr<Block> &block : grid->resident) {
    text += " " + block->state();
    if (text.size() > 180) break;
  }
  return text;
}

// Number of blocks that all multiprocessors hold together.
uint64_t capacity(const Configuration &configuration) {
  const uint64_t by_threads = kThreads / volume(configuration.block);
  const uint64_t by_shared = kMaxSharedBytes / std::max<size_t>(1, configuration.shared_bytes + 1024);
  const uint64_t one = std::max<uint64_t>(1, std::min({by_threads, by_shared, kBlocks}));
  return one * static_cast<uint64_t>(schedule().multiprocessors);
}

void run_blocks() {
  const Configuration &c = grid->configuration;
  const uint64_t count = volume(c.grid), room = std::max<uint64_t>(c.cluster, capacity(c));
  uint64_t next = 0;
  int idle = 0;
  const auto admit = [&] {
    if (next == count || grid->resident.size() + c.cluster > room) return false;
    for (unsigned i = 0; i < c.cluster; ++i) grid->resident.push_back(std::make_unique<Block>(next++));
    return true;
  };
#ifdef SIMT_TSAN
  constexpr bool together = false;  // ThreadSanitizer supports 8128 threads only
#else
  const bool together = schedule().start_together;
#endif
  while (grid->fault.empty() && (next < count || !grid->resident.empty())) {
    if (grid->resident.empty()) admit();
    while (together && admit()) {
    }
    const size_t first = static_cast<size_t>(grid->random.next() % grid->resident.size());
    bool happened = false;
    for (size_t i = 0; i < grid->resident.size() && grid->fault.empty(); ++i) {
      happened |= run_block(grid->resident[(first + i) % grid->resident.size()].get());
    }
    remove_done();
    if (happened || land_any() || admit()) {
      idle = 0;
    } else if (++idle > kPatience) {
      grid->fault = hung();
    }
  }
}

std::string refusal(const Configuration &c) {
  const uint64_t threads = volume(c.block);
  if (threads == 0 || volume(c.grid) == 0) return "an empty grid or block";
  if (threads > 1024 || c.block.z > 64) return std::to_string(threads) + " threads in a block";
  if (c.grid.x > 0x7fffffffu || c.grid.y > 65535 || c.grid.z > 65535) return "a grid beyond the limits";
  if (c.shared_bytes > kMaxSharedBytes) return std::to_string(c.shared_bytes) + " bytes of shared memory";
  if (c.wave != 32 && c.wave != 64) return "waves of " + std::to_string(c.wave) + " threads";
  if (c.cluster == 0 || c.cluster > 8 || c.grid.x % c.cluster != 0) return "clusters that do not divide the grid";
  return "";
}

}  // namespace

Block::Block(uint64_t rank_in_grid) : rank(rank_in_grid) {
  const Configuration &c = grid->configuration;
  const uint64_t count = volume(c.block);
  index = position(rank, c.grid);
  cluster = &grid->clusters[rank / c.cluster];
  cluster->threads += count;
  waves.resize((count + c.wave - 1) / c.wave);
  warpgroups.resize((count + 127) / 128);
  dynamic_shared.reset(static_cast<unsigned char *>(::operator new(c.shared_bytes, std::align_val_t(1024))));
  poison(dynamic_shared.get(), c.shared_bytes);
  unknown.resize(c.shared_bytes / 8 + 1);
  for (uint64_t i = 0; i < count; ++i) {
    std::unique_ptr<FiberThread> thread = take_thread(rank);
    thread->index = position(i, c.block);
    thread->block_index = index;
    thread->rank = static_cast<unsigned>(i);
    thread->block = this;
    thread->waiting = Waiting::no;
    thread->uniform_values = 0;
    thread->open_copies.clear();
    thread->groups.clear();
    thread->products = 0;
    thread->product_groups.clear();
    thread->sums.clear();
    thread->fenced = false;
    thread->open_stores.clear();
    thread->stores.clear();
    thread->unknown_writes.clear();
    thread->knows_grid_before = false;
    thread->fiber.prepare(thread_main, thread.get());
    ready.push_back(thread.get());
    threads.push_back(std::move(thread));
  }
}

Block::~Block() {
  for (std::unique_ptr<FiberThread> &thread : threads) spare_threads(rank).push_back(std::move(thread));
}

std::string Block::state() const {
  static const char *const kNames[] = {"can run",
                                       "wait for memory",
                                       "wait at a barrier",
                                       "wait in a warp operation",
                                       "wait for the cluster",
                                       "wait for others of the warpgroup to issue a product",
                                       "have left"};
  std::array<size_t, 7> count = {};
  int line = 0;
  for (const std::unique_ptr<FiberThread> &thread : threads) {
    ++count[static_cast<size_t>(thread->waiting)];
    if (thread->waiting == Waiting::barrier && thread->place != 0) line = thread->place;
  }
  std::string text = "of block " + std::to_string(rank);
  for (size_t i = 0; i < count.size(); ++i) {
    if (count[i] != 0) text += ", " + std::to_string(count[i]) + " threads " + kNames[i];
  }
  return text + (line != 0 ? " (line " + std::to_string(line) + ");" : ";");
}

Schedule &schedule() {
  static Schedule instance;
  return instance;
}

const Configuration &configuration() { return grid->configuration; }

std::string run(const void *kernel, const Configuration &configuration, const std::function<void()> &body) {
  const Unwatched unwatched;
  const std::string reason = refusal(configuration);
  if (!reason.empty()) return "a GPU refuses to launch " + reason;
  Grid instance{configuration, &body, static_shared(kernel), sgemm_test::Random(schedule().seed), {}, {}};
  grid = &instance;
  release(&instance.begin);
  run_blocks();
  instance.resident.clear();
  acquire(&instance.end);
  grid = nullptr;
  return instance.fault;
}

void fail(const std::string &what) {
  const FiberThread *thread = self();
  throw Fault{"thread " + std::to_string(thread->rank) + " of block " + std::to_string(thread->block->rank) + " " +
              what};
}

void wait(Waiting reason) {
  FiberThread *thread = self();
  thread->waiting = reason;
  thread->fiber.suspend();
  thread->waiting = Waiting::no;
}

void yield() {
  {
    const Unwatched unwatched;
    self()->block->polling.push_back(self());
  }
  wait(Waiting::poll);
}

void progress() { ++grid->progress; }

}  // namespace simt
