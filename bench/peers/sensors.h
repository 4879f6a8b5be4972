// Clocks, power and temperature while a GPU computes. Missing readings are left out.
#pragma once

#include <string>

#include "base/timing.h"
#include "peers.h"

namespace command {

class Sensors {
 public:
  virtual ~Sensors() = default;

  // Reads, unless the last reading is younger than `least_seconds`.
  void observe(double least_seconds) {
    if (!problem_.empty() || now() - last_ < least_seconds) return;
    last_ = now();
    telemetry_.add(read());
  }
  Telemetry take() {
    const Telemetry taken = telemetry_;
    telemetry_ = {};
    return taken;
  }

  std::string driver_version() const { return driver_version_; }  // "580.65.06"; "": unknown
  std::string problem() const { return problem_; }                // why there are no readings, or ""

 protected:
  virtual Telemetry read() = 0;

  std::string driver_version_, problem_;

 private:
  Telemetry telemetry_;
  double last_ = 0;
};

}  // namespace command
