# check_sass.py is given the kernels whose registers the build reassigns.
get_target_property(reassigned libsgemm_cuda LIBSGEMM_REASSIGNED)
set(options)
if(reassigned)
  set(options --reassigned ${reassigned})
endif()
add_test(NAME check_sass COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/check_sass.py ${options}
         $<TARGET_FILE:libsgemm_cuda>)

# Tests one architecture for each encoding of branches.
set(cubins)
foreach(arch 80 90)
  set(cubin ${CMAKE_CURRENT_BINARY_DIR}/spill.sm_${arch}.cubin)
  add_custom_command(OUTPUT ${cubin}
    COMMAND ${CMAKE_CUDA_COMPILER} -std=c++17 -O3 -arch=sm_${arch} -cubin -o ${cubin}
            ${CMAKE_CURRENT_SOURCE_DIR}/spill.cu
    DEPENDS spill.cu VERBATIM)
  list(APPEND cubins ${cubin})
endforeach()
add_custom_target(spill_cubins ALL DEPENDS ${cubins})
add_test(NAME test_check_sass COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test_check_sass.py
         ${cubins})
set_tests_properties(check_sass test_check_sass PROPERTIES LABELS cpu TIMEOUT 300)
