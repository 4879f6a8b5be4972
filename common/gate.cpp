// A count of running calls, spread over cache lines so that threads do not contend for one.
#include "gate.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace libsgemm {
namespace {

constexpr unsigned kCells = 64;

struct alignas(64) Cell {
  std::atomic<int> running{0};
};
Cell g_cells[kCells];

enum State : int { open, forking, exiting };
std::atomic<int> g_state{open};
std::atomic<pthread_t> g_holder{};  // the thread that forks or exits; it may go on calling

unsigned next_cell() {
  static std::atomic<unsigned> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) % kCells;
}

// The same cell for all calls of a thread, so that entering and leaving match.
Cell &own_cell() {
  thread_local const unsigned cell = next_cell();
  return g_cells[cell];
}

thread_local int t_depth = 0;  // how often the thread has entered

bool is_holder() { return pthread_equal(g_holder.load(), pthread_self()) != 0; }

void wait_until_idle() {
  for (Cell &cell : g_cells) {
    // Products can take seconds, so the wait gives way first and sleeps later.
    for (int spin = 0; cell.running.load() != 0; ++spin)
      spin < 1000 ? static_cast<void>(sched_yield()) : static_cast<void>(usleep(100));
  }
}

// One holder at a time; the holder may close it again.
void close_gate(State state) {
  for (int expected = open; !g_state.compare_exchange_strong(expected, state); expected = open) {
    if (is_holder()) return;
    usleep(100);
  }
  g_holder = pthread_self();
  wait_until_idle();
}

void at_exit() { close_gate(exiting); }

}  // namespace

void gate_enter() {
  if (t_depth++ > 0) return;
  Cell &cell = own_cell();
  for (;;) {
    cell.running.fetch_add(1);
    if (g_state.load() == open || is_holder()) return;
    cell.running.fetch_sub(1);
    while (g_state.load() != open) usleep(100);
  }
}

void gate_leave() {
  if (--t_depth == 0) own_cell().running.fetch_sub(1);
}

void gate_close_for_fork() { close_gate(forking); }

void gate_open_after_fork() {
  if (g_state != forking) return;  // an exit handler forked
  g_holder = pthread_t{};
  g_state = open;
}

void gate_watch_exit() { std::atexit(at_exit); }

void gate_watch_fork() {
  static std::atomic<bool> watching{false};
  if (watching.exchange(true)) return;
  // Handlers of fork run in the reverse order of their registration, so this one comes before those of the BLAS.
  pthread_atfork(gate_close_for_fork, nullptr, nullptr);
}

}  // namespace libsgemm
