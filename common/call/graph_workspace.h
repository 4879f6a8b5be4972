// Workspaces of calls that are recorded into graphs. A graph runs whenever its program likes, beside direct calls and
// other graphs, also when the handle is gone: so each has memory of its own, for as long as it can run.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Exactly `bytes` bytes for calls recorded from `stream`, which follow one another; streams that were forked off from
// it get others. Allocated while the graph is recorded, and kept for other graphs once this one and all made of it are
// gone. Where the backend cannot tell when that is, they belong to `owner`. NULL, with *error: no memory.
void *graph_workspace(int backend, int device, void *stream, size_t bytes, const void *owner, Error *error);

// What belongs to `owner`, which ends, and what belongs to graphs that are gone, is given back.
void release_graph_workspaces(const void *owner);

}  // namespace libsgemm
