# A folder is a module: an object library, compiled once, that joins libtcplan and the tests' static library.
#
#   tcplan_module(NAME SOURCES file.c... [PACKAGES pkg-config-name...] [LIBRARIES target...])
#   tcplan_program(MAIN main.c SOURCES file.c... [PACKAGES ...] [LIBRARIES ...])
#   tcplan_library()                     libtcplan from the modules so far, and tcplan_internal for the tests
#   tcplan_embed(OUT HEADER NAME file...)  a C file OUT in which files are texts: NAME[], declared by HEADER, NAME file pairs
#
# Packages and libraries are private to the module that names them.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenMP COMPONENTS C) # without it parallel loops run on one thread
set(tcplan_openmp_target "")
if(OpenMP_C_FOUND)
    set(tcplan_openmp_target OpenMP::OpenMP_C)
endif()

# Sets `out` to the imported targets of pkg-config packages.
function(tcplan_packages out)
    set(targets "")
    foreach(package IN LISTS ARGN)
        string(MAKE_C_IDENTIFIER "${package}" prefix)
        if(NOT TARGET PkgConfig::${prefix})
            pkg_check_modules(${prefix} REQUIRED QUIET IMPORTED_TARGET GLOBAL ${package})
        endif()
        list(APPEND targets PkgConfig::${prefix})
    endforeach()
    set(${out} "${targets}" PARENT_SCOPE)
endfunction()

