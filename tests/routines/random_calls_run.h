// Makes random calls in bursts: what a burst needs is prepared, its calls are made one after the other without waiting
// for the device, graphs are replayed with other inputs, and at the end everything is checked.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu_placement.h"
#include "random_calls_draw.h"

namespace random_calls {

struct Options {
  uint64_t seed = 1, first = 0, calls = 0;  // calls 0: until the time is over
  double minutes = 1;
  std::string backend;
  bool gpu = false;                // memory of a device, streams and graphs
  bool concurrent_graphs = false;  // replays on streams of their own, at the same time
  int64_t fault = -1;              // from this call on, the next result fit for it is falsified, to see it found
};

// What is said at the end.
struct Tally {
  uint64_t calls = 0, failures = 0, replays = 0;
  double products = 0;  // of elements
  std::map<std::string, uint64_t> by_routine, by_memory, by_mode, by_backend, by_data;
  double worst_safe = 0, worst_any = 0, worst_fp64 = 0;  // |error| / bound; of FP64 its own
  std::vector<std::string> faults;                       // the first few
};

class Item;
struct Gpu;

class Runner {
 public:
  explicit Runner(const Options &options);
  ~Runner();

  // Calls [first, first + count).
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
  std::string trouble_;  // of the burst, which no call is known to have
};

}  // namespace random_calls
