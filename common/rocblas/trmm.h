// STRMM before rocBLAS 4 overwrites B, under the same names without the arguments for C.
#pragma once

namespace libsgemm {

constexpr const char *kOlderTrmm = "STRMM of rocBLAS before 4";
bool trmm_is_older();
inline const char *older_trmm() { return trmm_is_older() ? kOlderTrmm : nullptr; }

}  // namespace libsgemm
