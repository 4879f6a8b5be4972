libsgemm_add_test(verify/test_verify_calls PER_BACKEND TIMEOUT 1800)
# In this test the mock GPU computes calls on host memory.
add_test(NAME test_verify_calls.mock COMMAND test_verify_calls "no product*,no convolution*")
set_tests_properties(test_verify_calls.mock PROPERTIES LABELS cpu TIMEOUT 600 ENVIRONMENT
                     "LIBSGEMM_TEST_BACKEND=cuda;LIBSGEMM_BACKEND_PATH=${CMAKE_CURRENT_BINARY_DIR}/plugins/gpu")
add_dependencies(test_verify_calls mock_gpu)
# test_verify calls functions below the API, so it links the library's objects.
libsgemm_objects(objects verify/verify.cpp verify/error_contract.cpp verify/sums.cpp verify/tiles.cpp process/parallel.cpp matrix/host_matrix.cpp
                 matrix/product.cpp ref/naive.cpp)
libsgemm_add_test(verify/test_verify SOURCES verify/test_verify_range.cpp verify/test_verify_rates.cpp ${objects})
target_link_libraries(test_verify PRIVATE libsgemm_support)
libsgemm_add_test(verify/test_verify_device)
add_test(NAME test_verify_device.strict COMMAND test_verify_device)
set_tests_properties(test_verify_device.strict PROPERTIES LABELS cpu ENVIRONMENT LIBSGEMM_TEST_STRICT=1 TIMEOUT 600)
add_test(NAME test_verify_device.environment COMMAND test_verify_device [environment])
set_tests_properties(test_verify_device.environment PROPERTIES LABELS cpu TIMEOUT 600
                     ENVIRONMENT LIBSGEMM_TEST_VERIFY=1)
