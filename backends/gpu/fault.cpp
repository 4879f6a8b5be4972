#include "fault.h"

#if defined(LIBSGEMM_FAULT_INJECTION)

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace libsgemm::gpu {

bool g_faults = false;

namespace {

constexpr const char *kSiteNames[kSiteCount] = {"allocate", "pinned",      "memory", "object", "copy",
                                                "launch",   "synchronize", "any",    "lost",   "flip"};

std::atomic<int> g_countdown[kSiteCount];
int g_period[kSiteCount];  // 0: fails once

bool counts_down(Site site) {
  const int at = static_cast<int>(site);
  if (--g_countdown[at] != 0) return false;
  g_countdown[at] += g_period[at];
  // A test must know whether the fault occurred.
  if (g_period[at] == 0) std::fprintf(stderr, "libsgemm: injected fault: %s\n", kSiteNames[at]);
  return true;
}

// Parses "launch:3" or "launch:3+"; *rest: the rest of the list.
bool read_fault(const char *text, const char **rest) {
  for (int site = 0; site < kSiteCount; ++site) {
    const size_t length = std::strlen(kSiteNames[site]);
    if (std::strncmp(text, kSiteNames[site], length) != 0 || text[length] != ':') continue;
    char *end = nullptr;
    const long nth = std::strtol(text + length + 1, &end, 10);
    const bool again = *end == '+';
    if (again) ++end;
    if (nth < 1 || nth > 1000000 || (*end != '\0' && *end != ',')) return false;
    g_countdown[site] = static_cast<int>(nth);
    g_period[site] = again ? static_cast<int>(nth) : 0;
    *rest = *end == ',' ? end + 1 : end;
    return true;
  }
  return false;
}

}  // namespace

libsgemm_status_t read_faults(const char *variable, Error *error) {
  const char *text = secure_getenv(variable);
  for (const char *rest = text; rest != nullptr && *rest != '\0';) {
    if (!read_fault(rest, &rest)) {
      set_error(
          error,
          "%s=%s is not valid: use SITE:N,... or SITE:N+,..., SITE one of allocate, pinned, memory, object, copy, "
          "launch, synchronize, any, lost, flip",
          variable, text);
      return LIBSGEMM_UNAVAILABLE;
    }
    g_faults = true;
  }
  return LIBSGEMM_SUCCESS;
}

bool fails_now(Site site) {
  const bool any = site < Site::any && counts_down(Site::any);
  return counts_down(site) || any;
}

}  // namespace libsgemm::gpu

#endif
