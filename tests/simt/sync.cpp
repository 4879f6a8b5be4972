// Barriers of a block and of a cluster, and the operations of a warp.
#include <algorithm>

#include "block.h"

namespace simt {
namespace {

// Counts the thread at the barrier; the last one to arrive wakes those that wait, the thread itself included.
void arrive(int id, unsigned count, int place, int value, bool waits) {
  FiberThread *thread = self();
  Block *block = thread->block;
  if (id < 0 || id > 15) fail("names barrier " + std::to_string(id));
  const auto all = static_cast<unsigned>(block->threads.size());
  const unsigned expected = count == 0 ? all : count;
  if (expected > all || (count != 0 && count % 32 != 0)) fail("waits for " + std::to_string(count) + " threads");
  Barrier &barrier = block->barriers[static_cast<size_t>(id)];
  if (barrier.arrived == 0) {
    barrier.expected = expected;
    barrier.place = place;
    barrier.sum = 0;
  }
  if (barrier.expected != expected)
    fail("counts other threads at barrier " + std::to_string(id) + " than those before it");
  if (barrier.place != place) {
    fail("is at the barrier in line " + std::to_string(place) + " while others wait at that in line " +
         std::to_string(barrier.place));
  }
  progress();
  barrier.sum += value;
  thread->place = place;
  if (waits) barrier.waiting.push_back(thread);
  if (++barrier.arrived == expected) {
    barrier.arrived = 0;
    for (FiberThread *other : barrier.waiting) {
      other->result = barrier.sum;
      block->ready.push_back(other);
    }
    barrier.waiting.clear();
  }
  if (waits) wait(Waiting::barrier);
}

uint64_t reduce(WarpOp op, uint64_t a, uint64_t b) {
  switch (op) {
    case WarpOp::reduce_add:
      return a + b;
    case WarpOp::reduce_min:
      return std::min(a, b);
    case WarpOp::reduce_max:
      return std::max(a, b);
    case WarpOp::reduce_and:
      return a & b;
    default:
      return a | b;
  }
}

// Gives every lane in `mask` its result; `lanes` are the threads of the warp.
void complete(WarpOp op, unsigned mask, const std::unique_ptr<FiberThread> *lanes) {
  std::array<uint64_t, 32> value = {};
  uint64_t combined = 0;
  bool first = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    value[lane] = lanes[lane]->value;
    if (op == WarpOp::ballot) combined |= value[lane] << lane;
    if (op >= WarpOp::reduce_add) combined = first ? value[lane] : reduce(op, combined, value[lane]);
    first = false;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    FiberThread *thread = lanes[lane].get();
    thread->value = op == WarpOp::shuffle ? value[thread->argument] : combined;
    thread->block->ready.push_back(thread);
  }
}

}  // namespace

void barrier_sync(int id, unsigned count, int place) { arrive(id, count, place, 0, true); }

void barrier_arrive(int id, unsigned count, int place) { arrive(id, count, place, 0, false); }

int barrier_count(int value, int place) {
  arrive(0, 0, place, value, true);
  return self()->result;
}

void Cluster::release() {
  if (waiting.empty() || waiting.size() + left < threads) return;
  for (FiberThread *thread : waiting) thread->block->ready.push_back(thread);
  waiting.clear();
  progress();
}

void cluster_sync() {
  FiberThread *thread = self();
  progress();
  thread->block->cluster->waiting.push_back(thread);
  thread->block->cluster->release();
  wait(Waiting::cluster);
}

uint64_t warp_exchange(WarpOp op, unsigned mask, uint64_t value, unsigned argument) {
  FiberThread *thread = self();
  Block *block = thread->block;
  const unsigned warp = thread->rank / 32, lane = thread->rank % 32;
  const unsigned lanes = std::min(32u, static_cast<unsigned>(block->threads.size()) - warp * 32);
  if (lanes < 32) mask &= (1u << lanes) - 1;
  if ((mask >> lane & 1) == 0) fail("is not in the mask of its warp operation");
  if (op == WarpOp::shuffle && (argument >= 32 || (mask >> argument & 1) == 0)) {
    fail("shuffles from lane " + std::to_string(argument) + ", which takes no part");
  }
  thread->op = op;
  thread->mask = mask;
  thread->value = value;
  thread->argument = argument;
  unsigned &waiting = block->warps[warp];
  waiting |= 1u << lane;
  progress();
  if ((waiting & mask) == mask) {
    const std::unique_ptr<FiberThread> *first = &block->threads[warp * 32];
    for (unsigned i = 0; i < lanes; ++i) {
      const bool same = first[i]->op == op && first[i]->mask == mask;
      if ((mask >> i & 1) != 0 && !same) fail("and lane " + std::to_string(i) + " are in different warp operations");
    }
    waiting &= ~mask;
    complete(op, mask, first);
  }
  wait(Waiting::warp);
  return thread->value;
}

}  // namespace simt
