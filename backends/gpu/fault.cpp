// Counting down to the injected faults.
#include "fault.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace libsgemm::gpu {

bool g_faults = false;

namespace {

constexpr const char *kSiteNames[kSiteCount] = {"allocate", "copy", "launch", "synchronize", "lost"};

std::atomic<int> g_countdown[kSiteCount];

// "launch:3"; the rest of the list in *rest.
bool read_fault(const char *text, const char **rest) {
  for (int site = 0; site < kSiteCount; ++site) {
    const size_t length = std::strlen(kSiteNames[site]);
    if (std::strncmp(text, kSiteNames[site], length) != 0 || text[length] != ':') continue;
    char *end = nullptr;
    const long nth = std::strtol(text + length + 1, &end, 10);
    if (nth < 1 || nth > 1000000 || (*end != '\0' && *end != ',')) return false;
    g_countdown[site] = static_cast<int>(nth);
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
      set_error(error, "%s=%s is not valid: use SITE:N,..., SITE one of allocate, copy, launch, synchronize, lost",
                variable, text);
      return LIBSGEMM_UNAVAILABLE;
    }
    g_faults = true;
  }
  return LIBSGEMM_SUCCESS;
}

bool fails_now(Site site) { return --g_countdown[static_cast<int>(site)] == 0; }

}  // namespace libsgemm::gpu
