// Calls that are at work, and the moments at which none may be: fork, and the end of the process.
//
// A BLAS with threads of its own does not survive being forked, or torn down by exit, in the middle of a product: the
// child, or the process, hangs. So fork and exit wait here until running calls have ended, and hold off new ones
// meanwhile.
#pragma once

namespace libsgemm {

// Around the work of a backend, and its loading; may be nested. Blocks while a fork is under way, and for good once
// another thread ends the process.
void gate_enter();
void gate_leave();

// In the gate as long as it lives.
class InGate {
 public:
  InGate() { gate_enter(); }
  ~InGate() { gate_leave(); }
  InGate(const InGate &) = delete;
  InGate &operator=(const InGate &) = delete;
};

// Around fork: waits until nothing runs and holds off what comes. Closing twice is closing once.
void gate_close_for_fork();
void gate_open_after_fork();

// To be called before a BLAS is loaded and when it has been: closes the gate when the process exits, before the BLAS's
// destructors and its own handlers run, of those that it registers while it is loaded, too.
void gate_watch_exit();

// To be called when a BLAS has been loaded: closes the gate before its own handlers of fork run. Further calls do
// nothing.
void gate_watch_fork();

}  // namespace libsgemm
