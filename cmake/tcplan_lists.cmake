# The lists in public headers from which C makes numbers and tables, as lists of source files: each
# member has a file of its name in ast, gen and microbench.
#
#   tcplan_kernel_files      kernels/NAME.c: a class of kernels
#   tcplan_provider_files    providers/NAME.c: a library

# Sets `out` to the files FOLDER/NAME.c of a header's lines WORD(NUMBER, NAME).
function(tcplan_listed out folder header word)
    set(file "${PROJECT_SOURCE_DIR}/include/unstable/tcplan/${header}")
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(REGEX MATCHALL "\n    ${word}\\([A-Z0-9_]+, [a-z0-9_]+\\)" files "${text}")
    list(TRANSFORM files REPLACE "^.*, ([a-z0-9_]+)\\)$" "${folder}/\\1.c")
    if(NOT files)
        message(FATAL_ERROR "${header} has no lines ${word}(NUMBER, NAME)")
    endif()
    set(${out} "${files}" PARENT_SCOPE)
endfunction()

tcplan_listed(tcplan_kernel_files kernels algorithm.h KERNEL)
tcplan_listed(tcplan_provider_files providers provider.h PROVIDER)
