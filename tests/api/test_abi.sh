#!/bin/sh
# Exports of the libraries; the public header is strict C99, C11 and C++.
# Usage: test_abi.sh READELF LIBSGEMM.SO LIBSGEMM_BLAS.SO LIBSGEMM_CUBLAS.SO LIBSGEMM_ROCBLAS.SO INCLUDE_DIRECTORY CC CXX
set -eu

readelf=$1 library=$2 drop_in=$3 for_cublas=$4 for_rocblas=$5 include=$6 cc=$7 cxx=$8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

exports() {
  "$readelf" --wide --dyn-syms "$1" |
    awk '$5 ~ /GLOBAL|WEAK|UNIQUE/ && $7 != "UND" && $6 == "DEFAULT" {print $8}' | sort -u
}

exports "$library" >"$work/library"
exports "$drop_in" >"$work/drop_in"
[ "$(wc -l <"$work/library")" -gt 30 ] || fail "$library exports fewer than 30 symbols"

# A version definition shows as an absolute symbol.
grep -v -e '^libsgemm_[a-z0-9_]*@@LIBSGEMM_[0-9.]*$' -e '^LIBSGEMM_[0-9.]*$' -e '^LIBSGEMM_[0-9.]*@@LIBSGEMM_[0-9.]*$' \
  "$work/library" >"$work/foreign" || true
[ ! -s "$work/foreign" ] || fail "$library exports without prefix or version: $(tr '\n' ' ' <"$work/foreign")"

grep -o 'libsgemm_[a-z0-9_]*(' "$include/libsgemm.h" | tr -d '(' | sort -u >"$work/declared"
sed 's/@.*//' "$work/library" | sort -u >"$work/names"
# The names include those in comments, such as "libsgemm_last_info()".
comm -23 "$work/declared" "$work/names" >"$work/missing"
[ ! -s "$work/missing" ] || fail "$library lacks $(tr '\n' ' ' <"$work/missing")"

# The drop-in has single-precision level 3 only.
sed 's/@.*//' "$work/drop_in" >"$work/drop_in_names"
for name in cblas_sgemm sgemm_ cblas_sgemm_64 sgemm_64_ scipy_cblas_sgemm64_ scipy_sgemm_64_ cblas_strsm strsm_ \
  cblas_ssyrk ssyrk_ cblas_ssyr2k ssyr2k_ cblas_ssymm ssymm_ cblas_strmm strmm_; do
  case $name in
    cblas_sgemm_64)
      grep -q -x -e cblas_sgemm64_ -e cblas_sgemm_64 "$work/drop_in_names" || fail "$drop_in lacks $name"
      ;;
    *) grep -q -x "$name" "$work/drop_in_names" || fail "$drop_in lacks $name" ;;
  esac
done
grep -E -e '^(scipy_)?(cblas_)?[dcz][a-z0-9]+(_|64_|_64_?)?$' -e 'xerbla' -e '^(scipy_)?cblas_i' \
  "$work/drop_in_names" >"$work/other" || true
[ ! -s "$work/other" ] || fail "$drop_in exports $(tr '\n' ' ' <"$work/other")"
grep -v -E -e '^(scipy_)?(cblas_)?s[a-z0-9]*(gemm|symm|syrk|syr2k|trmm|trsm|gemmt|gemmtr|batch|strided)[a-z0-9_]*$' \
  -e '^libsgemm_blas_[a-z]*$' -e '^LIBSGEMM' "$work/drop_in_names" >"$work/other" || true
[ ! -s "$work/other" ] || fail "$drop_in exports besides level 3: $(tr '\n' ' ' <"$work/other")"

# cuBLAS's names are level 3 of single precision or any types, also for 64-bit integers and without a version, and what
# changes a handle.
exports "$for_cublas" >"$work/for_cublas"
grep -v -x -E -e 'cublas(Sgemm|Gemm)[A-Za-z]*(_v2)?(_64)?' -e 'cublasS(symm|syrk|syrkx|syr2k|trmm|trsm)(Batched)?(_v2)?(_64)?' \
  -e 'cublasLt(Matmul|Create|Destroy)' -e 'cublas(Create|Destroy|SetStream|SetWorkspace)_v2' -e libsgemm_cublas_version \
  "$work/for_cublas" >"$work/other" || true
[ ! -s "$work/other" ] || fail "$for_cublas exports $(tr '\n' ' ' <"$work/other")"
for name in Sgemm_v2 SgemmEx GemmEx SgemmBatched GemmBatchedEx SgemmStridedBatched GemmStridedBatchedEx \
  SgemmGroupedBatched GemmGroupedBatchedEx Ssymm_v2 Ssyrk_v2 Ssyrkx Ssyr2k_v2 Strmm_v2 Strsm_v2 StrsmBatched; do
  for form in "cublas$name" "cublas${name}_64"; do
    grep -q -x "$form" "$work/for_cublas" || fail "$for_cublas lacks $form"
  done
done

# rocBLAS's names likewise, each also as a strided and a pointer batch.
exports "$for_rocblas" >"$work/for_rocblas"
grep -v -x -E -e 'rocblas_(s(gemm|symm|syrk|syrkx|syr2k|gemmt|trmm|trsm)|gemm)(_(strided_)?batched)?(_ex)?(_64)?' \
  -e 'rocblas_((create|destroy)_handle|set_stream|set_workspace|set_device_memory_size)' -e libsgemm_rocblas_version \
  "$work/for_rocblas" >"$work/other" || true
[ ! -s "$work/other" ] || fail "$for_rocblas exports $(tr '\n' ' ' <"$work/other")"
for name in sgemm ssymm ssyrk ssyrkx ssyr2k sgemmt strmm strsm; do
  for batch in "" _strided_batched _batched; do
    for form in "rocblas_$name$batch" "rocblas_$name${batch}_64"; do
      grep -q -x "$form" "$work/for_rocblas" || fail "$for_rocblas lacks $form"
    done
  done
done
for name in gemm_ex gemm_strided_batched_ex gemm_batched_ex; do
  for form in "rocblas_$name" "rocblas_${name}_64"; do
    grep -q -x "$form" "$work/for_rocblas" || fail "$for_rocblas lacks $form"
  done
done

# Loading needs no vendor's library or BLAS.
for file in "$library" "$drop_in" "$for_cublas" "$for_rocblas"; do
  "$readelf" --wide --dynamic "$file" | grep NEEDED |
    grep -i -E 'blas\.|cuda|cublas|hip|rocm|lapack' >"$work/needed" || true
  [ ! -s "$work/needed" ] || fail "$file needs $(cat "$work/needed")"
done

printf '#include <libsgemm.h>\nint use(void) { return libsgemm_version(); }\n' >"$work/header.c"
cp "$work/header.c" "$work/header.cpp"
for standard in c99 c11; do
  "$cc" -std=$standard -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only "$work/header.c" ||
    fail "the header does not compile as $standard"
done
for standard in c++11 c++17; do
  "$cxx" -std=$standard -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only "$work/header.cpp" ||
    fail "the header does not compile as $standard"
done

[ "$failures" -eq 0 ] || exit 1
echo "$(wc -l <"$work/names") names exported by libsgemm.so, $(wc -l <"$work/drop_in_names") by libsgemm_blas.so, \
$(wc -l <"$work/for_cublas") by libsgemm_cublas.so, $(wc -l <"$work/for_rocblas") by libsgemm_rocblas.so"
