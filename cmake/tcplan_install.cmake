# make install: headers, library, command, man page, tcplanConfig.cmake, tcplan.pc.

include(CMakePackageConfigHelpers)

set(tcplan_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tcplan")
set(tcplan_pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
get_property(tcplan_requires GLOBAL PROPERTY tcplan_packages)
list(REMOVE_DUPLICATES tcplan_requires)

install(TARGETS tcplan EXPORT tcplanTargets)
install(EXPORT tcplanTargets NAMESPACE tcplan:: DESTINATION "${tcplan_cmake_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tcplan" "${PROJECT_BINARY_DIR}/include/tcplan"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")

# The command finds the library it was installed with wherever the prefix is moved to.
if(TARGET tcplan_cli)
    file(RELATIVE_PATH tcplan_bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(tcplan_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${tcplan_bin_to_lib}")
    install(TARGETS tcplan_cli)
endif()

# What `tcplan batch` finds by name, and the schemas for editors.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/contractions/libraries" "${PROJECT_SOURCE_DIR}/contractions/schemas"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/tcplan")

if(EXISTS "${PROJECT_SOURCE_DIR}/docs/tcplan.1")
    install(FILES "${PROJECT_SOURCE_DIR}/docs/tcplan.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tcplanConfig.cmake.in" "${PROJECT_BINARY_DIR}/tcplanConfig.cmake"
    INSTALL_DESTINATION "${tcplan_cmake_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tcplanConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tcplanConfig.cmake" "${PROJECT_BINARY_DIR}/tcplanConfigVersion.cmake"
    DESTINATION "${tcplan_cmake_dir}")

# A static library's users link what it needs; but not what that needs in turn, as pkg-config --static would have them.
list(JOIN tcplan_requires " " tcplan_pc_requires)
set(tcplan_pc_private "")
set(tcplan_pc_libs "-ltcplan -lm -pthread ${OpenMP_C_FLAGS}")
if(BUILD_SHARED_LIBS)
    set(tcplan_pc_private .private)
    set(tcplan_pc_libs -ltcplan)
endif()
file(RELATIVE_PATH tcplan_pc_to_prefix "/${tcplan_pkgconfig_dir}" "/")
string(REGEX REPLACE "/$" "" tcplan_pc_to_prefix "${tcplan_pc_to_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tcplan.pc.in" "${PROJECT_BINARY_DIR}/tcplan.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tcplan.pc" DESTINATION "${tcplan_pkgconfig_dir}")
