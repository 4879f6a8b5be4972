# Checks the plugin's code and, on request, that of other architectures: compiled by clang 19 with HIP's headers and
# device bitcode, or to assembly by clang 22 of PyPI's ziglang (build/ziglang), which knows more architectures.
get_target_property(archs libsgemm_hip LIBSGEMM_ARCHITECTURES)
get_target_property(compile libsgemm_hip LIBSGEMM_COMPILE)
get_target_property(kernels libsgemm_hip LIBSGEMM_KERNELS)
get_target_property(includes libsgemm_hip LIBSGEMM_INCLUDES)
set(LIBSGEMM_TEST_HIP_CODE "" CACHE STRING
    "Architectures whose HIP kernels are checked beside those of the plugin, compiled for it: a list, or all that are known")
set(checked)
set(others)
set(by_clang22 gfx950 gfx9-4-generic)
foreach(arch gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1151 gfx1200 gfx1201
             gfx9-4-generic gfx11-generic gfx12-generic)
  if(arch IN_LIST archs)
    list(APPEND checked ${arch})
  elseif(arch IN_LIST LIBSGEMM_TEST_HIP_CODE OR LIBSGEMM_TEST_HIP_CODE STREQUAL "all")
    list(APPEND checked ${arch})
    list(APPEND others ${arch})
  endif()
endforeach()

