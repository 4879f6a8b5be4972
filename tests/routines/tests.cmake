# Routines, batches and modes against FP64.
libsgemm_add_test(routines/test_checker)
# A name that matches no test is an error.
add_test(NAME test_checker.misspelt COMMAND test_checker "no test is called so")
set_tests_properties(test_checker.misspelt PROPERTIES LABELS cpu WILL_FAIL ON TIMEOUT 600)
libsgemm_add_test(routines/test_routines PER_BACKEND SOURCES routines/test_batches.cpp TIMEOUT 1800)
libsgemm_add_test(routines/test_semantics PER_BACKEND)
libsgemm_add_test(routines/test_invariant PER_BACKEND)
libsgemm_add_test(routines/test_modes PER_BACKEND SOURCES routines/test_mode_results.cpp)
libsgemm_add_test(routines/test_fp32_fast PER_BACKEND SOURCES routines/hard_operands.cpp)
libsgemm_add_test(routines/test_large PER_BACKEND LABELS slow TIMEOUT 1800)
foreach(backend IN LISTS LIBSGEMM_TEST_BACKENDS)
  set_tests_properties(test_large.${backend} PROPERTIES RESOURCE_LOCK memory)  # nearly 9 GB each
endforeach()
# Has its own main and any duration; here a short run, and one with a falsified result.
add_executable(random_calls routines/random_calls.cpp routines/random_calls_draw.cpp routines/random_calls_run.cpp support/tsan_suppressions.cpp)
target_link_libraries(random_calls PRIVATE libsgemm_test_gpu)
add_dependencies(backend_tests random_calls)
set_source_files_properties(routines/random_calls_draw.cpp PROPERTIES COMPILE_OPTIONS "${oracle}")
set_target_properties(random_calls PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
if(LIBSGEMM_SANITIZE MATCHES "thread")
  set_target_properties(random_calls PROPERTIES EXCLUDE_FROM_ALL ON)  # one thread makes its calls
endif()
foreach(backend IN LISTS LIBSGEMM_TEST_BACKENDS)
  libsgemm_add_backend_test(random_calls ${backend} TIMEOUT 600 COMMAND random_calls --seed 1 --calls 800)
  libsgemm_add_backend_test(random_calls.fault ${backend} TIMEOUT 600
                            COMMAND random_calls --seed 2 --calls 64 --fault 20)
  set_tests_properties(random_calls.fault.${backend} PROPERTIES PASS_REGULAR_EXPRESSION "\n1 wrong")
endforeach()
