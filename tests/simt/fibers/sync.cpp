#include <algorithm>

#include "block.h"

namespace simt {
namespace {

// Counts the thread; the last one wakes all that wait. `place`: line of the barrier. Returns what to acquire() then.
void *count_arrival(int id, unsigned count, int place, int value, bool waits) {
  const Unwatched unwatched;
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
  void *order = barrier.ordering.arrive();
  if (++barrier.arrived == expected) {
    barrier.arrived = 0;
    barrier.ordering.next_round();
    for (FiberThread *other : barrier.waiting) {
      other->result = barrier.sum;
      block->ready.push_back(other);
    }
    barrier.waiting.clear();
  }
  return order;
}

void arrive_and_wait(int id, unsigned count, int place, int value) {
  void *order = count_arrival(id, count, place, value, true);
  wait(Waiting::barrier);
  acquire(order);
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

void complete(WarpOp op, uint64_t mask, const std::unique_ptr<FiberThread> *lanes) {
  std::array<uint64_t, 64> value = {};
  uint64_t combined = 0;
  bool first = true;
  for (unsigned lane = 0; lane < 64; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    value[lane] = lanes[lane]->value;
    if (op == WarpOp::ballot) combined |= value[lane] << lane;
    if (op >= WarpOp::reduce_add) combined = first ? value[lane] : reduce(op, combined, value[lane]);
    first = false;
  }
  for (unsigned lane = 0; lane < 64; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    FiberThread *thread = lanes[lane].get();
    thread->value = op == WarpOp::shuffle ? value[thread->argument] : combined;
    thread->block->ready.push_back(thread);
  }
}

struct OwnWave {
  Wave *wave;
  const std::unique_ptr<FiberThread> *first;
  unsigned lanes;
};
OwnWave own_wave() {
  const FiberThread *thread = self();
  Block *block = thread->block;
  const unsigned size = configuration().wave, index = thread->rank / size;
  const unsigned lanes = std::min(size, static_cast<unsigned>(block->threads.size()) - index * size);
  return {&block->waves[index], &block->threads[index * size], lanes};
}

// The last lane completes the operation and wakes all. Returns what to acquire() then; null if memory is not ordered.
void *join_operation(WarpOp op, uint64_t mask, uint64_t value, unsigned argument) {
  const Unwatched unwatched;
  FiberThread *thread = self();
  const OwnWave own = own_wave();
  mask &= ~uint64_t{0} >> (64 - own.lanes);
  if ((mask >> lane() & 1) == 0) fail("is not in the mask of its warp operation");
  if (op == WarpOp::shuffle && (argument >= 64 || (mask >> argument & 1) == 0)) {
    fail("shuffles from lane " + std::to_string(argument) + ", which takes no part");
  }
  thread->op = op;
  thread->mask = mask;
  thread->value = value;
  thread->argument = argument;
  own.wave->waiting |= uint64_t{1} << lane();
  Ordering *ordering = op == WarpOp::sync ? &own.wave->ordering[(mask & 0xffffffffu) == 0 ? 1 : 0] : nullptr;
  void *order = ordering != nullptr ? ordering->arrive() : nullptr;
  progress();
  if ((own.wave->waiting & mask) != mask) return order;
  for (unsigned i = 0; i < own.lanes; ++i) {
    const bool same = own.first[i]->op == op && own.first[i]->mask == mask;
    if ((mask >> i & 1) != 0 && !same) fail("and lane " + std::to_string(i) + " are in different warp operations");
  }
  if (op == WarpOp::matrix) {
    const std::string fault = multiply_wave(own.first);
    if (!fault.empty()) fail(fault);
  }
  if (ordering != nullptr) ordering->next_round();
  own.wave->waiting &= ~mask;
  complete(op, mask, own.first);
  return order;
}

}  // namespace

void barrier_sync(int id, unsigned count, int place) { arrive_and_wait(id, count, place, 0); }

void barrier_arrive(int id, unsigned count, int place) { count_arrival(id, count, place, 0, false); }

int barrier_count(int value, int place) {
  arrive_and_wait(0, 0, place, value);
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

unsigned cluster_rank() { return static_cast<unsigned>(self()->block->rank % configuration().cluster); }

unsigned lane() { return current->rank % configuration().wave; }

uint64_t full_wave() { return ~uint64_t{0} >> (64 - configuration().wave); }

uint64_t warp_exchange(WarpOp op, uint64_t mask, uint64_t value, unsigned argument) {
  void *order = join_operation(op, mask, value, argument);
  wait(Waiting::warp);
  if (order != nullptr) acquire(order);
  return self()->value;
}

void expect_uniform(uint64_t value) {
  const Unwatched unwatched;
  std::vector<uint64_t> &values = own_wave().wave->uniform;
  const size_t count = self()->uniform_values++;
  if (count == values.size()) values.push_back(value);
  if (values[count] != value) fail("has a value that is not uniform: other lanes have another one");
}

}  // namespace simt
