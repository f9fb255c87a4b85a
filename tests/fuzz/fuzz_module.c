/**
 * Reads any bytes as the firmware's structure of a memory module, which must be rejected or give a
 * possible transfer rate.
 */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"
#include "roofline/timing/system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const int64_t transfers = system_module_transfers(data, size);
    if (transfers < 0 || transfers > INT64_C(65534) * 1000000 || transfers % 1000000 != 0) abort();
    return 0;
}
