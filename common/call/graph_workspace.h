// Workspaces of calls recorded into graphs. A graph may run concurrently with direct calls and other graphs, and after
// the handle is destroyed: it has its own memory as long as it can run.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Exactly `bytes` bytes for calls recorded from `stream`, which run one after another; streams forked off from it get
// other memory. Reused once this graph and all made from it are gone. If the backend cannot know that, the memory
// belongs to `owner`. NULL, *error: no memory.
void *graph_workspace(int backend, int device, void *stream, size_t bytes, const void *owner, Error *error);

// Releases what `owner` no longer needs, and memory of graphs that are gone.
void release_graph_workspaces(const void *owner);

}  // namespace libsgemm
