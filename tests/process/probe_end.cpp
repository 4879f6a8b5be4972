// A process that ends, or forks, at a bad moment.
//
//   probe_end --report FILE --mode MODE [--size N] [--calls native|cblas] [--plugin FILE]
//
// --calls cblas: cblas_sgemm of the preloaded library. --plugin: the mock GPU, which counts calls.
#include <libsgemm.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "plugins/mock.h"

namespace {

using Cblas = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                       int);

std::map<std::string, std::string> &options = *new std::map<std::string, std::string>;
std::FILE *report;
Cblas cblas;  // NULL: native

void tell(const std::string &key, const std::string &value) {
  std::fprintf(report, "%s=%s\n", key.c_str(), value.c_str());
  std::fflush(report);
}
void tell(const std::string &key, int64_t value) { tell(key, std::to_string(value)); }

// Small integers are exact: C = A * B + C. Only the constructor allocates.
class Product {
 public:
  Product() : n_(std::atol(options["size"].c_str())), a_(count()), b_(count()), c_(count()) {
    for (size_t i = 0; i < count(); ++i) {
      a_[i] = static_cast<float>(i * 5 % 7) - 3;
      b_[i] = static_cast<float>(i * 11 % 5) - 2;
      c_[i] = static_cast<float>(i % 3);
    }
    before_ = c_;
  }

  libsgemm_status_t call() {
    const int n = static_cast<int>(n_);
    if (cblas == nullptr) {
      return libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n_, n_, n_, 1, a_.data(), n_,
                            b_.data(), n_, 1, c_.data(), n_);
    }
    cblas(102, 111, 111, n, n, n, 1, a_.data(), n, b_.data(), n, 1, c_.data(), n);
    return LIBSGEMM_SUCCESS;
  }

  bool right() {
    std::memcpy(c_.data(), before_.data(), count() * sizeof(float));
    if (call() != LIBSGEMM_SUCCESS) return false;
    for (int64_t j = 0; j < n_; j += 1 + n_ / 20) {
      for (int64_t i = 0; i < n_; ++i) {
        float sum = before_[at(i, j)];
        for (int64_t l = 0; l < n_; ++l) sum += a_[at(i, l)] * b_[at(l, j)];
        if (c_[at(i, j)] != sum) return false;
      }
    }
    return true;
  }

  bool untouched() const { return std::memcmp(c_.data(), before_.data(), count() * sizeof(float)) == 0; }

 private:
  size_t count() const { return static_cast<size_t>(n_ * n_); }
  size_t at(int64_t i, int64_t j) const { return static_cast<size_t>(i + j * n_); }

  int64_t n_;
  std::vector<float> a_, b_, c_, before_;
};

// The threads are joined while static objects are destroyed.
class Pool {
 public:
  ~Pool() {
    // Calls must complete after the process starts to end.
    for (size_t i = 0; i < threads_.size(); ++i) {
      const int before = done_[i];
      while (done_[i] < before + 3) usleep(100);
    }
    stop_ = true;
    for (std::thread &thread : threads_) thread.join();
    if (!threads_.empty()) tell("joined", all_right_ ? "right" : "wrong");
    if (last) last();
  }

  void start(const std::function<bool()> &work) {
    for (size_t i = 0; i < kThreads; ++i) {
      threads_.emplace_back([this, work, i] {
        while (!stop_) {
          if (!work()) all_right_ = false;
          ++done_[i];
        }
      });
    }
    for (const std::atomic<int> &done : done_) {
      while (done == 0) usleep(100);
    }
  }

  std::function<void()> last;

 private:
  static constexpr size_t kThreads = 3;
  std::vector<std::thread> threads_;
  std::atomic<int> done_[kThreads] = {};
  std::atomic<bool> stop_{false}, all_right_{true};
};

Pool pool;  // destroyed after all that the library registers at first use

bool thread_product() {
  thread_local Product *product = new Product;  // never freed: the thread may outlive static objects
  return product->right();
}

// The child calls in the parent's memory. An alarm ends a hanging child.
bool child_is_right(Product *product) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    _exit(product->right() ? 0 : 1);
  }
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int pool_mode() {
  tell("first", Product().right());
  pool.start(thread_product);
  return 0;
}

int pool_fork_mode() {
  static Product *const product = new Product;
  static std::atomic<int> children{0}, right{0};
  pool.start([] {
    thread_local Product *own = new Product;
    thread_local int count = 0;
    if (count++ % 4 != 0) return own->right();
    ++children;
    if (child_is_right(own)) ++right;
    return true;
  });
  pool.last = [] {
    tell("children", children == right ? "right" : "wrong");
    tell("last_child", child_is_right(product));
  };
  return 0;
}

std::atomic<bool> signalled{false};

void exit_now(int) { exit(0); }

