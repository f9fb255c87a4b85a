# Tests, one line each in tests/CMakeLists.txt:
#
#   tcplan_test(FOLDER/FILE [SOURCES extra.c...] [LABELS label...] [TIMEOUT seconds] [COST seconds] [SERIAL])
#       tests/FOLDER/test_FILE.c, a cmocka program against the library's internals; called FOLDER.FILE in ctest
#   tcplan_fuzz(NAME)
#       tests/fuzz/fuzz_NAME.c with its corpus tests/fuzz/corpus/NAME: replayed, or run by libFuzzer in the fuzz preset
#   tcplan_script_test(NAME script arguments... [LABELS label...] [TIMEOUT seconds] [COST seconds] [SMALL_CACHES])
#       a shell script below tests/; exit status 77 means skipped
#
# COST and SMALL_CACHES: tcplan_test_properties.cmake.
#
# A cmocka program finds these macros: TCPLAN_TESTS_DIR (tests/ in the source tree), TCPLAN_CC (the C compiler, for emitted code) and
# TCPLAN_COMMAND (the built tcplan).

include(tcplan_test_properties)
tcplan_packages(tcplan_cmocka cmocka)

# Targets for parts of the tests.
add_custom_target(fuzz)    # all fuzz targets
add_custom_target(threads) # all tests with the label threads
add_custom_target(memory)  # all tests with the label memory

# Sets `out` to the label memory if the memory sanitizer can check a test. Libraries are not instrumented, so memory that they write counts as uninitialised;
# folders whose tests read such memory are excluded. tests/CMakeLists.txt lists the exceptions: tcplan_through_libraries.
function(tcplan_memory_label out folder file target)
    set(${out} "" PARENT_SCOPE)
    if(folder MATCHES "^(base|ast|cachesim|models|fuzz)$" AND NOT "${folder}/${file}" IN_LIST tcplan_through_libraries)
        add_dependencies(memory ${target})
        set(${out} memory PARENT_SCOPE)
    endif()
endfunction()

function(tcplan_test path)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT;COST" "SOURCES;LABELS")
    get_filename_component(folder "${path}" DIRECTORY)
    get_filename_component(file "${path}" NAME)
    set(target test_${folder}_${file})
    add_executable(${target} ${folder}/test_${file}.c ${arg_SOURCES})
    tcplan_target_defaults(${target})
    target_link_libraries(${target} PRIVATE tcplan_internal ${tcplan_cmocka} m)
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_compile_definitions(${target} PRIVATE "TCPLAN_TESTS_DIR=\"${CMAKE_CURRENT_SOURCE_DIR}\"" "TCPLAN_CC=\"${CMAKE_C_COMPILER}\"")
    if(TARGET tcplan_cli)
        target_compile_definitions(${target} PRIVATE "TCPLAN_COMMAND=\"$<TARGET_FILE:tcplan_cli>\"")
        add_dependencies(${target} tcplan_cli)
    endif()
    if(folder STREQUAL tapp)
        target_link_libraries(${target} PRIVATE tcplan_tapp_objects)
    endif()
    if(folder STREQUAL cli AND TARGET tcplan_cli_objects)
        target_link_libraries(${target} PRIVATE tcplan_cli_objects)
    endif()
    add_test(NAME ${folder}.${file} COMMAND ${target})
    if("threads" IN_LIST arg_LABELS)
        add_dependencies(threads ${target})
    endif()
    set(serial "")
    if(arg_SERIAL)
        set(serial SERIAL)
    endif()
    tcplan_memory_label(memory ${folder} ${file} ${target})
    tcplan_test_properties(${folder}.${file} ${serial} TIMEOUT "${arg_TIMEOUT}" COST "${arg_COST}" LABELS ${folder} ${memory} ${arg_LABELS})
endfunction()

function(tcplan_fuzz name)
    add_executable(fuzz_${name} fuzz/fuzz_${name}.c)
    add_dependencies(fuzz fuzz_${name})
    tcplan_target_defaults(fuzz_${name})
    target_link_libraries(fuzz_${name} PRIVATE tcplan_internal)
    set(corpus "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name}")
    if(TCPLAN_FUZZ)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        # New inputs go to the build tree; the source tree's corpus is only read.
        file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/corpus/${name}")
        add_test(NAME fuzz.${name} COMMAND fuzz_${name} -max_total_time=60 "${CMAKE_CURRENT_BINARY_DIR}/corpus/${name}" "${corpus}")
    else()
        target_sources(fuzz_${name} PRIVATE fuzz/replay.c)
        add_test(NAME fuzz.${name} COMMAND fuzz_${name} "${corpus}")
    endif()
    tcplan_memory_label(memory fuzz ${name} fuzz_${name})
    tcplan_test_properties(fuzz.${name} LABELS fuzz ${memory})
endfunction()

function(tcplan_script_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SMALL_CACHES" "TIMEOUT;COST" "LABELS;CONFIGURATIONS")
    list(POP_FRONT arg_UNPARSED_ARGUMENTS script)
    add_test(NAME ${name} COMMAND sh "${CMAKE_CURRENT_SOURCE_DIR}/${script}" ${arg_UNPARSED_ARGUMENTS} CONFIGURATIONS ${arg_CONFIGURATIONS})
    set(small_caches "")
    if(arg_SMALL_CACHES)
        set(small_caches SMALL_CACHES)
    endif()
    tcplan_test_properties(${name} ${small_caches} TIMEOUT "${arg_TIMEOUT}" COST "${arg_COST}" LABELS ${arg_LABELS})
endfunction()
