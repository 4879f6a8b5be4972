// Tracks running calls, for the two moments at which none may be running: a fork, and the end of the process.
//
// Every entry point of the library is inside the gate as a whole. A fork waits until no thread holds a lock or is
// inside a BLAS, and blocks new calls meanwhile: the child would inherit the lock, or a half-done product, and hang.
//
// Exit is different. It tears down the BLAS and the drivers, so it waits until the calls inside them have ended. But it
// blocks no call, since the thread that ends the process may be about to join a thread that makes calls. From then on
// the process is "ending": calls are computed by `ref`, which nothing tears down. They enter no plugin and take none of
// the library's locks except the one for loading `ref`, and no fork and no exit waits for them.
//
// A fork or an exit from inside a call, in a signal handler, does not wait for that call.
#pragma once

namespace libsgemm {

// State of a thread at the gate.
struct GateThread;

// Guard around a whole call, which is inside the gate as long as the guard lives. Nested guards cost next to nothing.
// Waits while a fork is in progress.
class InGate {
 public:
  InGate();
  ~InGate();
  InGate(const InGate &) = delete;
  InGate &operator=(const InGate &) = delete;

  // True if the call began when the process was ending: see above for what it may do. Every function that makes a guard
  // checks this, or calls only functions that do.
  bool ending() const { return ending_; }

 private:
  GateThread *const thread_;
  const bool ending_;
};

// Error text, when the process is ending, of a call that needs a plugin.
constexpr const char *kEndingText = "the process is ending";

// Handlers of fork. Closing waits until no call runs and blocks new ones. Closing twice is the same as closing once.
void gate_close_for_fork();
enum class Side { parent, child };
void gate_open_after_fork(Side side);
// True if the thread forks from inside a call, or while the process is ending: then the backends must not be touched.
bool gate_fork_is_late();

// Registers the exit handler that marks the process as ending. To be called before a plugin is loaded, and again after
// it is loaded or has started a driver: the handler then runs before destructors and handlers of what the plugin uses,
// including those registered while it is loaded.
void gate_watch_exit();

// Registers a handler of fork that closes the gate before the BLAS's own handlers run. To be called when a BLAS has
// been loaded. Further calls do nothing.
void gate_watch_fork();

}  // namespace libsgemm
