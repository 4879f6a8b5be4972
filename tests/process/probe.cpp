// A process that makes calls and reports on them.
//
//   probe --report FILE [--mode MODE] [--size N] [--backend LIST] [--kernel NAME] [--library FILE] [--second FILE]
//         [--main FILE] [--folder FOLDER] [--extra KIB] [--before none|small|large]
//
// Writes lines KEY=VALUE to FILE; stdout and stderr belong to the library. Exit status 0: the mode ran. Built twice:
// linked with the library; with PROBE_DLOPEN it opens --library, --second and --main. --folder: working directory after
// loading.
#include <libsgemm.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Library {
  decltype(&libsgemm_sgemm) sgemm;
  decltype(&libsgemm_sgemm_h) sgemm_h;
  decltype(&libsgemm_strsm) strsm;
  decltype(&libsgemm_last_info) last_info;
  decltype(&libsgemm_create) create;
  decltype(&libsgemm_destroy) destroy;
  decltype(&libsgemm_set_backend) set_backend;
  decltype(&libsgemm_set_kernel) set_kernel;
  decltype(&libsgemm_backend_count) backend_count;
  decltype(&libsgemm_backend_name) backend_name;
  decltype(&libsgemm_backend_describe) backend_describe;
};

std::map<std::string, std::string> options;
Library library;
std::FILE *report;

void tell(const std::string &key, const std::string &value) {
  std::fprintf(report, "%s=%s\n", key.c_str(), value.c_str());
  std::fflush(report);
}

[[noreturn]] void give_up(const std::string &reason) {
  tell("gave_up", reason);
  std::_Exit(3);
}

#ifdef PROBE_DLOPEN
template <typename Function>
void resolve(void *handle, const char *name, Function *function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  if (*function == nullptr) give_up(dlerror());
}

void *open_file(const std::string &file) {
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) give_up(dlerror());
  return handle;
}

void *load(const std::string &file) {
  void *handle = open_file(file);
  resolve(handle, "libsgemm_sgemm", &library.sgemm);
  resolve(handle, "libsgemm_sgemm_h", &library.sgemm_h);
  resolve(handle, "libsgemm_strsm", &library.strsm);
  resolve(handle, "libsgemm_last_info", &library.last_info);
  resolve(handle, "libsgemm_create", &library.create);
  resolve(handle, "libsgemm_destroy", &library.destroy);
  resolve(handle, "libsgemm_set_backend", &library.set_backend);
  resolve(handle, "libsgemm_set_kernel", &library.set_kernel);
  resolve(handle, "libsgemm_backend_count", &library.backend_count);
  resolve(handle, "libsgemm_backend_name", &library.backend_name);
  resolve(handle, "libsgemm_backend_describe", &library.backend_describe);
  return handle;
}
#else
void *load(const std::string &) {
  library = {libsgemm_sgemm,         libsgemm_sgemm_h,      libsgemm_strsm,           libsgemm_last_info,
             libsgemm_create,        libsgemm_destroy,      libsgemm_set_backend,     libsgemm_set_kernel,
             libsgemm_backend_count, libsgemm_backend_name, libsgemm_backend_describe};
  return nullptr;
}
#endif

// Small integers are exact: C = A * B + C.
class Product {
 public:
  explicit Product(int64_t size) : n_(size), a_(count()), b_(count()), c_(count()) {
    for (size_t i = 0; i < count(); ++i) {
      a_[i] = static_cast<float>(i * 5 % 7) - 3;
      b_[i] = static_cast<float>(i * 11 % 5) - 2;
      c_[i] = static_cast<float>(i % 3);
    }
    before_ = c_;
  }

