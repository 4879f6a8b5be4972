#include "parallel.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace command {
namespace {

constexpr int64_t kCostOfThread = int64_t{1} << 18;

}  // namespace

void for_ranges(int64_t count, int64_t cost, const std::function<void(int64_t, int64_t)> &body) {
  const int64_t worth = std::max<int64_t>(1, count * cost / kCostOfThread);
  const int64_t processors = std::max<int64_t>(1, std::thread::hardware_concurrency());
  const int64_t parts = std::min({count, worth, processors});
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < parts; ++part) {
    threads.emplace_back(body, count * part / parts, count * (part + 1) / parts);
  }
  body(0, parts > 0 ? count / parts : 0);
  for (std::thread &thread : threads) thread.join();
}

}  // namespace command
