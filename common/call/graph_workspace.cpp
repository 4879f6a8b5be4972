#include "graph_workspace.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "process/context.h"
#include "process/immortal.h"
#include "process/loader.h"

namespace libsgemm {
namespace {

struct Block {
  int backend, device;
  uint64_t context;
  uint64_t graph;
  void *stream;
  uint64_t thread;
  const void *owner;  // NULL: the graph owns the block
  void *memory;       // NULL: released
  size_t bytes;
  std::atomic<bool> in_use{false};  // a thread of the driver may clear it
};

struct Blocks {
  std::mutex mutex;
  std::vector<std::unique_ptr<Block>> all;  // never erased: the driver may hold their addresses until the process ends
};

// A number of this thread for the per-thread default stream, which has one name in all threads; else 0.
uint64_t thread_of(void *stream) {
  static std::atomic<uint64_t> threads{0};
  thread_local const uint64_t number = ++threads;
  return is_thread_default_stream(stream) ? number : 0;
}

Blocks &blocks() { return immortal<Blocks>(); }

void give_back(Block *block) {
  const bool there =
      !lost_by_fork(block->backend) && can_give_back(table_of(block->backend), block->device, block->context);
  if (block->memory != nullptr && there) table_of(block->backend).release(block->device, block->memory);
  block->memory = nullptr;
}

// An idle block, preferably with memory of this size; other memory is released.
Block *idle_block(Blocks *all, int backend, int device, uint64_t context, size_t bytes) {
  Block *empty = nullptr;
  for (const auto &block : all->all) {
    if (block->in_use.load(std::memory_order_acquire)) continue;
    const bool same = block->backend == backend && block->device == device && block->context == context;
    if (same && block->memory != nullptr && block->bytes == bytes) return block.get();
    empty = block.get();
  }
  if (empty == nullptr) {
    all->all.push_back(std::make_unique<Block>());
    return all->all.back().get();
  }
  give_back(empty);
  return empty;
}

void ended(void *block) { static_cast<Block *>(block)->in_use.store(false, std::memory_order_release); }

}  // namespace

void *graph_workspace(int backend, int device, void *stream, size_t bytes, const void *owner, Error *error) {
  const Backend &table = table_of(backend);
  const uint64_t context = context_of(table, device), graph = table.graph(device, stream), thread = thread_of(stream);
  Blocks &all = blocks();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto &block : all.all) {
    const bool same = block->in_use.load(std::memory_order_acquire) && block->backend == backend &&
                      block->device == device && block->context == context && block->graph == graph &&
                      block->stream == stream && block->thread == thread && block->bytes == bytes;
    if (same && (block->owner == nullptr || block->owner == owner)) return block->memory;
  }
  Block *block = idle_block(&all, backend, device, context, bytes);
  block->backend = backend, block->device = device, block->context = context;
  block->graph = graph, block->stream = stream, block->thread = thread, block->bytes = bytes;
  block->owner = table.keep_with_graph == nullptr ? owner : nullptr;
  if (block->memory == nullptr && table.allocate(device, bytes, &block->memory, error) != LIBSGEMM_SUCCESS) {
    block->memory = nullptr;
    return nullptr;
  }
  block->in_use.store(true, std::memory_order_relaxed);
  if (block->owner == nullptr && table.keep_with_graph(device, stream, ended, block, error) != LIBSGEMM_SUCCESS) {
    block->in_use.store(false, std::memory_order_relaxed);
    return nullptr;
  }
  return block->memory;
}

void release_graph_workspaces(const void *owner) {
  Blocks &all = blocks();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto &block : all.all) {
    if (block->owner != nullptr && block->owner == owner) block->in_use.store(false, std::memory_order_relaxed);
    if (!block->in_use.load(std::memory_order_acquire)) give_back(block.get());
  }
}

}  // namespace libsgemm