void after(int milliseconds, void (*handler)(int)) {
  signal(SIGALRM, handler);
  const itimerval timer = {{0, 0}, {0, milliseconds * 1000}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

int signal_exit_mode() {
  static Product *const product = new Product;
  product->call();
  pool.last = [] { tell("last", Product().right()); };
  after(100, exit_now);
  for (;;) product->call();
}

Product *forks_product = nullptr;

void fork_now(int) {
  tell("child", child_is_right(forks_product));
  signalled = true;
}

int signal_fork_mode() {
  forks_product = new Product;
  Product product;
  const bool first = product.right();
  after(100, fork_now);
  while (!signalled) product.call();
  tell("calls", first && product.right() ? "right" : "wrong");
  return 0;
}

// Takes every lock except those in products.
bool use_handles() {
  libsgemm_handle_t h = nullptr;
  libsgemm_plan_t plan = nullptr;
  const float x = 1;
  libsgemm_backend_info_t info;
  libsgemm_memory_t memory;
  const bool made = libsgemm_create(&h) == LIBSGEMM_SUCCESS &&
                    libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, 1, 1, &x, 1, &plan) ==
                        LIBSGEMM_SUCCESS &&
                    libsgemm_backend_describe(libsgemm_backend_count() - 1, &info) == LIBSGEMM_SUCCESS &&
                    libsgemm_get_memory(&memory) == LIBSGEMM_SUCCESS;
  return made && libsgemm_plan_destroy(plan) == LIBSGEMM_SUCCESS && libsgemm_synchronize(h) == LIBSGEMM_SUCCESS &&
         libsgemm_destroy(h) == LIBSGEMM_SUCCESS;
}

int handles_fork_mode() {
  std::atomic<bool> stop{false}, all_right{use_handles()};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        if (!use_handles()) all_right = false;
      }
    });
  }
  int right = 0;
  for (int i = 0; i < 300; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(20);
      _exit(use_handles() ? 0 : 1);
    }
    int status = 0;
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) ++right;
    if (WIFSIGNALED(status)) break;
  }
  stop = true;
  for (std::thread &thread : threads) thread.join();
  tell("children", right);
  tell("parent", all_right ? "right" : "wrong");
  return 0;
}

void product_at_fork() {
  static Product *const product = new Product;
  tell("at_fork", product->right());
}

int fork_handlers_mode() {
  pthread_atfork(product_at_fork, product_at_fork, nullptr);
  Product product;
  tell("first", product.right());
  pthread_atfork(product_at_fork, product_at_fork, nullptr);
  tell("child", child_is_right(&product));
  return 0;
}

void tell_late(libsgemm_handle_t h, mock::Control *gpu) {
  const auto asked = [gpu] { return gpu != nullptr ? gpu->calls[mock::kAny].load() : 0; };
  const int before = asked();
  const int64_t bytes = gpu != nullptr ? gpu->bytes.load() : 0;
  Product product;
  const bool right = product.right();
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  tell("late", info.status);
  tell("late_backend", info.backend);
  tell("late_message", info.message);
  tell("late_right", right ? 1 : 0);
  tell("late_untouched", product.untouched() ? 1 : 0);
  // The CPU cannot access device memory either.
  auto *device = static_cast<float *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const auto n = LIBSGEMM_NO_TRANS;
  tell("late_device", libsgemm_sgemm(LIBSGEMM_COL_MAJOR, n, n, 4, 4, 4, 1, device, 4, device, 4, 0, device, 4));
  tell("late_scale", libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, n, n, 4, 4, 0, 1, device, 4, device, 4, 0, device, 4));
  libsgemm_last_info(&info);
  tell("late_device_message", info.message);
  tell("late_synchronize", libsgemm_synchronize(h));
  tell("late_set_stream", libsgemm_set_stream(h, nullptr));
  tell("late_set_workspace", libsgemm_set_workspace(h, nullptr, 0));
  tell("late_set_mode", libsgemm_set_math_mode(h, LIBSGEMM_MATH_BF16X6));
  libsgemm_plan_t plan = nullptr;
  tell("late_plan", libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, n, 4, 4, device, 4, &plan));
  tell("late_destroy", libsgemm_destroy(h));
  tell("late_create", libsgemm_create(&h));
  libsgemm_backend_info_t backend;
  for (int i = 0; i < libsgemm_backend_count(); ++i) {
    tell(std::string("late_describe_") + libsgemm_backend_name(i), libsgemm_backend_describe(i, &backend));
  }
  tell("late_release", libsgemm_release_memory());
  tell("late_gpu", asked() - before);
  tell("late_bytes", gpu != nullptr ? gpu->bytes - bytes : 0);
}

int late_mode() {
  static mock::Control *gpu = nullptr;
  if (options.count("plugin") != 0) {
    void *plugin = dlopen(options["plugin"].c_str(), RTLD_NOW | RTLD_LOCAL);
    gpu = reinterpret_cast<mock::ControlEntry>(dlsym(plugin, mock::kControlSymbol))();
  }
  static libsgemm_handle_t h = nullptr;
  tell("create", libsgemm_create(&h));
  tell("first", Product().right());
  pool.last = [] { tell_late(h, gpu); };
  return 0;
}

int run(const std::string &mode) {
  if (mode == "pool") return pool_mode();
  if (mode == "pool-fork") return pool_fork_mode();
  if (mode == "signal-exit") return signal_exit_mode();
  if (mode == "signal-fork") return signal_fork_mode();
  if (mode == "handles-fork") return handles_fork_mode();
  if (mode == "fork-handlers") return fork_handlers_mode();
  if (mode == "late") return late_mode();
  return 3;
}

}  // namespace

int main(int argc, char **argv) {
  options["size"] = "20";
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i] + std::strlen("--")] = argv[i + 1];
  report = std::fopen(options["report"].c_str(), "we");
  if (report == nullptr) return 2;
  if (options["calls"] == "cblas") {
    cblas = reinterpret_cast<Cblas>(dlsym(RTLD_DEFAULT, "cblas_sgemm"));
    if (cblas == nullptr) return 2;
  }
  return run(options["mode"]);
}
