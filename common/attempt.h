// One backend's attempt at a call: launch, verification, and C as it was if that fails.
#pragma once

#include <new>
#include <string>

#include "call.h"
#include "handle.h"
#include "host_copy.h"
#include "loader.h"
#include "placement.h"

namespace libsgemm {

// A call on its way.
struct Request {
  const Call &call;
  const GemmDesc &desc;
  const Settings &settings;
  libsgemm_handle *handle;
  ThreadInfo *info;
  Placement at = {};
  bool replaceable = false;  // if the backend at work fails, `ref` is going to compute the call at the latest
};

inline void *stream_of(const Request &r) { return r.handle != nullptr ? r.handle->stream : nullptr; }
inline const Backend &table_of(int index) { return *library().slots[index].table; }

// Of a call on device memory.
DeviceMemory device_memory(const Request &r);

// One line on stderr for each kind of mishap of each backend; the rest only in the log.
void tell(int index, Note::Why why, const std::string &text);

// The same for the text that make_text() returns. Where there is no memory for it the call goes on untold.
template <typename MakeText>
void warn(int index, Note::Why why, const MakeText &make_text) {
  try {
    tell(index, why, make_text());
  } catch (const std::bad_alloc &) {
  }
}

// Computes the call on a backend that is usable for it. SUCCESS: *r->info has the kernel and what verification found.
libsgemm_status_t attempt(Request *r, int index, Error *error);

}  // namespace libsgemm
