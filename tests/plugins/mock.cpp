// A GPU that is not there: a plugin that keeps the whole contract of backend.h on the CPU, so that dispatch, offload,
// workspaces, capture, failure and fork can be tested on a machine without a GPU.
//
// Device memory is mapped without access and opened only while the mock works on it: a library that touches a device
// pointer on the CPU crashes. Work on a stream is queued, and done while somebody waits or asks for an event, the
// streams in any order that events allow: a library that forgets to wait reads old data. Kernels compute with the
// reference loops of the ref backend.
#include "mock.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "contract/backend.h"
#include "contract/float_mode.h"
#include "contract/streams.h"
#include "matrix/host_matrix.h"
#include "matrix/tensor.h"
#include "mock_plan.h"
#include "ref/ref.h"
#include "verify/claim.h"

#ifndef MOCK_NAME
#define MOCK_NAME "cuda"
#endif
#ifndef MOCK_ABI
#define MOCK_ABI libsgemm::kBackendAbi
#endif
#ifndef MOCK_IS_GPU
#define MOCK_IS_GPU true
#endif

namespace {

using namespace libsgemm;

#ifndef MOCK_DEVICES
#define MOCK_DEVICES 2
#endif
constexpr int kDevices = MOCK_DEVICES;
static_assert(kDevices <= mock::kMostDevices);
constexpr size_t kPage = 4096;
constexpr int64_t kMostGroupRows = 100;  // of a group that can be computed along with others

// What has been recorded, and what of that has been reached.
struct Event {
  uint64_t context = 0;
  uint64_t recorded = 0, reached = 0;
};
using SharedEvent = std::shared_ptr<Event>;

// One operation of a stream: a piece of work, or a word with an event.
struct Op {
  std::function<void()> work;
  SharedEvent reach, wait;
  uint64_t count = 0;
  const void *pinned = nullptr;  // what a copy reads or writes there
};

struct Stream {
  int device;
  uint64_t graph = 0;  // that it records
  std::deque<Op> work;
  uint64_t context = 0;  // that it belongs to; 0: a test's, which stays
};

struct Block {
  int device;
  size_t mapped, bytes;
  bool managed;
};

mock::Control g_control;
std::recursive_mutex g_mutex;
std::map<uintptr_t, Block> g_blocks;
bool g_open = false;  // see Open
std::map<uintptr_t, size_t> g_pinned;
std::map<void *, int> g_pinned_by;  // the library's: by which device
Stream g_default[mock::kMostDevices] = {{0, 0, {}}, {1, 0, {}}, {2, 0, {}}, {3, 0, {}}};
std::set<Stream *> &g_streams =
    *new std::set<Stream *>{&g_default[0], &g_default[1], &g_default[2], &g_default[3]};  // those of tests stay
bool g_lost[mock::kMostDevices], g_abandoned[mock::kMostDevices];
uint64_t g_context[mock::kMostDevices] = {1, 1, 1, 1};
thread_local int t_current = 0;  // device
// What graphs hold on to.
struct Kept {
  void (*ended)(void *);
  void *what;
};
std::vector<Kept> &g_kept = *new std::vector<Kept>;

using Lock = std::lock_guard<std::recursive_mutex>;

bool counts_down(mock::Site site, int device) {
  ++g_control.calls[site];
  const int only = g_control.fail_device;
  if (only > 0 && device >= 0 && device != only - 1) return false;
  int expected = g_control.fail_at[site];
  const int least = g_control.fails_on ? 1 : 0;
  while (expected > 0 && !g_control.fail_at[site].compare_exchange_weak(expected, std::max(expected - 1, least))) {
  }
  return expected == 1;
}

// Whether this call is to fail.
bool fails(mock::Site site, int device) {
  if (device >= 0) g_control.entered[device] = true;
  const bool any = counts_down(mock::kAny, device), this_one = counts_down(site, device);
  if (any || this_one) g_control.together = false;
  const bool refused = device >= 0 && (g_lost[device] || g_abandoned[device]);
  return any || this_one || refused;
}

libsgemm_status_t fail(const char *what, Error *error) {
  set_error(error, "%s failed in the mock driver", what);
  return LIBSGEMM_EXECUTION_FAILED;
}

const Block *find(const void *pointer, uintptr_t *base = nullptr) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  auto next = g_blocks.upper_bound(address);
  if (next == g_blocks.begin()) return nullptr;
  --next;
  if (address >= next->first + next->second.bytes) return nullptr;
  if (base != nullptr) *base = next->first;
  return &next->second;
}

// Device memory is open to whoever asks for it, until one of these ends. Most of them have nothing to do, and opening
// takes the system long.
class Open {
 public:
  ~Open() {
    if (g_open) protect(PROT_NONE);
    g_open = false;
  }
  static void ask() {
    if (!g_open) protect(PROT_READ | PROT_WRITE);
    g_open = true;
  }

 private:
  static void protect(int access) {
    for (const auto &[base, block] : g_blocks) {
      if (!block.managed) mprotect(reinterpret_cast<void *>(base), block.mapped, access);
    }
  }
  Lock lock_{g_mutex};
};

