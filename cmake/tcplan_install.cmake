# make install: headers, library, command, man page, tcplanConfig.cmake, tcplan.pc.

include(CMakePackageConfigHelpers)

set(tcplan_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tcplan")
set(tcplan_pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
get_property(tcplan_requires GLOBAL PROPERTY tcplan_packages)
list(REMOVE_DUPLICATES tcplan_requires)

install(TARGETS tcplan tcplan_unstable EXPORT tcplanTargets)
install(EXPORT tcplanTargets NAMESPACE tcplan:: DESTINATION "${tcplan_cmake_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tcplan" "${PROJECT_BINARY_DIR}/include/tcplan"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/unstable/tcplan" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tcplan-unstable" FILES_MATCHING PATTERN "*.h")

# The command finds the library it was installed with wherever the prefix is moved to.
if(TARGET tcplan_cli)
    file(RELATIVE_PATH tcplan_bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(tcplan_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${tcplan_bin_to_lib}")
    install(TARGETS tcplan_cli)
endif()

# What `tcplan batch` finds by name, and the schemas: of XML for editors, of JSON for programs.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/contractions/libraries" "${PROJECT_SOURCE_DIR}/contractions/schemas"
    "${PROJECT_SOURCE_DIR}/docs/schema"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/tcplan")

# The man page and completion are printed by the command itself, from its tables.
if(TARGET tcplan_cli AND NOT CMAKE_CROSSCOMPILING)
    set(tcplan_printed "")
    function(tcplan_prints file destination)
        add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/${file}" DEPENDS tcplan_cli VERBATIM
            COMMAND tcplan_cli ${ARGN} -o "${PROJECT_BINARY_DIR}/${file}")
        install(FILES "${PROJECT_BINARY_DIR}/${file}" DESTINATION "${destination}")
        set(tcplan_printed ${tcplan_printed} "${PROJECT_BINARY_DIR}/${file}" PARENT_SCOPE)
    endfunction()
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/completion/bash" "${PROJECT_BINARY_DIR}/completion/zsh" "${PROJECT_BINARY_DIR}/completion/fish")
    tcplan_prints(tcplan.1 "${CMAKE_INSTALL_MANDIR}/man1" help --man)
    tcplan_prints(completion/bash/tcplan "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" completion bash)
    tcplan_prints(completion/zsh/_tcplan "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" completion zsh)
    tcplan_prints(completion/fish/tcplan.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" completion fish)
    add_custom_target(tcplan_manual ALL DEPENDS ${tcplan_printed})
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
configure_file("${PROJECT_SOURCE_DIR}/cmake/tcplan-unstable.pc.in" "${PROJECT_BINARY_DIR}/tcplan-unstable.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tcplan.pc" "${PROJECT_BINARY_DIR}/tcplan-unstable.pc" DESTINATION "${tcplan_pkgconfig_dir}")
