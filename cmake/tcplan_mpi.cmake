# An MPI for C, for libtcplan-mpi: tcplan_has_mpi.

set(TCPLAN_MPI AUTO CACHE STRING "Build libtcplan-mpi: AUTO (where there is an MPI for C), ON or OFF")
set_property(CACHE TCPLAN_MPI PROPERTY STRINGS AUTO ON OFF)
set(tcplan_has_mpi FALSE)
if(TCPLAN_MPI STREQUAL ON)
    set(MPI_CXX_SKIP_MPICXX TRUE)
    find_package(MPI REQUIRED COMPONENTS C)
    set(tcplan_has_mpi TRUE)
elseif(TCPLAN_MPI STREQUAL AUTO AND NOT CMAKE_CROSSCOMPILING AND NOT TCPLAN_SANITIZE) # MPI's own leaks and races
    set(MPI_CXX_SKIP_MPICXX TRUE)
    find_package(MPI QUIET COMPONENTS C)
    set(tcplan_has_mpi ${MPI_C_FOUND})
    if(NOT tcplan_has_mpi)
        message(STATUS "Without libtcplan-mpi, which needs MPI (Debian: openmpi-bin, libopenmpi-dev)")
    endif()
endif()