bool is_pinned(const void *pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const auto next = g_pinned.upper_bound(address);
  return next != g_pinned.begin() && address < std::prev(next)->first + std::prev(next)->second;
}

void *map(int device, size_t bytes, bool managed) {
  const Lock lock(g_mutex);
  const size_t mapped = (bytes + kPage - 1) / kPage * kPage + (bytes == 0 ? kPage : 0);
  const int access = g_open || managed ? PROT_READ | PROT_WRITE : PROT_NONE;
  void *memory = mmap(nullptr, mapped, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, mapped, MADV_HUGEPAGE);  // only for speed: it is opened and closed page by page
  g_blocks[reinterpret_cast<uintptr_t>(memory)] = {device, mapped, bytes, managed};
  g_control.bytes += static_cast<int64_t>(bytes);
  g_control.most_bytes = std::max<int64_t>(g_control.most_bytes, g_control.bytes);
  return memory;
}
void *map_block(int device, size_t bytes) { return map(device, bytes, false); }

void finish(int device);

void unmap_block(int, void *memory) {
  const Lock lock(g_mutex);
  const auto block = g_blocks.find(reinterpret_cast<uintptr_t>(memory));
  if (block == g_blocks.end()) std::abort();  // it is none, or was given back, or is gone
  finish(block->second.device);
  g_control.bytes -= static_cast<int64_t>(block->second.bytes);
  munmap(memory, block->second.mapped);
  g_blocks.erase(block);
}

// As a driver may crash that is given what a reset has destroyed.
void must_exist(uint64_t made_in, int device) {
  if (made_in != 0 && made_in != g_context[device]) std::abort();
}

Stream *stream_of(int device, void *stream) {
  if (!is_default_stream(stream))
    must_exist(static_cast<Stream *>(stream)->context, static_cast<Stream *>(stream)->device);
  return is_default_stream(stream) ? &g_default[device < 0 ? 0 : device] : static_cast<Stream *>(stream);
}

// A stream that work of the device is enqueued on. NULL, with *error, for one of another device, as a driver refuses.
Stream *stream_for(int device, void *stream, Error *error) {
  Stream *const s = stream_of(device, stream);
  if (s->device == device) return s;
  set_error(error, "the mock driver refuses work of device %d on a stream of device %d", device, s->device);
  return nullptr;
}

libsgemm_status_t push(int device, void *stream, Op op, Error *error) {
  Stream *const s = stream_for(device, stream, error);
  if (s == nullptr) return LIBSGEMM_EXECUTION_FAILED;
  s->work.push_back(std::move(op));
  return LIBSGEMM_SUCCESS;
}

void count_if_capturing() {
  for (const Stream &s : g_default) g_control.capturing_calls += s.graph != 0 ? 1 : 0;
}

// ---- The contract ---------------------------------------------------------------------------------------------------

libsgemm_status_t open(const Host &, Error *error) {
#ifdef MOCK_NO_DRIVER
  set_error(error, "the mock driver is missing");
  return LIBSGEMM_UNAVAILABLE;
#else
  static_cast<void>(error);
  return LIBSGEMM_SUCCESS;
#endif
}

libsgemm_status_t probe(Error *error) {
  ++g_control.probes;
#ifdef MOCK_NO_DEVICE
  set_error(error, "the mock driver finds no device");
  return LIBSGEMM_UNAVAILABLE;
#else
  static_cast<void>(error);
  return LIBSGEMM_SUCCESS;
#endif
}

const char *version() { return "mock driver 1.0"; }
int device_count() { return kDevices; }

libsgemm_status_t describe_device(int device, libsgemm_device_info_t *info, Error *) {
  std::snprintf(info->name, sizeof info->name, "%s",
                device != 0 && device == g_control.unlike ? "other mock device" : "mock device");
  std::snprintf(info->arch, sizeof info->arch, "mock_1");
  info->memory_bytes = uint64_t{1} << 30;
  info->compute_units = 4;
  return LIBSGEMM_SUCCESS;
}

void locate(const void *const *pointers, int count, Location *locations) {
  const Lock lock(g_mutex);
  for (int i = 0; i < count; ++i) {
    const Block *block = find(pointers[i]);
    locations[i] = block != nullptr ? Location{block->managed ? Space::managed : Space::device, block->device}
                                    : Location{is_pinned(pointers[i]) ? Space::pinned : Space::host, 0};
  }
}

uint64_t context(int device) {
  g_control.entered[device] = true;
  return g_lost[device] || g_abandoned[device] ? 0 : g_context[device];
}
int stream_device(void *stream) { return stream_of(t_current, stream)->device; }
bool capturing(int device, void *stream) { return stream_of(device, stream)->graph != 0; }
uint64_t graph(int device, void *stream) { return stream_of(device, stream)->graph; }

