#include "base/quantity.h"

#include <stddef.h>

#include "base/format.h"

/** Returns the decimals that show a number between 1 and 1000 with four digits. */
static int decimals_for(double value) {
    return value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
}

struct time_unit time_unit_for(double smallest_seconds) {
    static const struct time_unit units[] = {{.name = "years", .seconds = 365.25 * 86400},
                                             {.name = "days", .seconds = 86400},
                                             {.name = "s", .seconds = 1},
                                             {.name = "ms", .seconds = 1e-3},
                                             {.name = "us", .seconds = 1e-6}};
    struct time_unit unit = {.name = "ns", .seconds = 1e-9};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        if (smallest_seconds < 0.9995 * units[u].seconds) continue;
        unit = units[u];
        break;
    }
    unit.decimals = decimals_for(smallest_seconds / unit.seconds);
    return unit;
}

struct quantity quantity_seconds(double seconds) {
    const struct time_unit unit = time_unit_for(seconds);
    struct quantity quantity;
    format_plain(quantity.text, sizeof quantity.text, "%.*f %s", unit.decimals,
                 seconds / unit.seconds, unit.name);
    return quantity;
}

struct quantity quantity_flops(double flops) {
    static const char *const names[] = {"FLOP",  "kFLOP", "MFLOP", "GFLOP", "TFLOP",
                                        "PFLOP", "EFLOP", "ZFLOP", "YFLOP"};
    struct quantity quantity;
    size_t n = 0;
    for (; n + 1 < sizeof names / sizeof *names && flops >= 1000; n++) flops /= 1000;
    format_plain(quantity.text, sizeof quantity.text, "%.4g %s", flops, names[n]);
    return quantity;
}

struct quantity quantity_bytes(double bytes) {
    static const char *const names[] = {"B",   "KiB", "MiB", "GiB", "TiB",
                                        "PiB", "EiB", "ZiB", "YiB"};
    struct quantity quantity;
    size_t n = 0;
    for (; n + 1 < sizeof names / sizeof *names && bytes >= 1024; n++) bytes /= 1024;
    format_plain(quantity.text, sizeof quantity.text, "%.4g %s", bytes, names[n]);
    return quantity;
}
