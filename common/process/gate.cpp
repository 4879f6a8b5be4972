// A count of running calls, spread over cache lines so that threads do not contend for one.
#include "gate.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace libsgemm {

constexpr unsigned kCells = 64;

// Signal handlers may fork and exit at any point of a call. `counted` is set a moment before the call is counted and
// reset a moment after; one that comes between takes off a count too many, and looks less long than it should, but
// nobody waits for ever.
struct GateThread {
  unsigned cell = kCells;  // the same for all calls of the thread, so that entering and leaving match; none yet
  int depth = 0;           // how often the thread has entered
  bool counted = false;    // in its cell
  bool ending = false;     // its call came, or ended the process, when the process was ending
  bool set_aside = false;  // its call is not counted while it forks
};

namespace {

thread_local GateThread t_thread;

struct alignas(64) Cell {
  std::atomic<int> running{0};
};
Cell g_cells[kCells];

// Bits; none: open. Once it is ending it stays so.
constexpr int kForking = 1, kEnding = 2;
std::atomic<int> g_state{0};
std::atomic<pthread_t> g_forker{};  // the thread that forks; it may go on calling

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
    // Products can take seconds, so the wait gives way first and sleeps later.
    for (int spin = 0; cell.running.load() > 0; ++spin)
      spin < 1000 ? static_cast<void>(sched_yield()) : static_cast<void>(usleep(100));
  }
}

void at_exit() {
  GateThread &t = t_thread;
  if (t.depth > 0) {  // in a signal handler: the call does not go on
    if (t.counted) discount(&t);
    t.ending = true;
  }
  g_state.fetch_or(kEnding);
  wait_until_idle();
}

// False if the process is ending and the thread was not at work before.
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
  // Before it waits: another thread that forks would wait for this call.
  t.set_aside = t.counted;
  if (t.counted) discount(&t);
  while ((g_state.fetch_or(kForking) & kForking) != 0) usleep(100);  // one at a time
  g_forker = pthread_self();
  wait_until_idle();
}

void gate_open_after_fork(Side side) {
  GateThread &t = t_thread;
  // Threads that were about to enter, or to wait, are gone.
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
  // Handlers of fork run in the reverse order of their registration, so this one comes before those of the BLAS.
  if (pthread_atfork(gate_close_for_fork, nullptr, nullptr) != 0) watching = false;  // no memory: the next time
}

}  // namespace libsgemm
