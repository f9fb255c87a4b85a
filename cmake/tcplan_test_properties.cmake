# tcplan_test_properties(NAME [LABELS label...] [TIMEOUT seconds] [COST seconds] [SERIAL] [SMALL_CACHES])
#     sets what all tests have in common: the time limit, and an environment of their own
#
# COST is the time that a test takes on an idle core, for those that take more than about two
# seconds. The longest tests start first. Tests with a COST have the label slow: scripts/test --quick
# skips them.
# SMALL_CACHES replaces the caches of the machine by small ones: the time to measure memory, or to
# simulate it, depends on their size.

# Seconds after which a test counts as hanging: far more than any test takes, even on a busy machine,
# and less than the 90 minutes that a whole run may take.
set(tcplan_default_timeout 2700)
if(TCPLAN_SANITIZE OR TCPLAN_COVERAGE)
    set(tcplan_default_timeout 4500)
endif()

function(tcplan_test_properties name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL;SMALL_CACHES" "TIMEOUT;COST" "LABELS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT ${tcplan_default_timeout})
    endif()
    if(arg_COST)
        list(APPEND arg_LABELS slow)
    else()
        set(arg_COST 0)
    endif()
    # A test does not wait for other timings on this machine, and neither reads nor changes the user's store.
    set(environment "TCPLAN_LOCK=${CMAKE_CURRENT_BINARY_DIR}/${name}.lock" "TCPLAN_STORE=")
    list(APPEND environment "OPENBLAS_VERBOSE=0") # suppresses messages of OpenBLAS on stderr
    if(arg_SMALL_CACHES)
        list(APPEND environment "HWLOC_THISSYSTEM=1"
            "HWLOC_SYNTHETIC=l3:1(size=1MiB) l2:2(size=256KiB) l1d:1(size=32KiB) core:1 pu:1")
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} COST ${arg_COST} LABELS "${arg_LABELS}"
        RUN_SERIAL "${arg_SERIAL}" SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${tcplan_loader})
endfunction()
