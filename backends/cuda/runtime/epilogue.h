#pragma once

#include "contract/backend.h"

namespace libsgemm::cuda {

libsgemm_status_t epilogue(const Epilogue &epilogue, const Launch &launch, Error *error);

}  // namespace libsgemm::cuda
