# The cuBLAS and rocBLAS drop-ins on mock GPUs. The client, linked with a mock of the vendor's BLAS, is a program, or a
# library that another program opens.
add_executable(gpu_blas_loader gpu_blas/gpu_blas_loader.c)
target_link_libraries(gpu_blas_loader PRIVATE ${CMAKE_DL_LIBS})
function(libsgemm_test_gpu_blas name vendor gpu library driver)
  set(stack ${CMAKE_CURRENT_BINARY_DIR}/plugins/${vendor}_stack)
  add_library(${name}_client_code OBJECT gpu_blas/${name}_client.cpp)
  target_include_directories(${name}_client_code PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${name}_client_code PRIVATE ${plain})
  add_executable(${name}_client $<TARGET_OBJECTS:${name}_client_code>)
  add_library(${name}_module MODULE $<TARGET_OBJECTS:${name}_client_code>)
  foreach(client ${name}_client ${name}_module)
    add_dependencies(${client} mock_${vendor}_stack)
    target_link_libraries(${client} PRIVATE -L${stack} -Wl,--no-as-needed -l:${library} -l:${driver} Threads::Threads
                          ${CMAKE_DL_LIBS})
    set_target_properties(${client} PROPERTIES
      LINKER_LANGUAGE CXX LINK_DEPENDS ${stack}/${library}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endforeach()
  libsgemm_add_test(gpu_blas/test_${name} LABELS programs)
  target_link_libraries(test_${name} PRIVATE libsgemm_test_command)
  add_dependencies(test_${name} libsgemm_command libsgemm_blas libsgemm_${name} ${name}_client ${name}_module
                   gpu_blas_loader mock_${gpu} mock_${vendor}_stack)
  target_compile_definitions(test_${name} PRIVATE
    MOCK_FOLDER="${CMAKE_CURRENT_BINARY_DIR}/plugins"
    CLIENT="$<TARGET_FILE:${name}_client>" CLIENT_MODULE="$<TARGET_FILE:${name}_module>"
    GPU_BLAS_LOADER="$<TARGET_FILE:gpu_blas_loader>")
endfunction()
libsgemm_test_gpu_blas(cublas cuda gpu libcublas.so.13 libcuda.so.1)
libsgemm_test_gpu_blas(rocblas hip second_gpu librocblas.so.4 libamdhip64.so.6)
