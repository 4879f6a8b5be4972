# Guards the cost of a call. The real bars (150 ns, 0.99) are the command's defaults; shared machines need looser ones.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_test(NAME bench_overhead
           COMMAND libsgemm_command bench --overhead --overhead-bar 600 --ratio-bar 0.95 --max-flops 3e9)
  set_tests_properties(bench_overhead PROPERTIES LABELS "cpu;slow" RUN_SERIAL ON)
endif()
add_executable(command_client command/command_client.c)
target_link_libraries(command_client PRIVATE ${CMAKE_DL_LIBS})
add_library(faulty_blas MODULE command/faulty_blas.c)
add_library(blis_like MODULE command/other_blas.c)
target_compile_definitions(blis_like PRIVATE THREADS=bli_thread_get_num_threads THREAD_COUNT=7 VERSION=bli_info_get_version_str)
add_library(unset_blis MODULE command/other_blas.c)  # BLIS without requested threads uses one
target_compile_definitions(unset_blis PRIVATE THREADS=bli_thread_get_num_threads THREAD_COUNT=-1)
add_library(mkl_like MODULE command/other_blas.c)
target_compile_definitions(mkl_like PRIVATE THREADS=MKL_Get_Max_Threads THREAD_COUNT=5)
foreach(library own_blas whole_blas)
  add_library(${library} MODULE command/own_blas.c)
endforeach()
target_compile_definitions(own_blas PRIVATE RESULT=-1)
target_compile_definitions(whole_blas PRIVATE RESULT=-2 WHOLE)
add_library(cutting_read MODULE command/cutting_read.c)
target_link_libraries(cutting_read PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(command_client faulty_blas blis_like unset_blis mkl_like own_blas whole_blas cutting_read PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
find_program(LIBSGEMM_PYTHON python3)
add_test(NAME check_docs COMMAND ${LIBSGEMM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/check_docs.py $<TARGET_FILE:libsgemm_command>)
set_tests_properties(check_docs PROPERTIES LABELS cpu)
add_library(libsgemm_test_command STATIC command/command_runner.cpp command/run_report.cpp)
target_link_libraries(libsgemm_test_command PUBLIC libsgemm_test_support nlohmann_json::nlohmann_json)
target_compile_definitions(libsgemm_test_command PUBLIC LIBSGEMM_COMMAND="$<TARGET_FILE:libsgemm_command>")
target_compile_options(libsgemm_test_command PRIVATE ${plain})
libsgemm_objects(objects process/env.cpp process/nearest.cpp)
libsgemm_add_test(command/test_command SOURCES command/test_command_tools.cpp command/test_command_run.cpp command/test_command_devices.cpp command/test_command_modes.cpp
                command/test_command_level3.cpp command/test_command_conv.cpp
                command/test_command_decision.cpp command/test_command_probe.cpp command/test_command_tune.cpp command/test_command_use.cpp
                ${objects} LABELS programs command)
target_link_libraries(test_command PRIVATE libsgemm_support libsgemm_test_command)
add_dependencies(test_command libsgemm_command libsgemm_blas command_client faulty_blas blis_like unset_blis mkl_like own_blas whole_blas cutting_read
                 mock_gpu
                 mock_cuda_stack mock_second_gpu
                 mock_hip_stack mock_four_gpus probe)
target_compile_definitions(test_command PRIVATE
  MOCK_FOLDER="${CMAKE_CURRENT_BINARY_DIR}/plugins" BENCH_FOLDER="${PROJECT_SOURCE_DIR}/bench"
  PYTHON="$<$<BOOL:${LIBSGEMM_PYTHON}>:${LIBSGEMM_PYTHON}>"
  CLIENT="$<TARGET_FILE:command_client>"
  FAULTY_BLAS="$<TARGET_FILE:faulty_blas>" BLIS_LIKE="$<TARGET_FILE:blis_like>" UNSET_BLIS="$<TARGET_FILE:unset_blis>"
  MKL_LIKE="$<TARGET_FILE:mkl_like>" OWN_BLAS="$<TARGET_FILE:own_blas>" WHOLE_BLAS="$<TARGET_FILE:whole_blas>" CUTTING_READ="$<TARGET_FILE:cutting_read>"
  PROBE="$<TARGET_FILE:probe>")
if(TARGET slow_blas)
  add_dependencies(test_command slow_blas)
  target_compile_definitions(test_command PRIVATE SLOW_BLAS="$<TARGET_FILE:slow_blas>")
endif()
if(NOT LIBSGEMM_SANITIZE)
  add_executable(static_client command/static_client.c)
  target_link_options(static_client PRIVATE -static)
  add_dependencies(test_command static_client)
  target_compile_definitions(test_command PRIVATE STATIC_CLIENT="$<TARGET_FILE:static_client>")
endif()