libsgemm_status_t keep_with_graph(int device, void *, void (*ended)(void *), void *what, Error *error) {
  if (fails(mock::kStream, device)) return fail("keeping memory with a graph", error);
  const Lock lock(g_mutex);
  g_kept.push_back({ended, what});
  return LIBSGEMM_SUCCESS;
}

void destroy_graphs() {
  const Lock lock(g_mutex);
  for (const Kept &kept : g_kept) kept.ended(kept.what);
  g_kept.clear();
}

libsgemm_status_t allocate(int device, size_t bytes, void **memory, Error *error) {
  count_if_capturing();
  const int64_t most = g_control.capacity;
  const bool full = most > 0 && g_control.bytes + static_cast<int64_t>(bytes) > most;
  const bool failed = fails(mock::kAllocate, device);
  if (failed && (g_lost[device] || g_abandoned[device])) return *memory = nullptr, fail("allocating", error);
  *memory = failed || full ? nullptr : map_block(device, bytes);
  if (*memory != nullptr) return LIBSGEMM_SUCCESS;
  set_error(error, "out of mock memory");
  return LIBSGEMM_OUT_OF_MEMORY;
}

void release(int device, void *memory) {
  const Lock lock(g_mutex);
  if (!g_abandoned[device]) unmap_block(device, memory);
}

libsgemm_status_t memory(int device, size_t *free_bytes, size_t *total_bytes, Error *error) {
  if (fails(mock::kMemory, device)) return fail("asking for the free memory", error);
  *total_bytes = size_t{1} << 30;
  *free_bytes = *total_bytes - static_cast<size_t>(g_control.bytes.load());
  return LIBSGEMM_SUCCESS;
}

void *map_pinned(size_t bytes) {
  const Lock lock(g_mutex);
  void *memory = ::operator new(bytes);
  g_pinned[reinterpret_cast<uintptr_t>(memory)] = bytes;
  g_control.pinned_bytes += static_cast<int64_t>(bytes);
  return memory;
}

void unmap_pinned(void *memory) {
  const Lock lock(g_mutex);
  const auto block = g_pinned.find(reinterpret_cast<uintptr_t>(memory));
  g_control.pinned_bytes -= static_cast<int64_t>(block->second);
  g_pinned.erase(block);
  ::operator delete(memory);
}

libsgemm_status_t allocate_pinned(int device, size_t bytes, void **memory, Error *error) {
  *memory = fails(mock::kPinned, device) ? nullptr : map_pinned(bytes);
  const Lock lock(g_mutex);
  if (*memory != nullptr) g_pinned_by[*memory] = device;
  if (*memory != nullptr) return LIBSGEMM_SUCCESS;
  set_error(error, "out of mock page-locked memory");
  return LIBSGEMM_OUT_OF_MEMORY;
}

bool release_pinned(int device, void *memory) {
  g_control.entered[device] = true;
  if (g_lost[device] || g_abandoned[device]) return false;
  const Lock lock(g_mutex);
  if (g_pinned_by.erase(memory) == 0) std::abort();  // it is none, or was given back, or is gone
  unmap_pinned(memory);
  return true;
}

// ---- Streams: nothing is done but while somebody waits or asks, then an operation of any stream that may go on

bool may_go_on(const Stream &s) {
  if (s.device == 0 && g_control.together) return false;
  return !s.work.empty() && !g_control.hangs && !g_control.hung[s.device] &&
         (!s.work.front().wait || s.work.front().wait->reached >= s.work.front().count);
}

void do_one(Stream *s) {
  const Op op = s->work.front();
  s->work.pop_front();
  if (op.work && counts_down(mock::kWork, s->device)) {
    g_lost[s->device] = true;
    g_control.together = false;
  }
  if (op.work && !g_lost[s->device]) {
    Open::ask();
    const UsualFloats floats;  // a device has its own
    op.work();
  }
  if (op.reach) op.reach->reached = std::max(op.reach->reached, op.count);
}

// An operation of some stream of the device, in an order that no program should count on. False if there is none.
bool do_any(int device) {
  static uint32_t turn = 12345;
  std::vector<Stream *> ready;
  for (Stream *s : g_streams) {
    if (s->device == device && may_go_on(*s)) ready.push_back(s);
  }
  if (ready.empty()) return false;
  turn = turn * 1664525 + 1013904223;
  do_one(ready[(turn >> 16) % ready.size()]);
  return true;
}

void do_all(int device, Stream *s) {
  while (!s->work.empty() && do_any(device)) {
  }
}

// All that is enqueued on a device, if it works.
void finish(int device) {
  const Open open_memory;
  while (do_any(device)) {
  }
}

libsgemm_status_t create_stream(int device, void **stream, Error *error) {
  if (fails(mock::kStream, device)) return fail("making a stream", error);
  const Lock lock(g_mutex);
  auto *made = new Stream{device, 0, {}, g_context[device]};
  g_streams.insert(made);
  ++g_control.objects;
  *stream = made;
  return LIBSGEMM_SUCCESS;
}

