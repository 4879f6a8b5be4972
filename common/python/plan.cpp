#include "plan.h"

#include <cstring>
#include <utility>

namespace libsgemm_python {

Plan::Plan(nb::handle x, const char *side, const char *trans, nb::handle mode, nb::handle backend)
    : array_(x, "x", Use::input),
      settings_(settings_for(mode, backend, nb::none())),
      side_(side_from(side)),
      op_(one_op(trans)) {
  const Place place = take({&array_});
  if (array_.type != Type::fp32) throw nb::type_error("x is of 16-bit numbers; plans are of float32");
  if (array_.ndim != 2) throw nb::value_error("x must have 2 dimensions");
  const Operand stored = operand_of(array_, kLayout);
  const bool transposed = op_ == LIBSGEMM_TRANS;
  const int64_t rows = transposed ? array_.cols() : array_.rows(), cols = transposed ? array_.rows() : array_.cols();
  const libsgemm_handle_t h = handle_for(place, settings_);
  run(place, h, [&] {
    libsgemm_plan_t made;
    const libsgemm_status_t status = libsgemm_plan_create(h, kLayout, side_, flip_if(stored.flipped, op_), rows, cols,
                                                          static_cast<const float *>(stored.data), stored.ld, &made);
    plan_.reset(made);
    return status;
  });
  libsgemm_info_t info;
  keeps_ = libsgemm_last_info(&info) == LIBSGEMM_SUCCESS && std::strcmp(info.kernel, "split") == 0;
  // Products use the mode of the plan's creation, wherever it was set.
  libsgemm_math_mode_t made_in;
  require(libsgemm_get_math_mode(h, &made_in));
  settings_.mode = made_in;
}

Plan::~Plan() {
  try {
    close();
  } catch (...) {  // a destructor cannot report it
  }
}

void Plan::close() {
  // The framework waits for its device, since the plan's stream may be gone. Calls of unknown frameworks have waited
  // themselves.
  const auto ended = std::move(plan_);
  if (ended == nullptr || array_.device.is_host()) return;
  nb::module_::import_("libsgemm._frameworks")
      .attr("synchronize")(array_.object, array_.device.kind, array_.device.index);
}

void Plan::require_use(libsgemm_side_t as, libsgemm_op_t op) const {
  if (plan_ == nullptr) throw nb::value_error("the plan is closed");
  const bool left = side_ == LIBSGEMM_LEFT;
  if (as != side_) {
    throw nb::value_error(left ? "the plan is of a left factor, made with side='left', and stands for b"
                               : "the plan is of a right factor, made with side='right', and stands for a");
  }
  if (op != op_) throw nb::value_error("the plan is of another transposition than trans asks for");
}

Plan *plan_from(nb::handle argument) {
  Plan *plan = nullptr;
  return nb::isinstance<Plan>(argument) && nb::try_cast(argument, plan, false) ? plan : nullptr;
}

void bind_plan(nb::module_ &module) {
  nb::class_<Plan>(module, "Plan",
                   "A matrix for many products, such as a layer's weights: gemm() takes it in the place of `a` or "
                   "`b`.\n\n"
                   "In the modes bf16x6, fp16x3 and fp32_fast its splits are computed once and kept, in memory of "
                   "the array's device; in other modes, in host memory and where no GPU splits, nothing is kept and a "
                   "product with it is a plain one. `x` must stay unchanged while the plan is in use.")
      .def(nb::init<nb::handle, const char *, const char *, nb::handle, nb::handle>(), nb::arg("x"), nb::kw_only(),
           nb::arg("side") = "right", nb::arg("trans") = "N", nb::arg("mode") = nb::none(),
           nb::arg("backend") = nb::none(),
           nb::sig("def __init__(self, x: libsgemm._types.Array, *, side: str = 'right', trans: str = 'N', "
                   "mode: str | None = None, backend: str | None = None) -> None"),
           "Splits `x`, float32 and of 2 dimensions, as the left or the right factor of products with this `trans`.\n\n"
           "Raises TypeError, ValueError: not such an array; OutOfMemory: the device cannot hold the splits.")
      .def("close", &Plan::close, "Frees what the plan keeps, after waiting for its device.")
      .def_prop_ro("keeps_something", &Plan::keeps_something, "Whether there are splits that products use.")
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__exit__", [](Plan &self, nb::args) { self.close(); });
}

}  // namespace libsgemm_python