# Makes files part of the program: sets `out` to a C file that defines `const char NAME[]` for each pair of a NAME and a file.
function(tcplan_embed out header)
    set(text "#include \"${header}\"\n")
    while(ARGN)
        list(POP_FRONT ARGN name file)
        get_filename_component(file "${file}" ABSOLUTE)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
        file(READ "${file}" bytes HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(REGEX REPLACE "(................................................................................)" "\\1\n    " bytes "${bytes}")
        string(APPEND text "\nconst char ${name}[] = {\n    ${bytes}0};\n")
    endwhile()
    string(MAKE_C_IDENTIFIER "${header}" file)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${file}.c")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
    set(${out} "${file}" PARENT_SCOPE)
endfunction()

# Settings shared by every compiled target.
function(tcplan_target_defaults target)
    set_target_properties(${target} PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endfunction()

function(tcplan_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PACKAGES;LIBRARIES")
    if(NOT arg_SOURCES)
        return()
    endif()
    tcplan_packages(packages ${arg_PACKAGES})
    add_library(tcplan_${name} OBJECT ${arg_SOURCES})
    tcplan_target_defaults(tcplan_${name})
    target_link_libraries(tcplan_${name} PRIVATE tcplan_options ${packages} ${arg_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY tcplan_objects $<TARGET_OBJECTS:tcplan_${name}>)
    set_property(GLOBAL APPEND PROPERTY tcplan_packages ${arg_PACKAGES})
    set_property(GLOBAL APPEND PROPERTY tcplan_libraries ${packages} ${arg_LIBRARIES})
endfunction()

# The version script of the shared library. Symbols of the first tier's headers have a symbol version that stays. All other exported symbols have the version of
# this release, so that the loader rejects a program that was built with another release.
function(tcplan_version_script out)
    set(names "")
    file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/tcplan/*.h")
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
    foreach(header IN LISTS headers)
        file(STRINGS "${header}" lines REGEX "^TCPLAN_API ")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^.*[ *](tcplan_[a-z0-9_]+)\\(.*$" "\\1" name "${line}")
            string(APPEND names "        ${name};\n")
        endforeach()
    endforeach()
    set(text "TCPLAN_${tcplan_soversion} {\n    global:\n${names}    local:\n        *;\n};\n\n")
    string(APPEND text "TCPLAN_UNSTABLE_${PROJECT_VERSION} {\n    global:\n        tcplan_*;\n};\n")
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/tcplan.map" CONTENT "${text}" @ONLY)
    set(${out} "${PROJECT_BINARY_DIR}/tcplan.map" PARENT_SCOPE)
endfunction()

# Links all objects into one, `out`, whose only global symbols are the exported ones, so that a static library adds only names that begin with tcplan_ to a program.
# Without objcopy, the objects are used as they are.
function(tcplan_single_object out)
    if(NOT CMAKE_OBJCOPY)
        set(${out} "${ARGN}" PARENT_SCOPE)
        return()
    endif()
    set(object "${PROJECT_BINARY_DIR}/tcplan_single.o")
    add_custom_command(OUTPUT "${object}" DEPENDS ${ARGN} COMMAND_EXPAND_LISTS VERBATIM
        COMMAND "${CMAKE_LINKER}" -r -o "${object}" ${ARGN}
        COMMAND "${CMAKE_OBJCOPY}" --localize-hidden "${object}")
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    set(${out} "${object}" PARENT_SCOPE)
endfunction()

# Folders of libraries that the loader does not search by itself: those outside /usr/lib, and those of a BLAS that was named.
function(tcplan_library_folders out)
    get_property(packages GLOBAL PROPERTY tcplan_packages)
    set(folders "")
    foreach(package IN LISTS packages)
        string(MAKE_C_IDENTIFIER "${package}" prefix)
        list(APPEND folders ${${prefix}_LIBRARY_DIRS})
    endforeach()
    list(FILTER folders EXCLUDE REGEX "^/usr/lib")
    foreach(library IN LISTS tcplan_blas_libraries)
        get_filename_component(folder "${library}" DIRECTORY)
        list(APPEND folders ${folder})
    endforeach()
    list(REMOVE_ITEM folders ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
    if(CMAKE_CROSSCOMPILING) # the folders on this machine do not apply to another one
        set(folders "")
    endif()
    set(${out} ${folders} PARENT_SCOPE)
endfunction()

# Settings of targets that are installed. CMake can link a program with the run path of the build tree and change
# that path during installation, but it pads the first path with a colon. The loader reads the empty entry behind
# the colon as the current folder. So these targets are linked once, with the run path of the installed file, and
# the build tree has the folders of the prefix. In /usr the loader finds libtcplan by itself; in the build tree
# `tcplan_loader` gives it the path.
file(RELATIVE_PATH tcplan_bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set(tcplan_loader "")
if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
    set(tcplan_loader "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
endif()
function(tcplan_installed target)
    tcplan_library_folders(run_path)
    list(APPEND run_path ${CMAKE_INSTALL_RPATH})
    if(NOT CMAKE_INSTALL_PREFIX STREQUAL /usr)
        list(PREPEND run_path ${ARGN}) # finds libtcplan even if the prefix was moved
    endif()
    list(REMOVE_DUPLICATES run_path)
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${run_path}"
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_BINDIR}"
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
endfunction()

function(tcplan_library)
    get_property(objects GLOBAL PROPERTY tcplan_objects)
    get_property(libraries GLOBAL PROPERTY tcplan_libraries)

    tcplan_single_object(single ${objects})
    if(BUILD_SHARED_LIBS)
        add_library(tcplan SHARED ${objects})
        tcplan_version_script(script)
        set_target_properties(tcplan PROPERTIES LINK_DEPENDS "${script}")
        target_link_options(tcplan PRIVATE "LINKER:--version-script,${script}" LINKER:-Bsymbolic-functions) # the library calls its own functions directly
        target_link_options(tcplan PRIVATE LINKER:--wrap=putenv) # microbench/providers/libxsmm.c explains why
    else()
        add_library(tcplan STATIC ${single})
    endif()
    add_library(tcplan::tcplan ALIAS tcplan)
    tcplan_installed(tcplan)
    set_target_properties(tcplan PROPERTIES LINKER_LANGUAGE C VERSION ${PROJECT_VERSION} SOVERSION ${tcplan_soversion})
    target_link_libraries(tcplan PRIVATE $<BUILD_INTERFACE:tcplan_options> ${libraries})
    if(BUILD_SHARED_LIBS AND NOT TCPLAN_SANITIZE) # the program provides the sanitizers' run time
        target_link_options(tcplan PRIVATE LINKER:--no-undefined)
    endif()
    if(BUILD_SHARED_LIBS)
        target_link_options(tcplan PRIVATE LINKER:--exclude-libs,ALL) # does not export symbols of static libraries
    endif()
    target_include_directories(tcplan INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

    # The second tier: the library with the headers that may change with any version.
    add_library(tcplan_unstable INTERFACE)
    add_library(tcplan::unstable ALIAS tcplan_unstable)
    set_target_properties(tcplan_unstable PROPERTIES EXPORT_NAME unstable)
    target_link_libraries(tcplan_unstable INTERFACE tcplan)
    target_include_directories(tcplan_unstable INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/unstable>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tcplan-unstable>")

    # A static libtcplan, for the test that its symbols are the exported ones.
    if(BUILD_SHARED_LIBS)
        add_library(tcplan_archive STATIC EXCLUDE_FROM_ALL ${single})
        set_target_properties(tcplan_archive PROPERTIES LINKER_LANGUAGE C)
        target_link_libraries(tcplan_archive PRIVATE $<BUILD_INTERFACE:tcplan_options> ${libraries})
    else()
        add_library(tcplan_archive ALIAS tcplan)
    endif()

    # The objects with all their symbols visible, for the tests.
    add_library(tcplan_internal STATIC EXCLUDE_FROM_ALL ${objects})
    set_target_properties(tcplan_internal PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(tcplan_internal PRIVATE ${libraries} PUBLIC tcplan_options)
    target_link_options(tcplan_internal INTERFACE LINKER:--wrap=putenv)
endfunction()

# The command is linked with libtcplan. It also contains base/, because the library does not export those functions.
function(tcplan_program)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "MAIN" "SOURCES;PACKAGES;LIBRARIES")
    if(NOT arg_MAIN)
        return()
    endif()
    tcplan_packages(packages ${arg_PACKAGES})
    if(arg_SOURCES) # separate from main.c, so that the tests can link them
        add_library(tcplan_cli_objects OBJECT ${arg_SOURCES})
        tcplan_target_defaults(tcplan_cli_objects)
        target_link_libraries(tcplan_cli_objects PRIVATE tcplan_options ${packages} ${arg_LIBRARIES})
    endif()
    add_executable(tcplan_cli ${arg_MAIN} $<TARGET_OBJECTS:tcplan_base>)
    tcplan_target_defaults(tcplan_cli)
    set_target_properties(tcplan_cli PROPERTIES OUTPUT_NAME tcplan)
    tcplan_installed(tcplan_cli "$ORIGIN/${tcplan_bin_to_lib}")
    target_link_libraries(tcplan_cli PRIVATE tcplan_options tcplan)
    if(arg_SOURCES)
        target_link_libraries(tcplan_cli PRIVATE tcplan_cli_objects)
    endif()
endfunction()
