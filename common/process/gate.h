// Tracks running calls, for the two moments at which none may run: a fork, and the end of the process. Every entry
// point of the library is inside the gate.
//
// A fork waits until no call runs, and blocks new ones: the child would inherit a lock or a half-done product, and
// hang.
//
// Exit tears down the BLAS and the drivers, so it waits for the calls inside them. It blocks no call: the thread that
// ends the process may join a thread that makes calls. From then on `ref` computes, enters no plugin and takes only the
// lock for loading `ref`. No fork and no exit waits for these calls.
//
// A fork or an exit in a signal handler does not wait for the call that it interrupts.
#pragma once

namespace libsgemm {

struct GateThread;

// Waits while a fork is in progress.
class InGate {
 public:
  InGate();
  ~InGate();
  InGate(const InGate &) = delete;
  InGate &operator=(const InGate &) = delete;

  // The call began when the process was ending. Every function that makes a guard checks this, or calls only functions
  // that do.
  bool ending() const { return ending_; }

 private:
  GateThread *const thread_;
  const bool ending_;
};

constexpr const char *kEndingText = "the process is ending";

// Waits until no call runs, and blocks new ones; closing twice equals closing once.
void gate_close_for_fork();
enum class Side { parent, child };
void gate_open_after_fork(Side side);
// A fork from inside a call, or while the process is ending: the backends must not be touched.
bool gate_fork_is_late();

// The exit handler marks the process as ending. It must run before all destructors and handlers of what a plugin uses,
// so it is registered before a plugin is loaded, and after it is loaded or has started a driver.
void gate_watch_exit();

// Closes the gate before the BLAS's fork handlers run. Called when a BLAS has been loaded.
void gate_watch_fork();

}  // namespace libsgemm
