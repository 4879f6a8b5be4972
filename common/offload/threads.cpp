// A queue and its threads.
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "loader.h"

namespace libsgemm {
namespace {

constexpr int kMostThreads = 16;

struct Queue {
  CopyTask *first = nullptr, *last = nullptr;

  void push(CopyTask *task) {
    task->next = nullptr;
    (last != nullptr ? last->next : first) = task;
    last = task;
  }
  CopyTask *pop() {
    CopyTask *task = first;
    if (task != nullptr) first = task->next;
    if (first == nullptr) last = nullptr;
    return task;
  }
};

struct Pool {
  std::mutex mutex;
  std::condition_variable wake;
  Queue tasks;
  std::vector<std::thread> threads;
  int idle = 0;
  bool stopping = false;
};

// Never destroyed: its threads may wait until the very end.
Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

void work(Pool *p) {
  std::unique_lock<std::mutex> lock(p->mutex);
  for (;;) {
    CopyTask *task = p->tasks.pop();
    if (task == nullptr) {
      if (p->stopping) return;
      ++p->idle;
      p->wake.wait(lock);
      --p->idle;
      continue;
    }
    lock.unlock();
    task->run(task);
    lock.lock();
  }
}

// As many as there can be; signals are for the program's own threads.
void start(Pool *p) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    const auto wanted = static_cast<size_t>(copy_threads());
    p->threads.reserve(wanted);
    while (p->threads.size() < wanted) p->threads.emplace_back(work, p);
  } catch (const std::system_error &) {
  } catch (const std::bad_alloc &) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int cores() {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  return count > 0 ? count : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

int copy_threads() {
  const int wanted = library().env.offload_threads;
  static const int by_default = std::min(cores(), kMostThreads);
  return wanted > 0 ? wanted : by_default;
}

void submit_copy(CopyTask *task) {
  Pool &p = pool();
  bool run_here = false, wake = false;
  {
    const std::lock_guard<std::mutex> lock(p.mutex);
    if (p.threads.empty()) start(&p);
    run_here = p.threads.empty();
    wake = p.idle > 0;
    if (!run_here) p.tasks.push(task);
  }
  if (run_here) task->run(task);
  if (wake) p.wake.notify_one();
}

void stop_copy_threads() {
  Pool &p = pool();
  std::vector<std::thread> ending;
  {
    const std::lock_guard<std::mutex> lock(p.mutex);
    p.stopping = true;
    ending.swap(p.threads);
  }
  p.wake.notify_all();
  for (std::thread &thread : ending) thread.join();
  const std::lock_guard<std::mutex> lock(p.mutex);
  p.stopping = false;
}

}  // namespace libsgemm