# skip_check(arch...): a skipped test for each.
function(skip_check)
  foreach(arch IN LISTS ARGN)
    add_test(NAME check_amdgpu.${arch} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/check_amdgpu.py
             --unchecked ${arch})
    set_tests_properties(check_amdgpu.${arch} PROPERTIES LABELS cpu SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

find_program(LIBSGEMM_CLANG19 clang++-19)
find_program(LIBSGEMM_LLVM_DIS19 llvm-dis-19)
find_program(LIBSGEMM_LLVM_AS19 llvm-as-19)
find_program(LIBSGEMM_LLD19 ld.lld-19)
find_path(LIBSGEMM_BITCODE oclc_isa_version_1030.bc PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
          PATH_SUFFIXES amdgcn/bitcode)
mark_as_advanced(LIBSGEMM_CLANG19 LIBSGEMM_LLVM_DIS19 LIBSGEMM_LLVM_AS19 LIBSGEMM_LLD19 LIBSGEMM_BITCODE)
if(others AND NOT (LIBSGEMM_CLANG19 AND LIBSGEMM_LLVM_DIS19 AND LIBSGEMM_LLVM_AS19 AND LIBSGEMM_LLD19 AND
                   LIBSGEMM_BITCODE))
  list(JOIN others " " text)
  message(STATUS "libsgemm: no clang 19, lld 19, llvm 19 or device library, so the HIP kernels' code for ${text} is not checked")
  list(REMOVE_ITEM checked ${others})
  skip_check(${others})
  set(others)
endif()

set(newer)
foreach(arch IN LISTS others)
  if(arch IN_LIST by_clang22)
    list(APPEND newer ${arch})
  endif()
endforeach()
set(LIBSGEMM_ZIG ${PROJECT_SOURCE_DIR}/build/ziglang/ziglang/zig CACHE FILEPATH "The program of PyPI's ziglang, for its clang 22")
mark_as_advanced(LIBSGEMM_ZIG)
if(newer AND NOT EXISTS ${LIBSGEMM_ZIG})
  execute_process(COMMAND ${Python3_EXECUTABLE} -m pip install --quiet --disable-pip-version-check
                          --root-user-action=ignore --no-cache-dir --only-binary :all:
                          --target ${PROJECT_SOURCE_DIR}/build/ziglang ziglang==0.17.1
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
endif()
if(newer AND NOT EXISTS ${LIBSGEMM_ZIG})
  list(JOIN newer " " text)
  message(STATUS "libsgemm: ziglang 0.17.1, whose clang 22 knows ${text}, cannot be installed from PyPI here, so the HIP kernels' code for them is not checked")
  list(REMOVE_ITEM checked ${newer})
  list(REMOVE_ITEM others ${newer})
  skip_check(${newer})
  set(newer)
endif()

if(NOT checked)
  message(STATUS "libsgemm: the check of the HIP kernels' machine code knows none of ${archs}, so it is left out")
  return()
endif()

# The device library differs by architecture in two constants, its number and the ABI's: make_constant(file like old
# value new_value).
set(bitcode ${CMAKE_CURRENT_BINARY_DIR}/bitcode)
function(make_constant file like old new)
  if(EXISTS ${bitcode}/${file}.bc)
    return()
  endif()
  execute_process(COMMAND ${LIBSGEMM_LLVM_DIS19} ${LIBSGEMM_BITCODE}/${like}.bc -o - OUTPUT_VARIABLE text
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "constant i32 ${old}," "constant i32 ${new}," changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "${LIBSGEMM_BITCODE}/${like}.bc holds no constant ${old}")
  endif()
  file(WRITE ${bitcode}/${file}.ll "${changed}")
  execute_process(COMMAND ${LIBSGEMM_LLVM_AS19} ${bitcode}/${file}.ll -o ${bitcode}/${file}.bc
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()
if(others)
  file(GLOB files RELATIVE ${LIBSGEMM_BITCODE} ${LIBSGEMM_BITCODE}/*.bc)
  file(MAKE_DIRECTORY ${bitcode})
  foreach(file IN LISTS files)
    file(CREATE_LINK ${LIBSGEMM_BITCODE}/${file} ${bitcode}/${file} SYMBOLIC)
  endforeach()
  make_constant(oclc_abi_version_600 oclc_abi_version_500 500 600)
  foreach(arch IN LISTS others)
    if(arch MATCHES "^gfx([0-9]+)(.)(.)$")
      math(EXPR number "${CMAKE_MATCH_1} * 1000 + 0x${CMAKE_MATCH_2} * 100 + 0x${CMAKE_MATCH_3}")
    else()  # the constant of a family, which nothing here uses
      string(REGEX MATCH "[0-9]+" number ${arch})
      math(EXPR number "${number} * 1000")
    endif()
    string(SUBSTRING ${arch} 3 -1 version)
    make_constant(oclc_isa_version_${version} oclc_isa_version_1030 10300 ${number})
  endforeach()
endif()

# compile_kernel(source arch): appends the code object's path to `code`.
function(compile_kernel source arch)
  get_filename_component(name ${source} NAME_WE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${arch}.co)
  set(what -c)
  set(compiler ${CMAKE_CXX_COMPILER_LAUNCHER} ${LIBSGEMM_CLANG19})
  # ziglang's linker knows no AMD GPU, it does not link two files of the library itself, and Debian's headers use a
  # macro that it no longer defines.
  if(arch IN_LIST newer)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${arch}.s)
    set(what -S)
    set(compiler ${LIBSGEMM_ZIG} clang -resource-dir ${resources} -D__AMDGCN_WAVEFRONT_SIZE=64)
    foreach(file hip opencl)
      list(APPEND compiler -Xclang -mlink-builtin-bitcode -Xclang ${bitcode}/${file}.bc)
    endforeach()
  endif()
  if(arch IN_LIST others)
    list(APPEND compiler -x hip -std=c++17 -O3 -mcumode -Wall -Wextra --rocm-path=/usr
         --rocm-device-lib-path=${bitcode} --no-gpu-bundle-output)
    if(arch MATCHES "generic")
      list(APPEND compiler -mcode-object-version=6 -w)  # clang 19 warns of it
    endif()
  else()
    set(compiler ${compile})
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${compiler} --offload-arch=${arch} --cuda-device-only ${includes} -MD -MF ${object}.d -MT ${object}
            ${what} ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building code object ${name}.${arch}.co" VERBATIM)
  set(code ${code} ${object} PARENT_SCOPE)
endfunction()

if(newer)
  execute_process(COMMAND ${LIBSGEMM_CLANG19} -print-resource-dir OUTPUT_VARIABLE resources
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
set(code)
foreach(arch IN LISTS others)
  foreach(kernel IN LISTS kernels)
    compile_kernel(${kernel} ${arch})
  endforeach()
endforeach()
add_custom_target(check_amdgpu_code ALL DEPENDS ${code})
list(JOIN checked "," text)
add_test(NAME check_amdgpu COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/check_amdgpu.py
         --archs ${text} $<TARGET_FILE:libsgemm_hip> ${code})

# One architecture with accumulation registers, one with dual instructions.
set(code)
foreach(arch gfx90a gfx1100)
  if(arch IN_LIST checked)
    compile_kernel(${CMAKE_CURRENT_SOURCE_DIR}/faults.hip ${arch})
  endif()
endforeach()
add_custom_target(check_amdgpu_faults ALL DEPENDS ${code})
add_test(NAME test_check_amdgpu COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test_check_amdgpu.py
         ${code})
set_tests_properties(check_amdgpu test_check_amdgpu PROPERTIES LABELS cpu SKIP_RETURN_CODE 77 TIMEOUT 600)
set_tests_properties(check_amdgpu PROPERTIES COST 90)
