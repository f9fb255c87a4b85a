# The lists in headers from which C makes numbers and tables, as lists of names. Each kernel class and
# provider has a file of its name in ast, gen and microbench, each command one in cli/commands.
#
#   tcplan_kernel_files      kernels/NAME.c: a class of kernels
#   tcplan_provider_files    providers/NAME.c: a library
#   tcplan_commands          NAME

# Sets `out` to PREFIX NAME SUFFIX of a header's lines WORD(NUMBER, NAME).
function(tcplan_listed out prefix suffix header word)
    set(file "${PROJECT_SOURCE_DIR}/${header}")
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(REGEX MATCHALL "\n    ${word}\\([A-Z0-9_]+, [a-z0-9_]+" files "${text}")
    list(TRANSFORM files REPLACE "^.*, ([a-z0-9_]+)$" "${prefix}\\1${suffix}")
    if(NOT files)
        message(FATAL_ERROR "${header} has no lines ${word}(NUMBER, NAME)")
    endif()
    set(${out} "${files}" PARENT_SCOPE)
endfunction()

tcplan_listed(tcplan_kernel_files kernels/ .c include/unstable/tcplan/algorithm.h KERNEL)
tcplan_listed(tcplan_provider_files providers/ .c include/unstable/tcplan/provider.h PROVIDER)
tcplan_listed(tcplan_commands "" "" cli/commands/command_list.h ENTRY)
