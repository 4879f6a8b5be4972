// Counts running calls in several cache lines: threads do not contend for one.
#include "gate.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace libsgemm {

constexpr unsigned kCells = 64;

// A signal handler may fork or exit at any point of a call. `counted` is set before the call is counted and reset after
// it. A handler in between subtracts one too many: a thread may stop waiting too early, but none waits for ever.
struct GateThread {
  unsigned cell = kCells;  // the same for all calls of the thread, so that they balance; kCells: none yet
  int depth = 0;           // nested InGate
  bool counted = false;
  bool ending = false;     // the call began during exit, or caused it
  bool set_aside = false;  // not counted while the thread forks
};

namespace {

thread_local GateThread t_thread;

struct alignas(64) Cell {
  std::atomic<int> running{0};
};
Cell g_cells[kCells];

// 0: open. kEnding is never reset.
constexpr int kForking = 1, kEnding = 2;
std::atomic<int> g_state{0};
std::atomic<pthread_t> g_forker{};  // forking thread, which may still make calls

unsigned next_cell() {
  static std::atomic<unsigned> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) % kCells;
}

void count(GateThread *t) {
  if (t->cell == kCells) t->cell = next_cell();
  t->counted = true;
  g_cells[t->cell].running.fetch_add(1);
}

void discount(GateThread *t) {
  g_cells[t->cell].running.fetch_sub(1);
  t->counted = false;
}

bool is_forker() { return pthread_equal(g_forker.load(), pthread_self()) != 0; }

void wait_until_idle() {
  for (Cell &cell : g_cells) {
    // A product can take seconds: yields first, sleeps later.
    for (int spin = 0; cell.running.load() > 0; ++spin)
      spin < 1000 ? static_cast<void>(sched_yield()) : static_cast<void>(usleep(100));
  }
}

void at_exit() {
  GateThread &t = t_thread;
  if (t.depth > 0) {  // exit in a signal handler: the interrupted call does not continue
    if (t.counted) discount(&t);
    t.ending = true;
  }
  g_state.fetch_or(kEnding);
  wait_until_idle();
}

// False if the process is ending, unless the thread is inside an earlier call.
bool enter(GateThread *t) {
  if (t->depth++ > 0) return !t->ending;
  for (;;) {
    count(t);
    const int state = g_state.load();
    if (state == 0 || (state == kForking && is_forker())) return true;
    discount(t);
    if ((state & kEnding) != 0) {
      t->ending = true;
      return false;
    }
    while (g_state.load() == kForking) usleep(100);
  }
}

}  // namespace

InGate::InGate() : thread_(&t_thread), ending_(!enter(thread_)) {}

InGate::~InGate() {
  if (--thread_->depth > 0) return;
  if (thread_->counted) discount(thread_);
  thread_->ending = false;
}

void gate_close_for_fork() {
  GateThread &t = t_thread;
  if ((g_state.load() & kForking) != 0 && is_forker()) return;
  // Not counted while it waits: another forking thread would wait for this call.
  t.set_aside = t.counted;
  if (t.counted) discount(&t);
  while ((g_state.fetch_or(kForking) & kForking) != 0) usleep(100);
  g_forker = pthread_self();
  wait_until_idle();
}

void gate_open_after_fork(Side side) {
  GateThread &t = t_thread;
  // The child lacks the parent's other threads, whose calls are counted.
  if (side == Side::child) {
    for (Cell &cell : g_cells) cell.running = 0;
  }
  if (t.set_aside) count(&t);
  t.set_aside = false;
  g_forker = pthread_t{};
  g_state.fetch_and(~kForking);
}

bool gate_fork_is_late() { return t_thread.depth > 0 || (g_state.load() & kEnding) != 0; }

void gate_watch_exit() { std::atexit(at_exit); }

void gate_watch_fork() {
  static std::atomic<bool> watching{false};
  if (watching.exchange(true)) return;
  // Prepare handlers run in reverse order of registration: this one before the BLAS's.
  if (pthread_atfork(gate_close_for_fork, nullptr, nullptr) != 0) watching = false;  // no memory: retried next time
}

}  // namespace libsgemm
