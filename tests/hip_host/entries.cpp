// Calls every entry of a GPU plugin's table with one permitted device: entries PLUGIN DEVICE. Prints a line for each
// failed entry, whose object it does not use further.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "contract/backend.h"
#include "contract/streams.h"

namespace {

using namespace libsgemm;

const Backend *table;

bool ok(const char *entry, libsgemm_status_t status, const Error &error) {
  if (status != LIBSGEMM_SUCCESS) std::printf("%s: %d %s\n", entry, status, error.text);
  return status == LIBSGEMM_SUCCESS;
}

void copy_both_ways(void *memory, void *stream, size_t pitch) {
  float host[16] = {};
  Error error = {};
  const Copy up = {Copy::to_device, memory, host, pitch, 16, 16, 4};
  ok("copy to the device", table->copy(0, up, stream, &error), error);
  const Copy down = {Copy::to_host, host, memory, 16, pitch, 16, 4};
  ok("copy to the host", table->copy(0, down, stream, &error), error);
}

// Also as if the stream recorded a graph.
void compute(void *memory, void *stream) {
  GemmDesc desc = {};
  desc.routine = Routine::gemm;
  desc.transa = desc.transb = LIBSGEMM_NO_TRANS;
  desc.m = desc.n = desc.k = desc.lda = desc.ldb = desc.ldc = 1;
  desc.batch_count = 1;
  desc.a = desc.b = memory;
  desc.c = static_cast<float *>(memory) + 1;
  desc.ticket = 1;
  Error error = {};
  for (const bool capturing : {false, true}) {
    Launch launch = {};
    launch.stream = stream;
    launch.capturing = capturing;
    ok("launch", table->kernels[0].launch(desc, launch, &error), error);
    ok("scale", table->scale(desc, launch, &error), error);
  }
  if (table->fp64_share(desc.ticket) != 1) std::printf("fp64_share: not known\n");
  desc.math_mode = LIBSGEMM_MATH_FP16X3;
  ok("plan", table->plan(desc, memory, {}, &error), error);
}

void use_memory(void *stream) {
  Error error = {};
  void *memory = nullptr;
  if (!ok("allocate", table->allocate(0, 1024, &memory, &error), error)) return;
  copy_both_ways(memory, stream, 16);
  copy_both_ways(memory, nullptr, 64);
  compute(memory, stream);
  table->release(0, memory);
}

void use_events(void *stream) {
  Error error = {};
  void *event = nullptr;
  if (!ok("create_event", table->create_event(0, &event, &error), error)) return;
  ok("record_event", table->record_event(0, event, stream, &error), error);
  bool ended = false;
  for (int i = 0; i < 2 && !ended; ++i) ok("query_event", table->query_event(0, event, &ended, &error), error);
  ok("stream_wait_event", table->stream_wait_event(0, stream, event, &error), error);
  table->destroy_event(0, event);
}

void use_stream() {
  Error error = {};
  void *stream = nullptr;
  if (!ok("create_stream", table->create_stream(0, &stream, &error), error)) return;
  std::fprintf(stderr, "streams of devices %d and, by default, %d\n", table->stream_device(stream),
               table->stream_device(nullptr));
  table->capturing(0, stream);
  if (table->graph(0, stream) != 0) std::printf("graph: the stream records none\n");
  use_memory(stream);
  use_events(stream);
  ok("synchronize a stream", table->synchronize(0, stream, &error), error);
  ok("synchronize a stream of the caller's", table->synchronize(-1, stream, &error), error);
  ok("synchronize", table->synchronize(0, nullptr, &error), error);
  ok("synchronize the device", table->synchronize(0, every_stream(), &error), error);
  table->destroy_stream(0, stream);
}

void use_pinned() {
  Error error = {};
  void *memory = nullptr;
  if (!ok("allocate_pinned", table->allocate_pinned(0, 1024, &memory, &error), error)) return;
  table->release_pinned(0, memory);
}

void use_device() {
  libsgemm_device_info_t info = {};
  Error error = {};
  size_t free_bytes = 0, total_bytes = 0;
  ok("describe_device", table->describe_device(0, &info, &error), error);
  ok("memory", table->memory(0, &free_bytes, &total_bytes, &error), error);
  const void *pointers[] = {&info, nullptr};
  Location locations[2];
  table->locate(pointers, 2, locations);
  if (locations[0].space != Space::host || locations[1].space != Space::host) std::printf("locate: not the host\n");
  use_stream();
  use_pinned();
}

}  // namespace

int main(int argc, char **argv) {
  void *plugin = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (plugin == nullptr) return 2;
  const auto entry = reinterpret_cast<BackendEntry>(dlsym(plugin, kBackendEntry));
  if (entry == nullptr) return 2;
  table = entry();
  static const int devices[] = {std::atoi(argv[2])};
  static const Host host = {nullptr, nullptr, devices, 1, nullptr};
  Error error = {};
  if (!ok("open", table->open(host, &error), error) || !ok("probe", table->probe(&error), error)) return 0;
  std::fprintf(stderr, "%s, %d device(s)\n", table->version(), table->device_count());
  use_device();
  return 0;
}
