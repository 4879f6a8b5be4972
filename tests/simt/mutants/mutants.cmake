# Tests of the tests: kernels with one fault each, made from the source, that must be found.
#
# libsgemm_add_mutant(NAME FILE old new symptom)
# Replaces `old`, which backends/FILE has exactly once, and expects the kernel's test to print `symptom`. Set before:
# mutant_backend; mutant_kernel, the kernel's file, relative to the mutated backend or absolute; mutant_objects, test
# and table of the kernel; mutant_libraries, the host's first; mutant_tag, which tests run.
function(libsgemm_add_mutant name file old new symptom)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${backends}/${file})
  file(READ ${backends}/${file} text)
  string(FIND "${text}" "${old}" first)
  string(FIND "${text}" "${old}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "backends/${file} no longer has what the mutant ${name} changes, or twice: ${old}")
  endif()
  string(REPLACE "${old}" "${new}" text "${text}")
  set(root ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  set(before "")
  if(EXISTS ${root}.h)
    file(READ ${root}.h before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE ${root}.h "${text}")
  endif()
  libsgemm_mirror(${mutant_backend} ${root})
  file(REMOVE ${root}/${file})
  file(CREATE_LINK ${root}.h ${root}/${file} SYMBOLIC)

  set(test test_simt_mutant_${name})
  list(GET mutant_libraries 0 host)
  cmake_path(ABSOLUTE_PATH mutant_kernel BASE_DIRECTORY ${root}/${mutant_backend} OUTPUT_VARIABLE kernel)
  libsgemm_add_simt_kernels(${test}_kernel ${kernel} ${host})
  target_include_directories(${test}_kernel BEFORE PRIVATE ${root}/${mutant_backend} ${root})
  target_compile_options(${test}_kernel PRIVATE -Wno-unused-parameter)  # a mutant may leave one unused
  add_executable(${test} ${mutant_objects})
  target_link_libraries(${test} PRIVATE libsgemm_test_support ${host})
  target_link_options(${test} PRIVATE -Wl,--no-as-needed)
  target_link_libraries(${test} PRIVATE ${test}_kernel ${mutant_libraries})
  set_target_properties(${test} PROPERTIES CXX_VISIBILITY_PRESET default
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  add_test(NAME test_simt_mutant.${name} COMMAND ${test} [${mutant_tag}])
  set_tests_properties(test_simt_mutant.${name} PROPERTIES LABELS "${labels}" TIMEOUT 600
                       ENVIRONMENT TSAN_OPTIONS=halt_on_error=1 PASS_REGULAR_EXPRESSION "${symptom}")
endfunction()

# A table of one kernel, to link with its mutants.
function(libsgemm_add_mutant_code name backend code host)
  string(TOUPPER ${backend} upper)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/device_code.h
       CONTENT "#define LIBSGEMM_${upper}_DEVICE_CODE(X) X(${code}, \"\")\n")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${backend}/${backend}/kernels.cpp)
  target_include_directories(${name} BEFORE PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  target_link_libraries(${name} PRIVATE ${host})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default)
endfunction()
# libsgemm_set_mutated(CODE FILE): the next mutants are of this kernel, defined in file KERNEL. Set before:
# mutant_backend, mutant_libraries; mutant_tests, the test's object library.
macro(libsgemm_set_mutated code kernel)
  list(GET mutant_libraries 0 mutant_host)
  libsgemm_add_mutant_code(${mutant_host}_${code} ${mutant_backend} ${code} ${mutant_host})
  set(mutant_kernel ${kernel})
  set(mutant_objects $<TARGET_OBJECTS:${mutant_tests}> $<TARGET_OBJECTS:${mutant_host}_${code}>)
endmacro()
set(mutant_tag kernel)
set(wrong_element "is[ \n]+[-+.0-9a-z]+,[ \n]+expected[ \n]")  # the checker's words
