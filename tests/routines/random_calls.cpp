// Makes random calls and checks each element against FP64.
//
//   random_calls [--seed S] [--minutes M] [--calls N] [--first N] [--backend NAME] [--gpu]
//
// Makes calls first, first + 1, ... of the seed. Prints a wrong call with the options that repeat it. Exit status 0:
// all right; 1: some wrong; 2: wrong options; 77: no backend. LIBSGEMM_TEST_BACKEND also names the backend. Bursts and
// other options: random_calls_run.h.
#include <getopt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "random_calls_run.h"

using namespace random_calls;

namespace {

constexpr int kSkipped = 77;
constexpr uint64_t kBurst = 64;

[[noreturn]] void usage() {
  std::fprintf(stderr,
               "usage: random_calls [--seed S] [--minutes M] [--calls N] [--first N] [--backend NAME] [--gpu]\n"
               "                    [--concurrent-graphs] [--fault N]\n");
  std::exit(2);
}

uint64_t number(const char *text) {
  char *end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0') usage();
  return value;
}

Options parse(int argc, char **argv) {
  Options options;
  const char *backend = std::getenv("LIBSGEMM_TEST_BACKEND");
  options.backend = backend != nullptr ? backend : "ref";
  const option names[] = {{"seed", required_argument, nullptr, 's'},
                          {"minutes", required_argument, nullptr, 'm'},
                          {"calls", required_argument, nullptr, 'c'},
                          {"first", required_argument, nullptr, 'f'},
                          {"backend", required_argument, nullptr, 'b'},
                          {"gpu", no_argument, nullptr, 'g'},
                          {"fault", required_argument, nullptr, 'x'},
                          {"concurrent-graphs", no_argument, nullptr, 'G'},
                          {nullptr, 0, nullptr, 0}};
  bool minutes = false;
  for (int c = 0; (c = getopt_long(argc, argv, "", names, nullptr)) != -1;) {
    switch (c) {
      case 's':
        options.seed = number(optarg);
        break;
      case 'm':
        options.minutes = std::atof(optarg), minutes = true;
        break;
      case 'c':
        options.calls = number(optarg);
        break;
      case 'f':
        options.first = number(optarg);
        break;
      case 'b':
        options.backend = optarg;
        break;
      case 'g':
        options.gpu = true;
        break;
      case 'x':
        options.fault = static_cast<int64_t>(number(optarg));
        break;
      case 'G':
        options.concurrent_graphs = true;
        break;
      default:
        usage();
    }
  }
  if (optind != argc || !(options.minutes > 0)) usage();
  if (options.calls > 0 && !minutes) options.minutes = 1e9;
  return options;
}

std::string missing(const Options &options, bool *is_gpu) {
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    if (options.backend != libsgemm_backend_name(index)) continue;
    libsgemm_backend_info_t info;
    if (libsgemm_backend_describe(index, &info) != LIBSGEMM_SUCCESS) return "it cannot be described";
    *is_gpu = info.is_gpu != 0;
    return info.available != 0 ? "" : info.reason;
  }
  std::fprintf(stderr, "random_calls: the library knows no backend \"%s\"\n", options.backend.c_str());
  std::exit(2);
}

void print(const char *what, const std::map<std::string, uint64_t> &counts) {
  std::printf("  %s:", what);
  for (const auto &[name, count] : counts)
    std::printf(" %s %llu", name.c_str(), static_cast<unsigned long long>(count));
  std::printf("\n");
}

void print(const Tally &tally, double seconds) {
  std::printf("%llu calls in %.0f s, %.3g products of elements, %llu replays of graphs\n",
              static_cast<unsigned long long>(tally.calls), seconds, tally.products,
              static_cast<unsigned long long>(tally.replays));
  print("routines", tally.by_routine);
  print("memory", tally.by_memory);
  print("arithmetic", tally.by_mode);
  print("data", tally.by_data);
  print("ran on", tally.by_backend);
  std::printf("  worst |error| / bound: %.3f of 4 sqrt(k + 2) u, %.3f of (k + 2) u, %.3f of half a unit in fp64\n",
              tally.worst_safe, tally.worst_any, tally.worst_fp64);
  std::printf("%llu wrong\n", static_cast<unsigned long long>(tally.failures));
}

int run(const Options &options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Runner runner(options);
  double told = 0;
  size_t shown = 0;
  for (uint64_t done = 0; options.calls == 0 || done < options.calls;) {
    // Bursts end at multiples of kBurst, so that a run of --first has the bursts of the whole run.
    const uint64_t next = options.first + done, left = kBurst - next % kBurst;
    const uint64_t count = options.calls == 0 ? left : std::min(left, options.calls - done);
    runner.burst(next, count);
    done += count;
    for (; shown < runner.tally().faults.size(); ++shown)
      std::printf("WRONG %s\n", runner.tally().faults[shown].c_str());
    if (seconds() - told > 10) {
      told = seconds();
      std::printf("%.0f s: %llu calls, %llu wrong\n", told, static_cast<unsigned long long>(done),
                  static_cast<unsigned long long>(runner.tally().failures));
    }
    std::fflush(stdout);
    if (seconds() > options.minutes * 60) break;
  }
  print(runner.tally(), seconds());
  return runner.tally().failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  setenv("LIBSGEMM_BACKEND", options.backend.c_str(), 1);
  setenv("LIBSGEMM_TEST_BACKEND", options.backend.c_str(), 1);
  bool is_gpu = false;
  std::string reason = missing(options, &is_gpu);
  options.gpu = options.gpu || is_gpu;
  if (reason.empty() && options.gpu) reason = gpu::missing();
  if (!reason.empty()) {
    std::printf("SKIPPED: backend %s: %s\n", options.backend.c_str(), reason.c_str());
    return kSkipped;
  }
  try {
    return run(options);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "random_calls: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