  libsgemm_status_t call() {
    return library.sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n_, n_, n_, 1, a_.data(), n_,
                         b_.data(), n_, 1, c_.data(), n_);
  }

  libsgemm_status_t call(libsgemm_handle_t handle) {
    return library.sgemm_h(handle, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n_, n_, n_, 1, a_.data(),
                           n_, b_.data(), n_, 1, c_.data(), n_);
  }

  void reset() { std::memcpy(c_.data(), before_.data(), count() * sizeof(float)); }

  bool untouched() const { return std::memcmp(c_.data(), before_.data(), count() * sizeof(float)) == 0; }

  bool correct() const {
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        float sum = before_[index(i, j)];
        for (int64_t l = 0; l < n_; ++l) sum += a_[index(i, l)] * b_[index(l, j)];
        if (c_[index(i, j)] != sum) return false;
      }
    }
    return true;
  }

 private:
  size_t count() const { return static_cast<size_t>(n_ * n_); }
  size_t index(int64_t i, int64_t j) const { return static_cast<size_t>(i + j * n_); }

  int64_t n_;
  std::vector<float> a_, b_, c_, before_;
};

int64_t size() { return options.count("size") != 0 ? std::atol(options["size"].c_str()) : 20; }

// True if a call without a handle is right, or fails with a message and C unchanged. Allocates nothing: after
// fork only the library's locks may hang a child, not a sanitizer's allocator.
bool call_is_sound(Product *product) {
  product->reset();
  if (product->call() == LIBSGEMM_SUCCESS) return product->correct();
  libsgemm_info_t info;
  library.last_info(&info);
  return product->untouched() && info.message[0] != '\0';
}

bool call_is_sound() {
  Product product(size());
  return call_is_sound(&product);
}

// Every math mode that rounds inputs changes this number (test_environment.cpp).
std::string input_of_product() {
  const float x = 0x1.012p0f, one = 1;
  float c = 0;
  library.sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 1, 1, 1, 1, &x, 1, &one, 1, 0, &c, 1);
  char text[32];
  std::snprintf(text, sizeof text, "%a", static_cast<double>(c));
  return text;
}

void tell_call(const std::string &prefix, libsgemm_status_t status, const Product &product) {
  libsgemm_info_t info;
  library.last_info(&info);
  tell(prefix + "status", std::to_string(status));
  tell(prefix + "info_status", std::to_string(info.status));
  tell(prefix + "entry", info.entry);
  tell(prefix + "argument", std::to_string(info.argument));
  tell(prefix + "backend", info.backend);
  tell(prefix + "kernel", info.kernel);
  tell(prefix + "math_mode", info.math_mode);
  tell(prefix + "fallbacks", std::to_string(info.fallbacks));
  tell(prefix + "tuned", std::to_string(info.tuned));
  tell(prefix + "verified", info.verify_ratio >= 0 ? "1" : "0");
  tell(prefix + "reason", info.reason);
  tell(prefix + "message", info.message);
  tell(prefix + "correct", product.correct() ? "1" : "0");
  tell(prefix + "untouched", product.untouched() ? "1" : "0");
}

int call_mode() {
  Product product(size());
  const libsgemm_status_t status = product.call();
  tell_call("", status, product);
  tell("input", input_of_product());
  return 0;
}

int twice_mode() {
  Product product(size());
  const libsgemm_status_t status = product.call();
  tell_call("first_", status, product);
  return call_mode();
}

int handle_mode() {
  libsgemm_handle_t handle = nullptr;
  const libsgemm_status_t created = library.create(&handle);
  tell("create", std::to_string(created));
  Product product(size());
  if (created != LIBSGEMM_SUCCESS) {
    tell_call("", created, product);
    return 0;
  }
  if (options.count("backend") != 0) {
    tell("set_backend", std::to_string(library.set_backend(handle, options["backend"].c_str())));
  }
  if (options.count("kernel") != 0) {
    tell("set_kernel", std::to_string(library.set_kernel(handle, options["kernel"].c_str())));
  }
  const libsgemm_status_t status = product.call(handle);
  tell_call("", status, product);
  tell("destroy", std::to_string(library.destroy(handle)));
  return 0;
}

int describe_mode() {
  for (int i = 0; i < library.backend_count(); ++i) {
    libsgemm_backend_info_t info;
    const std::string name = library.backend_name(i);
    tell(name + ".status", std::to_string(library.backend_describe(i, &info)));
    tell(name + ".available", std::to_string(info.available));
    tell(name + ".path", info.path);
    tell(name + ".reason", info.reason);
    tell(name + ".version", info.version);
  }
  return call_mode();
}

