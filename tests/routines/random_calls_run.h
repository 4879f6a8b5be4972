// A burst prepares its matrices, makes its calls without waiting for the device, replays graphs with other inputs, then
// checks everything.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu_placement.h"
#include "random_calls_draw.h"

namespace random_calls {

struct Options {
  uint64_t seed = 1, first = 0, calls = 0;  // calls 0: no limit
  double minutes = 1;
  std::string backend;
  bool gpu = false;                // device memory, streams, graphs
  bool concurrent_graphs = false;  // each graph replays on its own stream
  int64_t fault = -1;              // first call whose result may be falsified, to test the check; -1: none
};

struct Tally {
  uint64_t calls = 0, failures = 0, replays = 0;
  double products = 0;  // multiplications of two elements
  std::map<std::string, uint64_t> by_routine, by_memory, by_mode, by_backend, by_data;
  double worst_safe = 0, worst_any = 0, worst_fp64 = 0;  // |error| / bound; worst_fp64: by FP64's own bound
  std::vector<std::string> faults;                       // the first few
};

class Item;
struct Gpu;

class Runner {
 public:
  explicit Runner(const Options &options);
  ~Runner();

  void burst(uint64_t first, uint64_t count);

  const Tally &tally() const { return tally_; }

 private:
  void issue(Item *item);
  void replay(std::vector<std::unique_ptr<Item>> *items);
  void wait();
  void check(std::vector<std::unique_ptr<Item>> *items);
  void falsify(Item *item);
  void count(const Item &item);

  Options options_;
  Tally tally_;
  std::vector<std::unique_ptr<Handle>> handles_;
  std::unique_ptr<Gpu> gpu_;
  std::string trouble_;  // error that belongs to no single call
};

}  // namespace random_calls
