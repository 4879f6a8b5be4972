#include "dmma_grouped.h"

#include <algorithm>
#include <climits>
#include <memory>
#include <new>

#include "contract/finish.h"
#include "gpu/aligned.h"
#include "gpu/cost.h"
#include "gpu/rehearsal.h"

namespace libsgemm::cuda {

using namespace gpu;

namespace {

struct Item {
  const GemmDesc *group;
  int64_t index;  // in the group
  int instance;
};

int64_t tiles_of(const GemmDesc &desc, const GroupedKernel &kernel) {
  return ceil_div(desc.m, kernel.tile_m) * ceil_div(desc.n, kernel.tile_n);
}

GroupedProduct product_of(const GemmDesc &d) {
  const auto number = [](int64_t x) { return static_cast<int>(x); };
  return {d.a,           d.b,           d.c,           number(d.m), number(d.n), number(d.k),
          number(d.lda), number(d.ldb), number(d.ldc), d.alpha,     d.beta};
}

}  // namespace

GroupedInstance GroupedInstance::of(const GemmDesc &product) {
  return {product.transa != LIBSGEMM_NO_TRANS, product.transb != LIBSGEMM_NO_TRANS,
          columns_aligned(product.a, product.lda) && columns_aligned(product.b, product.ldb)};
}

bool fits_grouped(const GemmDesc &desc, const GroupedKernel &kernel) {
  for (const int64_t x : {desc.m, desc.n, desc.k, desc.lda, desc.ldb, desc.ldc}) {
    if (x > INT_MAX / 2) return false;
  }
  return tiles_of(desc, kernel) < INT_MAX / 16;
}

libsgemm_status_t launch_grouped(const GroupedKernel &kernel, const GemmDesc *groups, int64_t count,
                                 const Launch &launch, Error *error) {
  int64_t total = 0;
  for (int64_t g = 0; g < count; ++g) total += groups[g].batch_count;
  const std::unique_ptr<Item[]> items(new (std::nothrow) Item[static_cast<size_t>(total)]);
  const std::unique_ptr<GroupedProducts> table(new (std::nothrow) GroupedProducts);
  if (items == nullptr || table == nullptr) {
    set_error(error, "no host memory for the table of %lld products", static_cast<long long>(total));
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  const bool cut = std::any_of(groups, groups + count, cuts_sums);
  table->chain_tiles = cut ? static_cast<int>(kChainTerms / kernel.tile_k) : 0;
  Item *end = items.get();
  for (int64_t g = 0; g < count; ++g) {
    for (int64_t i = 0; i < groups[g].batch_count; ++i) {
      *end++ = {&groups[g], i, GroupedInstance::of(batch_item(groups[g], i)).index()};
    }
  }
  // Comparing group and index only makes the order deterministic.
  std::sort(items.get(), end, [](const Item &x, const Item &y) {
    if (x.instance != y.instance) return x.instance < y.instance;
    if (x.group->k != y.group->k) return x.group->k > y.group->k;
    return x.group != y.group ? x.group < y.group : x.index < y.index;
  });

  const auto enqueue_all = [&](const Launch &how) {
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    for (const Item *next = items.get(); next != end && status == LIBSGEMM_SUCCESS;) {
      const Item &first = *next;
      table->count = table->first[0] = 0;
      for (; next != end && next->instance == first.instance && table->count < GroupedProducts::kMost; ++next) {
        const int64_t behind = table->first[table->count] + tiles_of(*next->group, kernel);
        if (behind > INT_MAX / 2) break;
        table->product[table->count] = product_of(batch_item(*next->group, next->index));
        table->first[++table->count] = static_cast<int>(behind);
      }
      status = kernel.enqueue(GroupedInstance::of(batch_item(*first.group, first.index)), *table, how, error);
    }
    return status;
  };
  const bool several = total > GroupedProducts::kMost || items[0].instance != end[-1].instance;
  return enqueue_rehearsed(launch, several, enqueue_all);
}

}  // namespace libsgemm::cuda
