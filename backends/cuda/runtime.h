// The entries of the backend's table, as backend.h describes them.
#pragma once

#include "backend.h"

namespace libsgemm::cuda {

// location.cpp
void locate(const void *const *pointers, int count, Location *locations);

// memory.cpp
libsgemm_status_t allocate(int device, size_t bytes, void **memory, Error *error);
void release(int device, void *memory);
libsgemm_status_t memory(int device, size_t *free_bytes, size_t *total_bytes, Error *error);
libsgemm_status_t allocate_pinned(size_t bytes, void **memory, Error *error);
void release_pinned(void *memory);
libsgemm_status_t copy(int device, const Copy &copy, void *stream, Error *error);

// stream.cpp
bool capturing(void *stream);
libsgemm_status_t create_stream(int device, void **stream, Error *error);
void destroy_stream(int device, void *stream);
libsgemm_status_t create_event(int device, void **event, Error *error);
void destroy_event(int device, void *event);
libsgemm_status_t record_event(int device, void *event, void *stream, Error *error);
libsgemm_status_t stream_wait_event(int device, void *stream, void *event, Error *error);
libsgemm_status_t synchronize(int device, void *stream, Error *error);

}  // namespace libsgemm::cuda
