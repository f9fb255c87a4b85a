#include "microbench/timing/pin.h"

#include <sched.h>
#include <string.h>

struct pin pin_thread(void) {
    struct pin pin = {0};
    cpu_set_t before;
    const int processor = sched_getcpu();
    _Static_assert(sizeof before <= sizeof pin.mask, "an affinity mask must fit");
    if (processor < 0 || sched_getaffinity(0, sizeof before, &before) != 0) return pin;
    memcpy(pin.mask, &before, sizeof before);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)processor, &one);
    pin.pinned = sched_setaffinity(0, sizeof one, &one) == 0;
    return pin;
}

void pin_release(const struct pin *pin) {
    cpu_set_t before;
    if (!pin->pinned) return;
    memcpy(&before, pin->mask, sizeof before);
    sched_setaffinity(0, sizeof before, &before);
}
