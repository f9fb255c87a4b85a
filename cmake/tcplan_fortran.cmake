# Finds a Fortran compiler, for the tests of the module and the examples. Sets tcplan_has_fortran.
#
#   TCPLAN_FORTRAN   AUTO: use it if there is one; ON: fail if there is none; OFF: do not use it

set(tcplan_has_fortran FALSE)
if(NOT TCPLAN_FORTRAN STREQUAL OFF)
    include(CheckLanguage)
    check_language(Fortran)
    if(CMAKE_Fortran_COMPILER)
        enable_language(Fortran)
        set(tcplan_has_fortran TRUE)
    elseif(TCPLAN_FORTRAN STREQUAL ON)
        message(FATAL_ERROR "TCPLAN_FORTRAN is ON, but there is no compiler for Fortran (Debian: gfortran)")
    endif()
endif()
# gfortran cannot link objects that clang has instrumented.
if(tcplan_instrumentation AND NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
    set(tcplan_has_fortran FALSE)
endif()

# tcplan_fortran_program(NAME file.f90...): builds a program with the Fortran module, with all warnings.
function(tcplan_fortran_program name)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE tcplan_fortran)
    target_link_options(${name} PRIVATE ${tcplan_instrumentation})
    target_compile_options(${name} PRIVATE $<$<Fortran_COMPILER_ID:GNU>:-std=f2018 -Wall -Wextra $<$<BOOL:${TCPLAN_WERROR}>:-Werror>>)
    set_target_properties(${name} PROPERTIES Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${name}.mod")
endfunction()
