# make install: headers, library, command, man pages, tcplanConfig.cmake, tcplan.pc. The components are the packages of tcplan_cpack.cmake:
#
#   library       libtcplan                                        development   headers, tcplan.pc, tcplanConfig.cmake, the Fortran module, man3
#   tapp          libtcplan-tapp                                   unstable      the headers of the second tier
#   tools         the command, its data, man1, completion          python        the package for Python

include(CMakePackageConfigHelpers)

set(tcplan_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tcplan")
set(tcplan_pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
get_property(tcplan_requires GLOBAL PROPERTY tcplan_packages)
list(REMOVE_DUPLICATES tcplan_requires)

# The Fortran module is a source file, because compilers do not read each other's .mod files: targets that link with it compile it.
add_library(tcplan_fortran INTERFACE)
add_library(tcplan::fortran ALIAS tcplan_fortran)
set_target_properties(tcplan_fortran PROPERTIES EXPORT_NAME fortran)
target_link_libraries(tcplan_fortran INTERFACE tcplan)
target_sources(tcplan_fortran INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/bindings/fortran/tcplan.f90>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tcplan/tcplan.f90>")

install(TARGETS tcplan tcplan_fortran EXPORT tcplanTargets LIBRARY COMPONENT library NAMELINK_COMPONENT development ARCHIVE COMPONENT development)
install(TARGETS tcplan_tapp EXPORT tcplanTargets LIBRARY COMPONENT tapp NAMELINK_COMPONENT development ARCHIVE COMPONENT development)
install(EXPORT tcplanTargets NAMESPACE tcplan:: DESTINATION "${tcplan_cmake_dir}" COMPONENT development)
install(TARGETS tcplan_unstable EXPORT tcplanUnstableTargets)
install(EXPORT tcplanUnstableTargets NAMESPACE tcplan:: DESTINATION "${tcplan_cmake_dir}" COMPONENT unstable)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tcplan" "${PROJECT_BINARY_DIR}/include/tcplan"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/bindings/tapp/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tcplan-tapp" COMPONENT development FILES_MATCHING PATTERN "*.h")
if(tcplan_has_mpi)
    install(FILES "${PROJECT_SOURCE_DIR}/bindings/mpi/include/tcplan/mpi.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tcplan" COMPONENT development)
    install(TARGETS tcplan_mpi_sample RUNTIME COMPONENT development)
    install(TARGETS tcplan_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
endif()
install(FILES "${PROJECT_SOURCE_DIR}/bindings/fortran/tcplan.f90" "${PROJECT_SOURCE_DIR}/bindings/fortran/tcplan_blocksparse.f90"
    "${PROJECT_SOURCE_DIR}/bindings/fortran/tcplan_interfaces.inc" "${PROJECT_SOURCE_DIR}/bindings/fortran/tcplan_procedures.inc" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tcplan" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/unstable/tcplan" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tcplan-unstable" COMPONENT unstable
    FILES_MATCHING PATTERN "*.h")

if(TARGET tcplan_cli)
    install(TARGETS tcplan_cli RUNTIME COMPONENT tools)
endif()

# The libraries of contractions that `tcplan batch` finds by name, and the schemas of XML (for editors) and JSON (for programs).
install(DIRECTORY "${PROJECT_SOURCE_DIR}/contractions/libraries" "${PROJECT_SOURCE_DIR}/contractions/schemas"
    "${PROJECT_SOURCE_DIR}/docs/schema"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/tcplan" COMPONENT tools)

# The command prints the man pages and completion from its tables.
set(tcplan_printed "")
if(TARGET tcplan_cli AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    function(tcplan_prints file destination)
        add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/${file}" DEPENDS tcplan_cli VERBATIM
            COMMAND "${CMAKE_COMMAND}" -E env ${tcplan_loader} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:tcplan_cli> ${ARGN} -o "${PROJECT_BINARY_DIR}/${file}")
        install(FILES "${PROJECT_BINARY_DIR}/${file}" DESTINATION "${destination}" COMPONENT tools)
        set(tcplan_printed ${tcplan_printed} "${PROJECT_BINARY_DIR}/${file}" PARENT_SCOPE)
    endfunction()
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/completion/bash" "${PROJECT_BINARY_DIR}/completion/zsh" "${PROJECT_BINARY_DIR}/completion/fish")
    tcplan_prints(tcplan.1 "${CMAKE_INSTALL_MANDIR}/man1" help --man)
    foreach(command IN LISTS tcplan_commands)
        tcplan_prints("tcplan-${command}.1" "${CMAKE_INSTALL_MANDIR}/man1" help "${command}" --man)
    endforeach()
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/schema")
    file(READ "${PROJECT_SOURCE_DIR}/cli/render/view.h" tcplan_views)
    string(REGEX MATCHALL "ENTRY\\(\"[a-z-]+\"" tcplan_views "${tcplan_views}")
    foreach(view IN LISTS tcplan_views)
        string(REGEX REPLACE "[^a-z-]" "" view "${view}")
        tcplan_prints("schema/${view}.json" "${CMAKE_INSTALL_DATADIR}/tcplan/schema" help "${view}" --schema)
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/render/view.h")
    tcplan_prints(completion/bash/tcplan "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" completion bash)
    tcplan_prints(completion/zsh/_tcplan "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" completion zsh)
    tcplan_prints(completion/fish/tcplan.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" completion fish)
endif()

# Makes the pages of section 3 from the headers: one page for each header, and for each function one that refers to it.
find_program(TCPLAN_AWK NAMES awk gawk mawk)
mark_as_advanced(TCPLAN_AWK)
if(TCPLAN_AWK)
    file(GLOB tcplan_header_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/tcplan/*.h")
    set(tcplan_man_script "${PROJECT_SOURCE_DIR}/docs/reference/man_pages.awk")
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/man3")
    add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/man3/tcplan_plan.3" DEPENDS "${tcplan_man_script}" ${tcplan_header_files} VERBATIM
        COMMAND "${TCPLAN_AWK}" -v "folder=${PROJECT_BINARY_DIR}/man3" -v "version=${PROJECT_VERSION}" -f "${tcplan_man_script}" ${tcplan_header_files})
    install(DIRECTORY "${PROJECT_BINARY_DIR}/man3" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT development FILES_MATCHING PATTERN "*.3")
    list(APPEND tcplan_printed "${PROJECT_BINARY_DIR}/man3/tcplan_plan.3")
else()
    message(STATUS "No man pages of functions: there is no awk")
endif()
add_custom_target(tcplan_manual ALL DEPENDS ${tcplan_printed})

# Makes the reference of the first tier as HTML, if Doxygen is installed: `cmake --build . --target reference`.
find_program(TCPLAN_DOXYGEN NAMES doxygen)
mark_as_advanced(TCPLAN_DOXYGEN)
if(TCPLAN_DOXYGEN)
    add_custom_target(reference VERBATIM
        COMMAND sh "${PROJECT_SOURCE_DIR}/docs/reference/doxygen.sh" "${TCPLAN_DOXYGEN}" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/reference" "${PROJECT_VERSION}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tcplanConfig.cmake.in" "${PROJECT_BINARY_DIR}/tcplanConfig.cmake"
    INSTALL_DESTINATION "${tcplan_cmake_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tcplanConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tcplanConfig.cmake" "${PROJECT_BINARY_DIR}/tcplanConfigVersion.cmake"
    DESTINATION "${tcplan_cmake_dir}" COMPONENT development)

# Users of a static libtcplan link its dependencies, but not the dependencies of these, which pkg-config --static would add. Users of a shared libtcplan need no
# development packages of its dependencies, which pkg-config would require even for Requires.private. So the libraries are listed here.
list(JOIN tcplan_requires " " tcplan_pc_requires)
set(tcplan_pc_private "")
list(TRANSFORM tcplan_blas_libraries PREPEND "-l" REGEX "^[^-/]" OUTPUT_VARIABLE tcplan_pc_blas)
list(JOIN tcplan_pc_blas " " tcplan_pc_blas)
set(tcplan_pc_libs "-ltcplan ${tcplan_pc_blas} -lm -pthread ${OpenMP_C_FLAGS}")
if(BUILD_SHARED_LIBS)
    set(tcplan_pc_private .private)
    set(tcplan_pc_libs -ltcplan)
    set(tcplan_pc_requires "")
endif()
file(RELATIVE_PATH tcplan_pc_to_prefix "/${tcplan_pkgconfig_dir}" "/")
string(REGEX REPLACE "/$" "" tcplan_pc_to_prefix "${tcplan_pc_to_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tcplan.pc.in" "${PROJECT_BINARY_DIR}/tcplan.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/tcplan-unstable.pc.in" "${PROJECT_BINARY_DIR}/tcplan-unstable.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/tcplan-tapp.pc.in" "${PROJECT_BINARY_DIR}/tcplan-tapp.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tcplan.pc" "${PROJECT_BINARY_DIR}/tcplan-tapp.pc" DESTINATION "${tcplan_pkgconfig_dir}" COMPONENT development)
install(FILES "${PROJECT_BINARY_DIR}/tcplan-unstable.pc" DESTINATION "${tcplan_pkgconfig_dir}" COMPONENT unstable)
