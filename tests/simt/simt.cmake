# Functions for device code on the CPU.

# Kernel files include by paths, so replaced headers must be next to the others: links to backends/gpu and
# backends/`backend` in `root`. Each test has its own rows.h.
function(libsgemm_mirror backend root)
  file(REMOVE_RECURSE ${root})
  foreach(folder IN ITEMS gpu ${backend})
    file(GLOB_RECURSE files RELATIVE ${backends}/${folder} CONFIGURE_DEPENDS
         ${backends}/${folder}/*.h ${backends}/${folder}/*.cuh ${backends}/${folder}/*.cpp
         ${backends}/${folder}/*.cu ${backends}/${folder}/*.hip)
    foreach(file IN LISTS files)
      get_filename_component(room ${root}/${folder}/${file} DIRECTORY)
      file(MAKE_DIRECTORY ${room})
      file(CREATE_LINK ${backends}/${folder}/${file} ${root}/${folder}/${file} SYMBOLIC)
    endforeach()
    file(GLOB_RECURSE replaced RELATIVE ${twins}/${folder} CONFIGURE_DEPENDS ${twins}/${folder}/*)
    foreach(file IN LISTS replaced)
      file(REMOVE ${root}/${folder}/${file})
      file(CREATE_LINK ${twins}/${folder}/${file} ${root}/${folder}/${file} SYMBOLIC)
    endforeach()
  endforeach()
  file(REMOVE ${root}/${backend}/rows.h)
endfunction()

# Sets `result` to the matching kernels of rows.h, or of those requested.
function(libsgemm_simt_rows result backend regex)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${backends}/${backend}/rows.h)
  file(STRINGS ${backends}/${backend}/rows.h lines REGEX "^[^/].*X\\([a-z0-9_]+,")
  set(rows)
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "X\\([a-z][a-z0-9_]+," matches "${line}")
    list(APPEND rows ${matches})
  endforeach()
  list(TRANSFORM rows REPLACE "X\\((.*)," "\\1")
  list(FILTER rows INCLUDE REGEX "${regex}")
  if(LIBSGEMM_SIMT_ROWS MATCHES "^(kinds|loops)$")
    set(kinds)
    foreach(row IN LISTS rows)
      string(REGEX REPLACE "_[0-9]+x[0-9]+x[0-9]+" "" kind ${row})
      if(LIBSGEMM_SIMT_ROWS STREQUAL "loops")
        string(REGEX REPLACE "_(split_k|unaligned|[a-z]+16(x[0-9])?|[tx]f32|fp32_fast|register[0-9x]+)" "" kind ${kind})
        string(REGEX REPLACE "^sm[0-9]+_(dmma|mma|wmma)_" "\\1_" kind ${kind})
        string(REPLACE "gfx90a_dmfma" "gfx908_mfma" kind ${kind})
        string(REGEX REPLACE "^.*_blocked" "blocked" kind ${kind})  # launch other kernels
      endif()
      string(REGEX REPLACE "^.*_([0-9]+)x([0-9]+)x[0-9]+.*$" "\\1 * \\2" size ${row})
      math(EXPR size "${size}")
      if(NOT kind IN_LIST kinds)
        list(APPEND kinds ${kind})
      elseif(size GREATER_EQUAL smallest_${kind})
        continue()
      endif()
      set(smallest_${kind} ${size})
      set(row_of_${kind} ${row})
    endforeach()
    set(rows)
    foreach(kind IN LISTS kinds)
      list(APPEND rows ${row_of_${kind}})
    endforeach()
  elseif(LIBSGEMM_SIMT_ROWS)
    foreach(row IN LISTS rows)
      if(NOT row IN_LIST LIBSGEMM_SIMT_ROWS)
        list(REMOVE_ITEM rows ${row})
      endif()
    endforeach()
  endif()
  set(${result} ${rows} PARENT_SCOPE)
endfunction()

# -O1: fibres run as fast as with -O3 and compile in half the time. For AddressSanitizer's checks, which GCC optimises
# slowly, -O0 and checks as calls: a third of the time, for a fifth more run time.
set(kernel_options -O1)
if(LIBSGEMM_SANITIZE MATCHES "address")
  set(kernel_options -O0 $<$<CXX_COMPILER_ID:GNU>:--param=asan-instrumentation-with-call-threshold=0>)
endif()

# A library for each kernel file: its thread-local data is its kernels' shared memory and nothing else. Code that two
# files instantiate must use its own.
function(libsgemm_add_simt_kernels name source host)
  add_library(${name} SHARED ${source})
  set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE ${host})
  target_compile_options(${name} PRIVATE -ftls-model=initial-exec ${kernel_options} $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  if(LIBSGEMM_SANITIZE MATCHES "undefined")
    # What a GPU traps or AddressSanitizer misses; sizes are too small for other checks. All take as long as the
    # compiler itself.
    target_compile_options(${name} PRIVATE -fno-sanitize=undefined -fsanitize=alignment,bounds,shift
                           -fno-sanitize-recover=all)
  endif()
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# libsgemm_add_simt_test(NAME BACKEND name ROOT mirror ROWS row... SOURCES file... [ARCH gfx])
# Builds NAME, which runs the kernels. SOURCES: tests, and for the host library NAME_host a stand-in for the driver.
# Kernels are compiled for ARCH. Sets NAME_shared to libraries for all kernels.
function(libsgemm_add_simt_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BACKEND;ROOT;ARCH" "DEVICE;ROWS;SOURCES")
  set(folder ${arg_ROOT}/${arg_BACKEND})
  list(TRANSFORM arg_ROWS REPLACE "(.+)" " \\\\\n  X(\\1, \"\")" OUTPUT_VARIABLE list)
  list(JOIN list "" list)
  string(TOUPPER ${arg_BACKEND} upper)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}_rows/rows.h
       CONTENT "#define LIBSGEMM_${upper}_ROWS(X)${list}\n" @ONLY)

  # Host code of kernels: files that need no driver, and what a plugin links.
  file(GLOB_RECURSE host ${folder}/*.cpp ${arg_ROOT}/gpu/*.cpp)
  list(FILTER host EXCLUDE REGEX
       "/gpu/runtime/|/(backend|capturing|context|device|driver|fault|in_use|kernels|launch|location|scope|reassigned|tensor_map)\\.cpp$")
  add_library(${name}_host SHARED ${arg_DEVICE} ${host} ${PROJECT_SOURCE_DIR}/common/contract/conv.cpp ${PROJECT_SOURCE_DIR}/common/contract/desc.cpp
              ${PROJECT_SOURCE_DIR}/common/contract/kernel_table.cpp)
  target_include_directories(${name}_host PUBLIC ${arg_ROOT} ${folder} ${CMAKE_CURRENT_BINARY_DIR}/${name}_rows)
  target_link_libraries(${name}_host PUBLIC simt)
  if(arg_ARCH)
    target_compile_definitions(${name}_host PUBLIC __${arg_ARCH}__=1 LIBSGEMM_SIMT_ARCH="${arg_ARCH}")
  endif()
  set_target_properties(${name}_host PROPERTIES CXX_VISIBILITY_PRESET default
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})

  # Files that define these kernels, and those without any, which serve all.
  set(libraries)
  set(shared)
  file(GLOB_RECURSE kernels ${folder}/*.cu ${folder}/*.hip)
  foreach(kernel IN LISTS kernels)
    file(STRINGS ${kernel} defined REGEX "^((libsgemm::)?Kernel [a-z0-9_]+\\(\\)|LIBSGEMM_[A-Z_]+_ROW(_OF)?\\([a-z0-9_]+)")
    set(wanted ON)
    foreach(line IN LISTS defined)
      string(REGEX REPLACE "^.*(Kernel |_ROW\\(|_ROW_OF\\([a-z0-9_]+, )([a-z0-9_]+).*$" "\\2" row "${line}")
      if(row IN_LIST arg_ROWS)
        set(wanted ON)
        break()
      endif()
      set(wanted OFF)
    endforeach()
    if(wanted)
      get_filename_component(stem ${kernel} NAME_WE)
      libsgemm_add_simt_kernels(${name}_${stem} ${kernel} ${name}_host)
      list(APPEND libraries ${name}_${stem})
      if(NOT defined)
        list(APPEND shared ${name}_${stem})
      endif()
    endif()
  endforeach()
  set(${name}_shared ${shared} PARENT_SCOPE)

  add_executable(${name} ${arg_SOURCES} ${folder}/kernels.cpp)
  target_link_libraries(${name} PRIVATE libsgemm_test_support ${name}_host)
  target_link_options(${name} PRIVATE -Wl,--no-as-needed)
  target_link_libraries(${name} PRIVATE ${libraries})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# An entry for each kernel.
function(libsgemm_simt_entries name)
  foreach(row IN LISTS ARGN)
    add_test(NAME ${name}.${row} COMMAND ${name} [row] -c ${row})
  endforeach()
  list(TRANSFORM ARGN PREPEND ${name}. OUTPUT_VARIABLE tests)
  set_tests_properties(${tests} PROPERTIES LABELS "${labels}" TIMEOUT 600)
endfunction()
