# `cmake --preset package && cmake --build --preset package --parallel` makes a .tar.gz and Debian packages in
# build/package, one per component; install rules without one belong to the command.
if(NOT CPACK_GENERATOR)
  set(CPACK_GENERATOR TGZ)
endif()
set(CPACK_PACKAGE_VENDOR "libsgemm")
set(CPACK_PACKAGE_CONTACT "the libsgemm authors <libsgemm@localhost>")
set(CPACK_PACKAGE_FILE_NAME "libsgemm-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Dependencies of the files, and of programs linked with libsgemm0.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

# libsgemm_package(<component> <package> <section> <description> [DEPENDS ...] [RECOMMENDS ...] [SUGGESTS ...])
set(CPACK_COMPONENTS_ALL)
function(libsgemm_package component package section description)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "DEPENDS;RECOMMENDS;SUGGESTS" "")
  string(TOUPPER ${component} upper)
  set(prefix CPACK_DEBIAN_${upper}_PACKAGE)
  set(${prefix}_NAME ${package} PARENT_SCOPE)
  set(${prefix}_SECTION ${section} PARENT_SCOPE)
  set(${prefix}_DEPENDS "${arg_DEPENDS}" PARENT_SCOPE)
  set(${prefix}_RECOMMENDS "${arg_RECOMMENDS}" PARENT_SCOPE)
  set(${prefix}_SUGGESTS "${arg_SUGGESTS}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(core "libsgemm0 (= ${PROJECT_VERSION})")
libsgemm_package(core libsgemm0 libs
  "The library, the drop-in for programs that call any BLAS, and the backend of the machine's BLAS."
  RECOMMENDS "libopenblas0 | libblas3" SUGGESTS "libsgemm-bin, libsgemm-cuda, libsgemm-hip")
libsgemm_package(dev libsgemm-dev libdevel "The header, and what pkg-config and CMake need." DEPENDS "${core}")
if(TARGET libsgemm_command)
  libsgemm_package(bin libsgemm-bin math
    "The command, which shows what is there, measures, multiplies files and runs programs with the drop-in." DEPENDS "${core}")
endif()
if(TARGET libsgemm_cuda)
  libsgemm_package(cuda libsgemm-cuda libs
    "The backend for NVIDIA GPUs from Turing on, and the drop-in for programs on cuBLAS. It needs their driver and nothing else." DEPENDS "${core}" RECOMMENDS "libcuda1")
endif()
if(TARGET libsgemm_hip)
  libsgemm_package(hip libsgemm-hip libs "The backend for AMD GPUs, and the drop-in for programs on rocBLAS." DEPENDS "${core}")
endif()
include(CPack)