template <typename Body>
void run_at_once(int count, const Body &body) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&barrier, &body, i] { body(i, [&barrier] { pthread_barrier_wait(&barrier); }); });
  }
  for (std::thread &thread : threads) thread.join();
  pthread_barrier_destroy(&barrier);
}

int first_use_mode() {
  std::atomic<int> sound{0};
  run_at_once(16, [&sound](int i, const auto &begin) {
    begin();
    libsgemm_backend_info_t info;
    if (i % 4 == 1) library.backend_describe(i % library.backend_count(), &info);
    libsgemm_handle_t handle = nullptr;
    if (i % 4 == 2 && library.create(&handle) != LIBSGEMM_SUCCESS) return;
    if (call_is_sound()) ++sound;
    if (handle != nullptr) library.destroy(handle);
  });
  tell("sound", std::to_string(sound));
  return call_mode();
}

int crowd_mode() {
  std::atomic<int> sound{0};
  run_at_once(300, [&sound](int i, const auto &begin) {
    const int64_t n = size();
    Product product(n);
    const std::vector<float> a(static_cast<size_t>(n * n)), right(a.size(), 7);
    std::vector<float> x = right;
    begin();
    for (int call = 0; call < 3; ++call) {
      const bool looks = call == 2 && i % 10 == 0;  // the check takes longer than the call
      sound += (looks ? call_is_sound(&product) : product.call() == LIBSGEMM_SUCCESS) ? 1 : 0;
      const libsgemm_status_t status =
          library.strsm(LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_UPPER, LIBSGEMM_NO_TRANS, LIBSGEMM_UNIT, n, n, 1,
                        a.data(), n, x.data(), n);
      sound += status == LIBSGEMM_SUCCESS && x == right ? 1 : 0;
    }
  });
  tell("sound", std::to_string(sound));
  return call_mode();
}

// Reports CPU milliseconds in 100 ms after a call, and the variable that the call may have set.
int rest_mode() {
  call_mode();
  usleep(20000);
  const std::clock_t before = std::clock();
  usleep(100000);
  tell("busy", std::to_string(1000 * (std::clock() - before) / CLOCKS_PER_SEC));
  const char *timeout = getenv("OPENBLAS_THREAD_TIMEOUT");
  tell("timeout", timeout != nullptr ? timeout : "");
  return 0;
}

bool child_is_sound() {
  Product product(size());
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    _exit(call_is_sound(&product) ? 0 : 1);
  }
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The child's address space may grow by --extra KiB. --before: the parent's earlier call.
int limited_mode() {
  Product small(4), product(size());
  if (options["before"] == "small") small.call();
  if (options["before"] == "large") product.call();
  const pid_t pid = fork();
  if (pid == 0) {
    long pages = 0;
    std::FILE *memory = std::fopen("/proc/self/statm", "re");
    if (memory == nullptr || std::fscanf(memory, "%ld", &pages) != 1 || std::fclose(memory) != 0) _exit(2);
    const rlim_t bytes =
        static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + std::atol(options["extra"].c_str()) * 1024);
    const rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    alarm(20);
    bool sound = true;
    for (int call = 0; call < 4; ++call) sound = call_is_sound(&product) && sound;
    _exit(sound ? 0 : 1);
  }
  int status = 0;
  const bool ended = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status);
  tell("child", std::to_string(ended ? WEXITSTATUS(status) : -1));
  return 0;
}

int fork_before_mode() {
  tell("child", child_is_sound() ? "1" : "0");
  return call_mode();
}

int fork_after_mode() {
  tell("first", call_is_sound() ? "1" : "0");
  tell("child", child_is_sound() ? "1" : "0");
  tell("child_again", child_is_sound() ? "1" : "0");
  return call_mode();
}