void destroy_stream(int device, void *stream) {
  const Open open_memory;
  if (g_abandoned[device]) return;  // it is left alone, with its work
  Stream *s = stream_of(device, stream);
  do_all(device, s);
  g_streams.erase(s);
  --g_control.objects;
  delete s;
}

libsgemm_status_t create_event(int device, void **event, Error *error) {
  if (fails(mock::kStream, device)) return fail("making an event", error);
  *event = new SharedEvent(std::make_shared<Event>());
  (*static_cast<SharedEvent *>(*event))->context = g_context[device];
  ++g_control.objects;
  return LIBSGEMM_SUCCESS;
}

const SharedEvent &event_of(int device, void *event) {
  const SharedEvent &e = *static_cast<SharedEvent *>(event);
  must_exist(e->context, device);
  return e;
}

void destroy_event(int device, void *event) {
  const Lock lock(g_mutex);
  if (g_abandoned[device]) return;
  event_of(device, event);
  --g_control.objects;
  delete static_cast<SharedEvent *>(event);
}

libsgemm_status_t record_event(int device, void *event, void *stream, Error *error) {
  if (fails(mock::kStream, device)) return fail("recording an event", error);
  const Lock lock(g_mutex);
  const SharedEvent &e = event_of(device, event);
  const libsgemm_status_t status = push(device, stream, {{}, e, {}, e->recorded + 1, nullptr}, error);
  if (status == LIBSGEMM_SUCCESS) ++e->recorded;
  return status;
}

libsgemm_status_t stream_wait_event(int device, void *stream, void *event, Error *error) {
  if (fails(mock::kStream, device)) return fail("waiting for an event", error);
  const Lock lock(g_mutex);
  const SharedEvent &e = event_of(device, event);
  return push(device, stream, {{}, {}, e, e->recorded, nullptr}, error);
}

libsgemm_status_t lost(Error *error) {
  set_error(error, "the mock device was lost");
  return LIBSGEMM_EXECUTION_FAILED;
}

libsgemm_status_t query_event(int device, void *event, bool *ended, Error *error) {
  *ended = false;
  const Open open_memory;
  if (fails(mock::kQuery, device)) return lost(error);
  do_any(device);
  if (g_lost[device]) return lost(error);
  const Event &e = *event_of(device, event);
  *ended = e.reached >= e.recorded;
  return LIBSGEMM_SUCCESS;
}

// Its work stays where it is, and whoever asks for the device is refused.
void abandon(int device) {
  const Lock lock(g_mutex);
  ++g_control.abandoned;
  g_abandoned[device] = true;
}

libsgemm_status_t synchronize(int device, void *stream, Error *error) {
  count_if_capturing();
  const Open open_memory;
  const bool all = stream == every_stream();
  Stream *s = stream_of(device, all ? nullptr : stream);
  // For the default stream of a device that nobody has used it needs no context.
  const bool entered = device >= 0 && (stream != nullptr || g_control.entered[device]);
  const bool failed = fails(mock::kSynchronize, device);
  if (device >= 0) g_control.entered[device] = entered;
  if (failed) {
    if (g_control.fails_behind) do_all(s->device, s);
    if (!g_abandoned[s->device]) s->work.clear();
    return lost(error);
  }
  all ? finish(device) : do_all(s->device, s);
  return g_lost[s->device] ? lost(error) : LIBSGEMM_SUCCESS;
}

