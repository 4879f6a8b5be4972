// Calls that are at work, and the moments at which none may be: fork, and the end of the process.
//
// Every entry point of the library is passed as a whole, so that a fork waits until nobody holds a lock or is inside a
// BLAS, and holds off new calls meanwhile: a child would inherit the lock, or the product half done, and hang.
//
// The end of the process is another matter. What exit tears down are the BLAS and the drivers, so exit waits until the
// calls at work inside them have ended; but it holds off nobody, since the thread that ends the process may be about to
// join the one that calls. From then on the process is "ending": calls go on, with `ref`, which nothing tears down.
// They enter no plugin, take none of the library's locks but the one for loading `ref`, and no fork and no exit waits
// for them.
//
// A fork or an exit from inside a call, in a signal handler, does not wait for that call.
#pragma once

namespace libsgemm {

// What the gate knows of a thread.
struct GateThread;

// Around a call as a whole: in the gate as long as it lives. May be nested, which costs next to nothing. Waits while a
// fork is under way.
class InGate {
 public:
  InGate();
  ~InGate();
  InGate(const InGate &) = delete;
  InGate &operator=(const InGate &) = delete;

  // The call came when the process was ending: see above for what it may do. Everybody who enters looks at it, or calls
  // only what does.
  bool ending() const { return ending_; }

 private:
  GateThread *const thread_;
  const bool ending_;
};

// What a call says that could do with nothing but a plugin.
constexpr const char *kEndingText = "the process is ending";

// Around fork: waits until nothing runs and holds off what comes. Closing twice is closing once.
void gate_close_for_fork();
enum class Side { parent, child };
void gate_open_after_fork(Side side);
// The thread forks from inside a call, or while the process is ending: what is beneath is not to be touched.
bool gate_fork_is_late();

// To be called before a plugin is loaded, and when it has been, or has started a driver: marks the end of the process
// when it exits, before destructors and handlers of what the plugin uses run, of those that are registered while it is
// loaded, too.
void gate_watch_exit();

// To be called when a BLAS has been loaded: closes the gate before its own handlers of fork run. Further calls do
// nothing.
void gate_watch_fork();

}  // namespace libsgemm
