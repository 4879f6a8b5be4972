#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "process/immortal.h"
#include "process/loader.h"
#include "process/parallel.h"

namespace libsgemm {
namespace {

constexpr int kFewestThreads = 2, kMostThreads = 16;
// A thread looks this long for a task before it sleeps: tasks follow each other closely, and waking takes about 50 us.
constexpr std::chrono::microseconds kWatch(100);

struct Queue {
  CopyTask *first = nullptr, *last = nullptr;
  std::atomic<int> count{0};  // changed under the pool's lock

  void push(CopyTask *task) {
    task->next = nullptr;
    (last != nullptr ? last->next : first) = task;
    last = task;
    count.fetch_add(1, std::memory_order_relaxed);
  }
  CopyTask *pop() {
    CopyTask *task = first;
    if (task == nullptr) return nullptr;
    first = task->next;
    if (first == nullptr) last = nullptr;
    count.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }
};

struct Pool {
  std::mutex mutex;
  std::condition_variable wake;
  Queue tasks;
  std::vector<std::thread> threads;
  int tried = 0;  // threads requested at the latest start
  int idle = 0;
  std::atomic<int> watching{0};  // awake, without a task
  bool stopping = false;
};

Pool &pool() { return immortal<Pool>(); }

void watch(Pool *p) {
  p->watching.fetch_add(1, std::memory_order_relaxed);
  const auto end = std::chrono::steady_clock::now() + kWatch;
  while (p->tasks.count.load(std::memory_order_relaxed) == 0 && std::chrono::steady_clock::now() < end) sched_yield();
  p->watching.fetch_sub(1, std::memory_order_relaxed);
}

void work(Pool *p) {
  bool watched = true;
  std::unique_lock<std::mutex> lock(p->mutex);
  for (;;) {
    CopyTask *task = p->tasks.pop();
    if (task == nullptr) {
      if (p->stopping) return;
      if (!watched) {
        lock.unlock();
        watch(p);
        watched = true;
        lock.lock();
        continue;
      }
      ++p->idle;
      p->wake.wait(lock);
      --p->idle;
      continue;
    }
    lock.unlock();
    task->run(task);
    watched = false;
    lock.lock();
  }
}

// The threads block all signals, which are for the program's threads.
void start(Pool *p) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    p->tried = copy_threads();
    const auto wanted = static_cast<size_t>(p->tried);
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
  static const int by_default = std::clamp(cores() / 2, kFewestThreads, kMostThreads);
  return wanted > 0 ? wanted : std::min(by_default, most_threads());
}

void submit_copy(CopyTask *task, bool helps) {
  Pool &p = pool();
  bool run_here = false, wake = false;
  {
    const std::lock_guard<std::mutex> lock(p.mutex);
    if (p.tried < copy_threads()) start(&p);
    run_here = p.threads.empty();
    if (!run_here) p.tasks.push(task);
    const int served = p.watching.load(std::memory_order_relaxed) + (helps ? 1 : 0);
    wake = p.idle > 0 && p.tasks.count.load(std::memory_order_relaxed) > served;
  }
  if (run_here) task->run(task);
  if (wake) p.wake.notify_one();
}

bool help_copy() {
  Pool &p = pool();
  if (p.tasks.count.load(std::memory_order_relaxed) == 0) return false;
  CopyTask *task = nullptr;
  {
    const std::lock_guard<std::mutex> lock(p.mutex);
    task = p.tasks.pop();
  }
  if (task == nullptr) return false;
  task->run(task);
  return true;
}

void stop_copy_threads() {
  Pool &p = pool();
  std::vector<std::thread> ending;
  {
    const std::lock_guard<std::mutex> lock(p.mutex);
    p.stopping = true;
    p.tried = 0;
    ending.swap(p.threads);
  }
  p.wake.notify_all();
  for (std::thread &thread : ending) thread.join();
  const std::lock_guard<std::mutex> lock(p.mutex);
  p.stopping = false;
}

}  // namespace libsgemm
