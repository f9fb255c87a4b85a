# Makes a Debian package for each component: `cmake --preset package && cmake --build --preset package --target package` (docs/packages.md).

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tcplan)
set(CPACK_PACKAGE_VENDOR "The tcplan authors")
set(CPACK_PACKAGE_CONTACT "The tcplan authors <tcplan@packages.invalid>" CACHE STRING "Who maintains the packages that cpack makes: NAME <ADDRESS>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake") # cpack's default; cpack would prefix any other text to the packages' descriptions
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/tcplan_compress_pages.cmake")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0tcplan1) # below 1, because releases from 1 on are Debian's
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF) # set to ON for packages with programs or libraries
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

# tcplan_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [ARCH all] [LIBRARIES] [DEPENDS "a, b"] [RECOMMENDS "a, b"] [SUGGESTS "a, b"])
set(CPACK_COMPONENTS_ALL "")
function(tcplan_package component name section summary description)
    get_cmake_property(known COMPONENTS)
    if(NOT component IN_LIST known)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 5 arg "LIBRARIES" "ARCH;DEPENDS;RECOMMENDS;SUGGESTS" "")
    string(TOUPPER "${component}" upper)
    set(set_of "CPACK_DEBIAN_${upper}")
    set(${set_of}_PACKAGE_NAME "${name}" PARENT_SCOPE)
    set(${set_of}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
    set(${set_of}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
    if(arg_LIBRARIES)
        set(${set_of}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
    endif()
    if(arg_ARCH)
        set(${set_of}_PACKAGE_ARCHITECTURE "${arg_ARCH}" PARENT_SCOPE)
    endif()
    foreach(relation IN ITEMS DEPENDS RECOMMENDS SUGGESTS)
        if(arg_${relation})
            set(${set_of}_PACKAGE_${relation} "${arg_${relation}}" PARENT_SCOPE)
        endif()
    endforeach()
    list(APPEND CPACK_COMPONENTS_ALL "${component}")
    set(CPACK_COMPONENTS_ALL "${CPACK_COMPONENTS_ALL}" PARENT_SCOPE)

    # Every package contains the licence and the changelog.
    set(doc "${CMAKE_INSTALL_DATADIR}/doc/${name}")
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${doc}" RENAME copyright COMPONENT "${component}")
    install(FILES "${PROJECT_BINARY_DIR}/packages/changelog.gz" "${PROJECT_BINARY_DIR}/packages/changelog.Debian.gz" DESTINATION "${doc}"
        COMPONENT "${component}" OPTIONAL)
endfunction()

# Suggests the packages of libraries that tcplan opens at run time, as this build found them.
set(tcplan_opened "")
find_program(TCPLAN_DPKG_QUERY NAMES dpkg-query)
mark_as_advanced(TCPLAN_DPKG_QUERY)
if(TCPLAN_DPKG_QUERY AND TCPLAN_BLIS_LIBRARY)
    get_filename_component(tcplan_blis_real "${TCPLAN_BLIS_LIBRARY}" REALPATH)
    execute_process(COMMAND "${TCPLAN_DPKG_QUERY}" -S "${tcplan_blis_real}" OUTPUT_VARIABLE tcplan_owner RESULT_VARIABLE tcplan_failed ERROR_QUIET)
    if(NOT tcplan_failed AND tcplan_owner MATCHES "^([a-z0-9.+-]+)")
        set(tcplan_opened RECOMMENDS "${CMAKE_MATCH_1}")
    endif()
endif()

set(tcplan_this "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(tcplan_library "libtcplan${tcplan_soversion}")
set(tcplan_tapp_library "libtcplan-tapp${tcplan_soversion}")
set(tcplan_what "tcplan plans tensor contractions: it finds out which of the many algorithms\nwith matrix kernels is the fastest on this machine, and executes it.")

tcplan_package(library ${tcplan_library} libs "tensor contractions, planned and executed"
    "${tcplan_what}\n.\nThis is the shared library." LIBRARIES ${tcplan_opened})
tcplan_package(tapp ${tcplan_tapp_library} libs "tensor contractions behind the interface TAPP"
    "${tcplan_what}\n.\nThis is the shared library that has the functions of TAPP, Tensor Algebra\nProcessing Primitives, for programs that are written against these."
    LIBRARIES DEPENDS "${tcplan_library} ${tcplan_this}")
tcplan_package(development libtcplan-dev libdevel "tensor contractions, planned and executed: development files"
    "${tcplan_what}\n.\nThese are the headers, the module for Fortran, manual pages of the functions\nand what pkg-config and CMake need."
    DEPENDS "${tcplan_library} ${tcplan_this}, ${tcplan_tapp_library} ${tcplan_this}" RECOMMENDS "pkg-config")
tcplan_package(unstable libtcplan-unstable-dev libdevel "tensor contractions: headers that may change with any version"
    "${tcplan_what}\n.\nThese are the headers of its second tier: enumeration, analysis, measurement.\nNothing of them is promised from one version to the next."
    DEPENDS "libtcplan-dev ${tcplan_this}")
tcplan_package(tools tcplan math "ranks the algorithms of a tensor contraction, and emits C"
    "${tcplan_what}\n.\nThis is the command." LIBRARIES DEPENDS "${tcplan_library} ${tcplan_this}" SUGGESTS "gcc, libopenblas-dev, gnuplot-nox, python3-numpy")
tcplan_package(python python3-tcplan python "tensor contractions, planned and executed: Python 3"
    "${tcplan_what}\n.\nThis is the package for Python 3 and numpy."
    ARCH all DEPENDS "python3, python3-numpy, ${tcplan_library} (>= ${PROJECT_VERSION})")

# The loader's cache is updated after libraries are installed or removed.
file(WRITE "${PROJECT_BINARY_DIR}/packages/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/packages/triggers")
set(CPACK_DEBIAN_TAPP_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/packages/triggers")
foreach(component IN ITEMS library tapp)
    if(NOT component IN_LIST CPACK_COMPONENTS_ALL) # a static library is part of the package for development
        continue()
    endif()
    string(TOUPPER "${component}" upper)
    set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    file(WRITE "${PROJECT_BINARY_DIR}/packages/${package}.overrides" "# cpack writes scripts that call ldconfig, in addition to the trigger\n${package}: maintscript-calls-ldconfig *\n")
    install(FILES "${PROJECT_BINARY_DIR}/packages/${package}.overrides" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides" RENAME "${package}"
        COMPONENT "${component}")
endforeach()

# Removing the Python package also removes its compiled modules.
file(WRITE "${PROJECT_BINARY_DIR}/packages/postinst"
    "#!/bin/sh\nset -e\nif [ \"$1\" = configure ] && command -v py3compile >/dev/null; then py3compile -p python3-tcplan; fi\n")
file(WRITE "${PROJECT_BINARY_DIR}/packages/prerm"
    "#!/bin/sh\nset -e\nif command -v py3clean >/dev/null; then py3clean -p python3-tcplan; fi\nfind /usr/lib/python3/dist-packages/tcplan -name __pycache__ -prune -exec rm -rf {} +\n")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/packages/postinst" "${PROJECT_BINARY_DIR}/packages/prerm")

get_cmake_property(tcplan_components COMPONENTS)
list(REMOVE_ITEM tcplan_components ${CPACK_COMPONENTS_ALL})
if(tcplan_components)
    message(FATAL_ERROR "In no package: what is installed as component ${tcplan_components} (cmake/tcplan_cpack.cmake)")
endif()

# Before packing, converts the files to the form that Debian requires.
find_program(TCPLAN_GZIP NAMES gzip)
mark_as_advanced(TCPLAN_GZIP)
if(TCPLAN_GZIP)
    set(tcplan_packages_dir "${PROJECT_BINARY_DIR}/packages")
    file(MAKE_DIRECTORY "${tcplan_packages_dir}")
    string(TIMESTAMP tcplan_today "%a, %d %b %Y 00:00:00 +0000" UTC)
    file(CONFIGURE OUTPUT "${tcplan_packages_dir}/changelog.Debian" @ONLY CONTENT
        "tcplan (@PROJECT_VERSION@-@CPACK_DEBIAN_PACKAGE_RELEASE@) unstable; urgency=medium\n\n  * Packages of version @PROJECT_VERSION@; changelog.gz says what changed.\n\n -- @CPACK_PACKAGE_CONTACT@  @tcplan_today@\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
    execute_process(COMMAND "${TCPLAN_GZIP}" -9nc "${PROJECT_SOURCE_DIR}/CHANGELOG.md" OUTPUT_FILE "${tcplan_packages_dir}/changelog.gz")
    execute_process(COMMAND "${TCPLAN_GZIP}" -9nc "${tcplan_packages_dir}/changelog.Debian" OUTPUT_FILE "${tcplan_packages_dir}/changelog.Debian.gz")
endif()

include(CPack)
