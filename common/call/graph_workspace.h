// Workspaces of calls recorded into graphs. A graph has its own memory, because it may run concurrently with other
// calls, and after the handle is destroyed.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Exactly `bytes` bytes for calls recorded from `stream`, which run one after another; streams forked from it get other
// memory. The memory is reused once this graph and all made from it are gone. If the backend cannot know that, it
// belongs to `owner`. NULL, with *error: no memory.
void *graph_workspace(int backend, int device, void *stream, size_t bytes, const void *owner, Error *error);

// Releases what `owner` no longer needs, and memory of graphs that are gone.
void release_graph_workspaces(const void *owner);

}  // namespace libsgemm
