#include "conv.h"
#include "handles.h"
#include "info.h"
#include "level3.h"
#include "numpy_array.h"
#include "plan.h"
#include "product.h"
#include "torch_products.h"

NB_MODULE(_core, module) {
  using namespace libsgemm_python;
  import_numpy();
  bind_settings(module);
  bind_plan(module);
  bind_product(module);
  bind_groups(module);
  bind_level3(module);
  bind_conv(module);
  bind_torch_products(module);
  bind_info(module);
}