libsgemm_status_t copy(int device, const Copy &what, void *stream, Error *error) {
  if (fails(mock::kCopy, device)) {
    set_error(error, "a mock copy failed");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const Lock lock(g_mutex);
  const auto run = [what] {
    for (int64_t j = 0; j < what.columns; ++j) {
      std::memcpy(static_cast<char *>(what.target) + static_cast<size_t>(j) * what.target_pitch,
                  static_cast<const char *>(what.source) + static_cast<size_t>(j) * what.source_pitch, what.bytes);
    }
  };
  const void *host = what.direction == Copy::to_host ? what.target : what.source;
  if (what.direction == Copy::within_device || !is_pinned(host)) host = nullptr;
  return push(device, stream, {run, {}, {}, 0, host}, error);
}

using Multiply = void(const GemmDesc &desc);

void multiply(const GemmDesc &desc) {
  Error ignored = {};
  cpu_scalar_1x1x1_naive(desc, {}, &ignored);
}

// A gemm whose sums over two halves of k are added, as kernels that split k do: other bits than multiply().
void multiply_in_halves(const GemmDesc &desc) {
  const int64_t half = desc.k / 2;
  if (half == 0) return multiply(desc);
  GemmDesc first = desc, second = desc;
  first.k = half;
  second.k = desc.k - half;
  second.beta = 1;
  second.a = static_cast<const float *>(desc.a) + (desc.transa == LIBSGEMM_NO_TRANS ? half * desc.lda : half);
  second.b = static_cast<const float *>(desc.b) + (desc.transb == LIBSGEMM_NO_TRANS ? half : half * desc.ldb);
  multiply(first);
  multiply(second);
}

// The products of a batch are taken apart when the kernel runs, as arrays of pointers in device memory cannot be read
// before; those in host memory are the caller's again when the call returns.
libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, mock::Site site, Error *error, Multiply *work) {
  if (fails(site, launch.device)) {
    set_error(error, "a mock launch failed");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const bool scales = site == mock::kScale;
  if (!scales) ++g_control.launches[launch.device];
  if (launch.device == 1) g_control.together = false;
  const int flip = scales ? 0 : g_control.flip_bit.exchange(0);
  const Lock lock(g_mutex);
  std::vector<GemmDesc> listed;
  if (desc.batch == Batch::pointers && !launch.arrays_on_device) {
    for (int64_t i = 0; i < desc.batch_count; ++i) listed.push_back(batch_item(desc, i));
  }
  const auto product = [desc, listed](int64_t i) {
    return listed.empty() ? batch_item(desc, i) : listed[static_cast<size_t>(i)];
  };
  const auto run = [desc, product, flip, work] {
    for (int64_t i = 0; i < desc.batch_count; ++i) work(with_plans(product(i)));
    if (flip > 0) {
      float *c = product(0).c + (flip - 1);
      uint32_t bits;
      std::memcpy(&bits, c, sizeof bits);
      bits ^= 1u << 30;
      std::memcpy(c, &bits, sizeof bits);
    }
  };
  const libsgemm_status_t status = push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
  if (status == LIBSGEMM_SUCCESS && launch.enqueued != nullptr) *launch.enqueued = true;
  return status;
}

// Convolutions, by the definition.
libsgemm_status_t launch_conv(const ConvDesc &desc, const Launch &launch, Error *error) {
  if (fails(mock::kLaunch, launch.device)) {
    set_error(error, "a mock launch failed");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  ++g_control.launches[launch.device];
  const int flip = g_control.flip_bit.exchange(0);
  const Lock lock(g_mutex);
  const auto run = [desc, flip] {
    Error ignored = {};
    cpu_scalar_direct_conv<LIBSGEMM_MATH_FP32>(desc, {}, &ignored);
    if (flip == 0) return;
    uint32_t bits;
    std::memcpy(&bits, desc.out, sizeof bits);
    bits ^= 1u << 30;
    std::memcpy(desc.out, &bits, sizeof bits);
  };
  const libsgemm_status_t status = push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
  if (status == LIBSGEMM_SUCCESS && launch.enqueued != nullptr) *launch.enqueued = true;
  return status;
}

bool takes_conv(const ConvDesc &, int) { return !g_control.lacks_conv; }
double cost_of_conv(const ConvDesc &, int) { return 1; }
size_t conv_workspace(const ConvDesc &, int) { return size_t{1} << 12; }
[[maybe_unused]] constexpr ConvLaunch kConv = {takes_conv, cost_of_conv, conv_workspace, launch_conv};

// MOCK_SLOW names a row, "splitk" or "plain", that takes some time more, which its cost does not tell of.
void take_time(const char *row) {
  const char *const slow = std::getenv("MOCK_SLOW");
  const timespec rest = {0, 300000};
  if (slow != nullptr && std::strcmp(slow, row) == 0) nanosleep(&rest, nullptr);
}

// A launch that leaves something in its workspace for its second half, as kernels that split k do. Where somebody else
// has been there in between, the result is NaN.
libsgemm_status_t enqueue_in_two(const GemmDesc &desc, const Launch &launch, Error *error) {
  static uint64_t launches = 0;
  const uint64_t mark = ++launches;
  auto *const place = static_cast<uint64_t *>(launch.workspace);
  Stream *const stream = stream_for(launch.device, launch.stream, error);
  if (stream == nullptr) return LIBSGEMM_EXECUTION_FAILED;
  std::deque<Op> &work = stream->work;
  work.push_back({[place, mark] { *place = mark; }, {}, {}, 0, nullptr});
  const libsgemm_status_t status = enqueue(desc, launch, mock::kLaunch, error, multiply_in_halves);
  if (status != LIBSGEMM_SUCCESS) {
    work.pop_back();
    return status;
  }
  const std::function<void()> product = work.back().work;
  work.back().work = [product, place, mark, desc] {
    take_time("splitk");
    product();
    if (*place != mark) *batch_item(desc, 0).c = std::nanf("");
  };
  return status;
}

bool gemm_only(const GemmDesc &desc, int device) {
  const bool lacks = device != 0 && device == g_control.unlike;
  return desc.routine == Routine::gemm && desc.type == Type::f32 && !lacks;
}
bool gemm_of_16_bits(const GemmDesc &desc, int) { return desc.routine == Routine::gemm && desc.type != Type::f32; }
// All but syrk, unless it is asked for (MOCK_SYRK does, too; then it has the one of 16-bit types as well): there has to
// be a routine that the GPU lacks. With MOCK_LACKS_TRMM it lacks that as well.
bool other_routines(const GemmDesc &desc, int) {
  const bool lacks = desc.routine == Routine::syrk && !g_control.has_syrk && std::getenv("MOCK_SYRK") == nullptr;
  if (desc.routine == Routine::trmm && std::getenv("MOCK_LACKS_TRMM") != nullptr) return false;
  return desc.routine != Routine::gemm && !lacks && traits_of(desc).takes(desc.type);
}
double fast(const GemmDesc &, int) { return 1; }
double slow(const GemmDesc &, int device) { return device != 0 && device == g_control.slower ? 3 : 2; }
size_t one_mebibyte(const GemmDesc &, int) { return size_t{1} << 20; }
size_t two_mebibytes(const GemmDesc &, int) { return size_t{2} << 20; }

libsgemm_status_t launch_plain(const GemmDesc &desc, const Launch &launch, Error *error) {
  take_time("plain");
  return enqueue(desc, launch, mock::kLaunch, error, multiply);
}

const Kernel *plain_row();

// As a row that writes an operand anew and leaves the product to another one.
libsgemm_status_t launch_after_copy(const GemmDesc &desc, const Launch &launch, Error *error) {
  if (launch.ran != nullptr) *launch.ran = {plain_row(), "copy of A"};
  return launch_plain(desc, launch, error);
}

libsgemm_status_t launch_with_workspace(const GemmDesc &desc, const Launch &launch, Error *error) {
  const Lock lock(g_mutex);
  uintptr_t base = 0;
  const Block *block = find(launch.workspace, &base);
  const bool enough = block != nullptr && block->device == launch.device &&
                      launch.workspace_bytes >= (size_t{1} << 20) &&
                      reinterpret_cast<uintptr_t>(launch.workspace) + launch.workspace_bytes <= base + block->bytes;
  if (!enough) {
    set_error(error, "the workspace is not what the kernel asked for");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  return enqueue_in_two(desc, launch, error);
}

// Groups at once, which count as one launch.
double cost_of_groups(const GemmDesc *groups, int64_t count, int) {
  bool can = g_control.groups_seconds > 0;
  for (int64_t g = 0; g < count; ++g) can = can && groups[g].m <= kMostGroupRows;
  return can ? g_control.groups_seconds.load() : std::numeric_limits<double>::infinity();
}

libsgemm_status_t launch_groups(const GemmDesc *groups, int64_t count, const Launch &launch, Error *error) {
  for (int64_t g = 0; g < count; ++g) {
    const libsgemm_status_t status = enqueue(groups[g], launch, mock::kLaunch, error, multiply);
    if (status != LIBSGEMM_SUCCESS) return status;
    if (g > 0) --g_control.launches[launch.device];
  }
  return LIBSGEMM_SUCCESS;
}

constexpr GroupedLaunch kGroups = {cost_of_groups, launch_groups};
bool groups_only(const GemmDesc &, int) { return false; }

bool g_loaded = true;  // the second kernel of the row below

// A first kernel that leaves C half done, and a second one, which may not be there.
libsgemm_status_t launch_in_steps(const GemmDesc &desc, const Launch &launch, Error *error) {
  const Lock lock(g_mutex);
  Stream *const stream = stream_for(launch.device, launch.stream, error);
  if (stream == nullptr) return LIBSGEMM_EXECUTION_FAILED;
  std::deque<Op> &work = stream->work;
  const auto element = std::make_shared<float>();
  float *const c = batch_item(desc, 0).c;
  if (!launch.rehearsal) {
    const auto spoil = [=] {
      *element = *c;
      *c = std::nanf("");
    };
    work.push_back({spoil, {}, {}, 0, nullptr});
    if (launch.enqueued != nullptr) *launch.enqueued = true;
  }
  g_loaded = g_loaded || !fails(mock::kLoad, launch.device);
  if (!g_loaded) return fail("loading a kernel", error);
  if (launch.rehearsal) return LIBSGEMM_SUCCESS;
  work.push_back({[=] { *c = *element; }, {}, {}, 0, nullptr});
  const libsgemm_status_t status = enqueue(desc, launch, mock::kLaunch, error, multiply);
  return status;
}

void unload() { g_loaded = false; }

size_t plan_bytes(const GemmDesc &operand, int) { return mock_plan_bytes(operand); }

libsgemm_status_t plan(const GemmDesc &operand, void *memory, const Launch &launch, Error *error) {
  if (fails(mock::kLaunch, launch.device)) {
    set_error(error, "a mock launch failed");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const Lock lock(g_mutex);
  const auto run = [operand, memory] { make_mock_plan(operand, static_cast<float *>(memory)); };
  return push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
}

libsgemm_status_t scale(const GemmDesc &desc, const Launch &launch, Error *error) {
  return enqueue(desc, launch, mock::kScale, error, scale_c);
}

libsgemm_status_t epilogue(const Epilogue &e, const Launch &launch, Error *error) {
  if (fails(mock::kEpilogue, launch.device)) {
    set_error(error, "a mock launch failed");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const Lock lock(g_mutex);
  const auto run = [e] {
    for (int64_t at = 0; at < e.batch_count * e.n * e.m; ++at) {
      const int64_t i = at % e.m, j = at / e.m % e.n, item = at / e.m / e.n;
      float &d = e.d[item * e.stride_d + j * e.ldd + i];
      if (e.bias != nullptr) d += e.bias[item * e.stride_bias + i];
      if (e.function == Epilogue::relu) d = std::max(d, 0.0f);
      if (e.function == Epilogue::gelu) d = 0.5f * d * (1 + std::tanh(0.7978846f * (d + 0.044715f * d * d * d)));
    }
  };
  return push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
}

// By the host's checksum. C as it was is kept beside the workspace that it was given with.
size_t checksum_bytes(const GemmDesc &desc, const Checksum &, int) {
  const bool has = desc.routine == Routine::gemm && desc.batch == Batch::none;
  return has ? size_t{4096} : 0;
}

libsgemm_status_t checksum(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch, Error *error) {
  static auto *before = new std::map<const void *, Snapshot>;
  if (fails(mock::kChecksum, launch.device)) {
    set_error(error, "a mock checksum failed");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const Lock lock(g_mutex);
  const auto run = [desc, what, after, launch] {
    Snapshot &old = (*before)[launch.workspace];
    if (!after) {
      if (!old.take(desc)) std::abort();  // no test is so short of memory
      return;
    }
    Claim c = claim(desc, desc.beta != 0 ? old.item(0) : nullptr, {what.mode, false});
    c.factor = what.factor;
    c.cut = what.cut;
    auto *results = static_cast<double *>(launch.workspace);
    std::fill_n(results, kChecksumResults, 0.0);
    results[kChecksumResults - 1] = worst_of_sums(what.transposed ? c.transposed() : c, what.seed);
    before->erase(launch.workspace);
  };
  return push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
}

// By the host's judgement of all elements.
size_t elements_bytes(const GemmDesc &desc, int device) {
  return checksum_bytes(desc, {}, device) != 0 ? 2 * sizeof(double) : 0;
}

libsgemm_status_t elements(const GemmDesc &desc, const ElementBound &bound, const float *before, const Launch &launch,
                           Error *error) {
  if (fails(mock::kElements, launch.device)) {
    set_error(error, "a mock judgement failed");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const Lock lock(g_mutex);
  const auto run = [desc, bound, before, launch] {
    Claim c = claim(desc, before, {bound.mode, false});
    c.factor = bound.factor;
    c.cut = bound.cut;
    auto *results = static_cast<double *>(launch.workspace);
    results[0] = 0;
    results[1] = worst_of_all(c);
  };
  return push(launch.device, launch.stream, {run, {}, {}, 0, nullptr}, error);
}

constexpr Kernel kKernels[] = {
    {MOCK_NAME "_mock_splitk", LIBSGEMM_MATH_FP32, gemm_only, fast, one_mebibyte, launch_with_workspace},
    {MOCK_NAME "_mock_plain", LIBSGEMM_MATH_FP32, gemm_only, slow, nullptr, launch_plain},
    {MOCK_NAME "_mock_tf32", LIBSGEMM_MATH_TF32, gemm_only, slow, nullptr, launch_plain, true},
    {MOCK_NAME "_mock_fp16x3", kMockPlanMode, gemm_only, fast, nullptr, launch_plain},
    {MOCK_NAME "_mock_level3", LIBSGEMM_MATH_FP32, other_routines, fast, nullptr, launch_in_steps, false, true},
    {MOCK_NAME "_mock_16_bits", LIBSGEMM_MATH_FP32, gemm_of_16_bits, fast, two_mebibytes, launch_after_copy},
    {MOCK_NAME "_mock_grouped", LIBSGEMM_MATH_FP64, groups_only, slow, nullptr, launch_plain, false, false, "", false,
     &kGroups},
#ifndef MOCK_WITHOUT_CONV
    conv_row(MOCK_NAME "_mock_conv", LIBSGEMM_MATH_FP32, "convolutions", &kConv),
#endif
};

const Kernel *plain_row() { return &kKernels[1]; }

Backend make_backend() {
  Backend b = {};
  b.abi = MOCK_ABI;
  b.is_gpu = MOCK_IS_GPU;
  b.name = MOCK_NAME;
  b.kernels = kKernels;
  b.kernel_count = static_cast<int>(sizeof kKernels / sizeof *kKernels);
  b.open = open;
  b.version = version;
  b.device_count = device_count;
  b.describe_device = describe_device;
  b.probe = probe;
  b.locate = locate;
  b.context = context;
  b.stream_device = stream_device;
  b.capturing = capturing;
  b.graph = graph;
  b.keep_with_graph = keep_with_graph;
  b.allocate = allocate;
  b.release = release;
  b.memory = memory;
  b.allocate_pinned = allocate_pinned;
  b.release_pinned = release_pinned;
  b.create_stream = create_stream;
  b.destroy_stream = destroy_stream;
  b.create_event = create_event;
  b.destroy_event = destroy_event;
  b.record_event = record_event;
  b.stream_wait_event = stream_wait_event;
  b.query_event = query_event;
  b.abandon = abandon;
  b.synchronize = synchronize;
  b.copy = copy;
  b.scale = scale;
  b.plan_bytes = plan_bytes;
  b.plan = plan;
  b.checksum_bytes = checksum_bytes;
  b.checksum = checksum;
  b.elements_bytes = elements_bytes;
  b.elements = elements;
  b.epilogue = epilogue;
  return b;
}

// ---- Remote control -------------------------------------------------------------------------------------------------

void read_device(const void *device, void *host, size_t bytes) {
  const Open open_memory;
  Open::ask();
  std::memcpy(host, device, bytes);
}

void write_device(void *device, const void *host, size_t bytes) {
  const Open open_memory;
  Open::ask();
  std::memcpy(device, host, bytes);
}

void use_device(int device) { t_current = device; }

void *allocate_here(int device, size_t bytes) {
  use_device(device);
  return map_block(device, bytes);
}
void *allocate_managed(int device, size_t bytes) {
  use_device(device);
  return map(device, bytes, true);
}

// Streams of tests live as long as the process, so that a handle may still name one.
void *new_stream(int device) {
  const Lock lock(g_mutex);
  auto *made = new Stream{device, 0, {}};
  g_streams.insert(made);
  return made;
}

void repair() {
  const Lock lock(g_mutex);
  for (Stream *s : g_streams) {
    while (!s->work.empty()) {
      if (s->work.front().reach) s->work.front().reach->reached = s->work.front().count;
      s->work.pop_front();
    }
  }
  for (int device = 0; device < kDevices; ++device) {
    g_lost[device] = g_abandoned[device] = false;
    g_control.hung[device] = false;
  }
  g_control.hangs = g_control.together = false;
}

void set_capturing(void *stream, bool on) {
  static uint64_t graphs = 0;
  stream_of(0, stream)->graph = on ? ++graphs : 0;
}

void join_capture(void *stream, void *other) { stream_of(0, stream)->graph = stream_of(0, other)->graph; }
void set_default_capturing(int device, bool on) { g_default[device].graph = on ? 1 : 0; }

void enqueue_copy(void *stream, void *target, const void *source, size_t bytes) {
  const Lock lock(g_mutex);
  stream_of(0, stream)->work.push_back({[=] { std::memcpy(target, source, bytes); }, {}, {}, 0, nullptr});
}

void end_stream(void *stream) {
  const Open open_memory;
  auto *s = static_cast<Stream *>(stream);
  do_all(s->device, s);
  s->context = ~uint64_t{0};  // must_exist() finds it gone
}

// Memory that the library has made no more answers to its addresses, which are not given out again.
void reset(int device) {
  const Lock lock(g_mutex);
  g_context[device] += 2;
  for (Stream *s : g_streams) {
    if (s->device == device) s->work.clear();
  }
  for (auto pinned = g_pinned_by.begin(); pinned != g_pinned_by.end();) {
    if (pinned->second == device) unmap_pinned(pinned->first);
    pinned = pinned->second == device ? g_pinned_by.erase(pinned) : std::next(pinned);
  }
  for (auto block = g_blocks.begin(); block != g_blocks.end();) {
    if (block->second.device == device) g_control.bytes -= static_cast<int64_t>(block->second.bytes);
    block = block->second.device == device ? g_blocks.erase(block) : std::next(block);
  }
}

void wake(int device) {
  const Open open_memory;
  g_control.hung[device] = false;
  while (do_any(device)) {
  }
}

int dangling() {
  const Lock lock(g_mutex);
  int count = 0;
  for (const Stream *s : g_streams) {
    for (const Op &op : s->work) count += op.pinned != nullptr && !is_pinned(op.pinned) ? 1 : 0;
  }
  return count;
}

int pending(void *stream, int device) {
  const Lock lock(g_mutex);
  return static_cast<int>(stream_of(device, stream)->work.size());
}

}  // namespace

extern "C" LIBSGEMM_API const libsgemm::Backend *libsgemm_backend_table() {
  static const Backend backend = make_backend();
  return &backend;
}

extern "C" LIBSGEMM_API mock::Control *mock_control() {
  g_control.use_device = use_device;
  g_control.allocate = allocate_here;
  g_control.allocate_managed = allocate_managed;
  g_control.release = unmap_block;
  g_control.read = read_device;
  g_control.write = write_device;
  g_control.allocate_pinned = map_pinned;
  g_control.release_pinned = unmap_pinned;
  g_control.repair = repair;
  g_control.stream = new_stream;
  g_control.set_capturing = set_capturing;
  g_control.join_capture = join_capture;
  g_control.set_default_capturing = set_default_capturing;
  g_control.enqueue_copy = enqueue_copy;
  g_control.unload = unload;
  g_control.destroy_stream = end_stream;
  g_control.destroy_graphs = destroy_graphs;
  g_control.reset = reset;
  g_control.pending = pending;
  g_control.wake = wake;
  g_control.dangling = dangling;
  return &g_control;
}
