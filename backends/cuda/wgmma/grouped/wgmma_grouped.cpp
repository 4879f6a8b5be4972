// Cuts groups of products into launches.
#include <algorithm>
#include <climits>
#include <memory>
#include <new>

#include "gpu/cost.h"
#include "gpu/rehearsal.h"
#include "wgmma_grouped.h"

namespace libsgemm::cuda {

using namespace gpu;

namespace {

constexpr uint64_t kMostStride = uint64_t{1} << 40;  // bytes, TMA's limit
constexpr int64_t kMostOfItem = 65535;

// An entry of a table: `count` products of a group.
struct Item {
  const GemmDesc *group;
  int64_t first, count;
};

uint64_t step(const void *from, const void *to) {
  return reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from);
}

// Number of products of a group, from `first` on, at constant strides that TMA supports.
int64_t run_length(const GemmDesc &desc, int64_t first, int64_t most) {
  most = std::min(most, desc.batch_count - first);
  if (desc.batch != Batch::pointers || most < 2) return most;
  const void *const *a = desc.a_array + first, *const *b = desc.b_array + first;
  float *const *c = desc.c_array + first;
  const uint64_t step_a = step(a[0], a[1]), step_b = step(b[0], b[1]), step_c = step(c[0], c[1]);
  if (std::max({step_a, step_b, step_c}) >= kMostStride || step_c == 0 || step_c % sizeof(float) != 0) return 1;
  int64_t count = 2;
  while (count < most && step(a[count - 1], a[count]) == step_a && step(b[count - 1], b[count]) == step_b &&
         step(c[count - 1], c[count]) == step_c) {
    ++count;
  }
  return count;
}

StridedOperands operands_of(const Item &item) {
  const GemmDesc &desc = *item.group, first = batch_item(desc, item.first);
  StridedOperands o = {};
  o.a_base = static_cast<const char *>(first.a), o.b_base = static_cast<const char *>(first.b);
  o.c_base = first.c;
  if (item.count == 1) return o;
  if (desc.batch == Batch::strided) {
    const auto size = static_cast<int64_t>(size_of(desc.type));
    o.a_bytes = desc.stride_a * size, o.b_bytes = desc.stride_b * size, o.c_elements = desc.stride_c;
  } else {
    const GemmDesc second = batch_item(desc, item.first + 1);
    o.a_bytes = static_cast<int64_t>(step(first.a, second.a)),
    o.b_bytes = static_cast<int64_t>(step(first.b, second.b));
    o.c_elements = static_cast<int64_t>(step(first.c, second.c) / sizeof(float));
  }
  return o;
}

template <class Use>
void for_items(const GemmDesc &group, const WgmmaGroupedKernel &kernel, const Use &use) {
  const int64_t tiles = std::max(wgmma_tiles(group, kernel, false), wgmma_tiles(group, kernel, true));
  const int64_t most = std::clamp<int64_t>(INT_MAX / 16 / tiles, 1, kMostOfItem);
  for (int64_t i = 0; i < group.batch_count;) {
    const int64_t length = run_length(group, i, most);
    use(Item{&group, i, length});
    i += length;
  }
}

// Returns the end of the items of one launch, which have the same transpositions.
const Item *cut(const Item *next, const Item *end, const WgmmaGroupedKernel &kernel, bool *swapped) {
  const int transposed = Transpositions::of(*next->group);
  int64_t plain = 0, other = 0;
  const Item *last = next;
  for (; last != end && last - next < WgmmaGroup::kMost && Transpositions::of(*last->group) == transposed; ++last) {
    plain += wgmma_tiles(*last->group, kernel, false) * last->count;
    other += wgmma_tiles(*last->group, kernel, true) * last->count;
    if (std::max(plain, other) > INT_MAX / 2 && last != next) break;
  }
  *swapped = other < plain;
  return last;
}

}  // namespace

bool fits_wgmma_group(const GemmDesc &desc, const WgmmaGroupedKernel &kernel, int index) {
  const auto fits = [&](const GemmDesc &d) { return wgmma_fits(d, kernel.tile_x, kernel.tile_y, index); };
  if (desc.batch != Batch::pointers) return fits(desc);
  if (!fits(batch_item(desc, 0))) return false;
  uintptr_t all = 0;
  for (int64_t i = 0; i < desc.batch_count; ++i) {
    all |= reinterpret_cast<uintptr_t>(desc.a_array[i]) | reinterpret_cast<uintptr_t>(desc.b_array[i]);
  }
  return all % 16 == 0;
}

libsgemm_status_t launch_wgmma_groups(const WgmmaGroupedKernel &kernel, const GemmDesc *groups, int64_t count,
                                      const Launch &launch, Error *error) {
  int64_t total = 0;
  for (int64_t g = 0; g < count; ++g) {
    for_items(groups[g], kernel, [&](const Item &) { ++total; });
  }
  const std::unique_ptr<Item[]> items(new (std::nothrow) Item[static_cast<size_t>(total)]);
  const std::unique_ptr<WgmmaGroup> table(new (std::nothrow) WgmmaGroup);
  if (items == nullptr || table == nullptr) {
    set_error(error, "no host memory for the table of %lld products", static_cast<long long>(total));
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  Item *end = items.get();
  for (int64_t g = 0; g < count; ++g) {
    for_items(groups[g], kernel, [&](const Item &item) { *end++ = item; });
  }
  std::sort(items.get(), end, [](const Item &x, const Item &y) {
    const int transposed_x = Transpositions::of(*x.group), transposed_y = Transpositions::of(*y.group);
    if (transposed_x != transposed_y) return transposed_x < transposed_y;
    if (x.group->k != y.group->k) return x.group->k > y.group->k;
    return x.group != y.group ? x.group < y.group : x.first < y.first;
  });

  const auto enqueue_all = [&](const Launch &how) {
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    for (const Item *next = items.get(); next != end && status == LIBSGEMM_SUCCESS;) {
      const GemmDesc &any = *next->group;
      bool swapped = false;
      const Item *const last = cut(next, end, kernel, &swapped);
      const WgmmaSides sides(any, swapped);
      const WgmmaInstance instance = kernel.instance(any, sides);
      table->count = table->first[0] = 0;
      for (; next != last && status == LIBSGEMM_SUCCESS; ++next) {
        const int i = table->count++;
        const int64_t tiles = wgmma_tiles(*next->group, kernel, swapped) * next->count;
        table->first[i + 1] = table->first[i] + static_cast<int>(tiles);
        if (how.rehearsal) continue;
        status = describe_wgmma(*next->group, instance, sides, Stored::all, {1, nullptr, 0}, operands_of(*next),
                                next->count, how, &table->maps[i], &table->problem[i], error);
      }
      if (status == LIBSGEMM_SUCCESS) status = kernel.enqueue(any, sides, *table, how, error);
    }
    return status;
  };
  const bool several =
      total > WgmmaGroup::kMost || Transpositions::of(*items[0].group) != Transpositions::of(*end[-1].group);
  return enqueue_rehearsed(launch, several, enqueue_all);
}

}  // namespace libsgemm::cuda
