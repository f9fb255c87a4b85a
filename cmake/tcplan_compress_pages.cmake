# Compresses the manual pages, as Debian requires. cpack runs this file between installing and packing.
find_program(TCPLAN_GZIP NAMES gzip)
file(GLOB_RECURSE pages "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.[13]")
if(TCPLAN_GZIP AND pages)
    execute_process(COMMAND "${TCPLAN_GZIP}" -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