int fork_while_mode() {
  std::atomic<bool> stop{false};
  std::atomic<bool> all_sound{call_is_sound()};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      Product product(size());
      while (!stop) {
        if (!call_is_sound(&product)) all_sound = false;
      }
    });
  }
  int sound = 0;
  for (int i = 0; i < 20; ++i) sound += child_is_sound() ? 1 : 0;
  stop = true;
  for (std::thread &thread : threads) thread.join();
  tell("children", std::to_string(sound));
  tell("parent", all_sound ? "1" : "0");
  return 0;
}

int exit_while_mode() {
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      Product product(size());
      for (;;) product.call();
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  tell("exiting", "1");
  return 0;
}

void call_at_exit() { tell("at_exit", call_is_sound() ? "1" : "0"); }

// One exit handler calls before the library's own, one after it.
int at_exit_mode() {
  std::atexit(call_at_exit);
  tell("first", call_is_sound() ? "1" : "0");
  std::atexit(call_at_exit);
  return 0;
}

int at_exit_first_mode() {
  std::atexit(call_at_exit);
  return 0;
}

#ifdef PROBE_DLOPEN
int reopen_mode() {
  for (int i = 0; i < 3; ++i) {
    void *handle = load(options["library"]);
    tell("call" + std::to_string(i), call_is_sound() ? "1" : "0");
    tell("close" + std::to_string(i), std::to_string(dlclose(handle)));
  }
  return 0;
}

int two_mode(const std::string &mode) {
  void *first = open_file(options["library"]);
  void *second = open_file(options["second"]);
  void *handle = load(options["main"]);
  tell("call", call_is_sound() ? "1" : "0");
  if (mode == "two-forward") {
    tell("close", std::to_string(dlclose(first) + dlclose(second) + dlclose(handle)));
  } else if (mode == "two-backward") {
    tell("close", std::to_string(dlclose(handle) + dlclose(second) + dlclose(first)));
  }
  return 0;
}

int unused_mode() {
  void *handle = open_file(options["library"]);
  tell("close", std::to_string(dlclose(handle)));
  return 0;
}

// A thread that made calls ends after the library is closed: its thread-local data must be safe to free.
int close_before_thread_ends_mode() {
  void *handle = load(options["library"]);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread thread([&barrier] {
    tell("call", call_is_sound() ? "1" : "0");
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
  });
  pthread_barrier_wait(&barrier);
  tell("close", std::to_string(dlclose(handle)));
  pthread_barrier_wait(&barrier);
  thread.join();
  pthread_barrier_destroy(&barrier);
  tell("joined", "1");
  return 0;
}
#endif

int run(const std::string &mode) {
#ifdef PROBE_DLOPEN
  if (mode == "reopen") return reopen_mode();
  if (mode.rfind("two-", 0) == 0) return two_mode(mode);
  if (mode == "unused") return unused_mode();
  if (mode == "close-before-thread-ends") return close_before_thread_ends_mode();
#endif
  load(options["library"]);
  if (options.count("folder") != 0 && chdir(options["folder"].c_str()) != 0) give_up("no folder to go to");
  if (mode == "call") return call_mode();
  if (mode == "twice") return twice_mode();
  if (mode == "handle") return handle_mode();
  if (mode == "describe") return describe_mode();
  if (mode == "first-use") return first_use_mode();
  if (mode == "crowd") return crowd_mode();
  if (mode == "limited") return limited_mode();
  if (mode == "rest") return rest_mode();
  if (mode == "fork-before") return fork_before_mode();
  if (mode == "fork-after") return fork_after_mode();
  if (mode == "fork-while") return fork_while_mode();
  if (mode == "exit-while") return exit_while_mode();
  if (mode == "at-exit") return at_exit_mode();
  if (mode == "at-exit-first") return at_exit_first_mode();
  give_up("no mode " + mode);
}

}  // namespace

int main(int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i] + std::strlen("--")] = argv[i + 1];
  report = std::fopen(options["report"].c_str(), "we");
  if (report == nullptr) return 2;
  return run(options.count("mode") != 0 ? options["mode"] : "call");
}
