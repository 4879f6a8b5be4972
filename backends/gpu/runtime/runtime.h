// Entries of a GPU backend's table (backend.h).
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// The table without open(), version() and probe().
Backend make_backend(const char *name);

// Each backend defines these.
void locate(const void *const *pointers, int count, Location *locations);
uint64_t context(int index);
int stream_device(void *stream);
bool capturing(int index, void *stream);
uint64_t graph(int index, void *stream);

// memory.cpp
libsgemm_status_t allocate(int index, size_t bytes, void **memory, Error *error);
void release(int index, void *memory);
libsgemm_status_t memory(int index, size_t *free_bytes, size_t *total_bytes, Error *error);
libsgemm_status_t allocate_pinned(int index, size_t bytes, void **memory, Error *error);
bool release_pinned(int index, void *memory);
libsgemm_status_t copy(int index, const Copy &what, void *stream, Error *error);

// stream.cpp
libsgemm_status_t create_stream(int index, void **stream, Error *error);
void destroy_stream(int index, void *stream);
libsgemm_status_t create_event(int index, void **event, Error *error);
void destroy_event(int index, void *event);
libsgemm_status_t record_event(int index, void *event, void *stream, Error *error);
libsgemm_status_t stream_wait_event(int index, void *stream, void *event, Error *error);
libsgemm_status_t query_event(int index, void *event, bool *ended, Error *error);
void abandon(int index);
libsgemm_status_t synchronize(int index, void *stream, Error *error);

}  // namespace libsgemm::gpu
