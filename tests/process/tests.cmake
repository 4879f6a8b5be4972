# Processes: environments, forks, signals, ends, memory limits.
# probe: one small call in a fresh process; linked with the library, and opening it.
add_executable(probe process/probe.cpp support/tsan_suppressions.cpp)
target_link_libraries(probe PRIVATE libsgemm::sgemm Threads::Threads)
add_executable(probe_dlopen process/probe.cpp support/tsan_suppressions.cpp)
target_compile_definitions(probe_dlopen PRIVATE PROBE_DLOPEN)
target_include_directories(probe_dlopen PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(probe_dlopen PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
set_target_properties(probe probe_dlopen PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})

# Ends or forks at a bad moment.
add_executable(probe_end process/probe_end.cpp support/tsan_suppressions.cpp)
target_include_directories(probe_end PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(probe_end PRIVATE libsgemm::sgemm ${CMAKE_DL_LIBS} Threads::Threads)
set_target_properties(probe_end PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})

libsgemm_add_test(process/test_process SOURCES process/test_environment.cpp process/test_process_end.cpp)
add_dependencies(test_process probe probe_dlopen probe_end libsgemm_blas)
target_compile_definitions(test_process PRIVATE
  PROBE="$<TARGET_FILE:probe>" PROBE_DLOPEN="$<TARGET_FILE:probe_dlopen>" PROBE_END="$<TARGET_FILE:probe_end>"
  MOCK_FOLDER="${CMAKE_CURRENT_BINARY_DIR}/plugins"
  LIBSGEMM_FILE="$<TARGET_FILE:libsgemm>" LIBSGEMM_BLAS_FILE="$<TARGET_FILE:libsgemm_blas>")
find_library(LIBSGEMM_OPENBLAS NAMES libopenblas.so.0 PATH_SUFFIXES openblas-pthread)
if(LIBSGEMM_OPENBLAS)
  add_library(slow_blas MODULE process/slow_blas.c)
  set_target_properties(slow_blas PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(slow_blas PRIVATE -Wl,--no-as-needed ${LIBSGEMM_OPENBLAS})
  add_dependencies(test_process slow_blas)
  target_compile_definitions(test_process PRIVATE SLOW_BLAS="$<TARGET_FILE:slow_blas>")
else()
  message(STATUS "libsgemm: no libopenblas.so.0, so the test of a process that ends while it is loaded is left out")
endif()
# Without fork, which ThreadSanitizer cannot follow.
set_target_properties(test_process PROPERTIES EXCLUDE_FROM_ALL OFF)
add_dependencies(thread_tests test_process)
add_test(NAME test_first_use COMMAND test_process "sixteen threads*")
set_tests_properties(test_first_use PROPERTIES LABELS "cpu;threads" TIMEOUT 600)

# Changes to files, locale and variables that the library uses.
add_executable(probe_rough process/probe_rough.cpp support/tsan_suppressions.cpp)
target_link_libraries(probe_rough PRIVATE libsgemm::sgemm libsgemm::sgemm_blas Threads::Threads)
set_target_properties(probe_rough PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
libsgemm_add_test(process/test_rough)
target_link_libraries(test_rough PRIVATE libsgemm_support)
add_dependencies(test_rough probe_rough)
target_compile_definitions(test_rough PRIVATE PROBE="$<TARGET_FILE:probe_rough>")
if(LIBSGEMM_OPENBLAS AND TARGET libsgemm_openblas)
  add_dependencies(test_rough slow_blas libsgemm_openblas)
  target_compile_definitions(test_rough PRIVATE SLOW_BLAS="$<TARGET_FILE:slow_blas>")
endif()

libsgemm_add_test(process/test_no_memory SOURCES process/entries.cpp process/failing_memory.cpp)
target_link_libraries(test_no_memory PRIVATE libsgemm_blas)
