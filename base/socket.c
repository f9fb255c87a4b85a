#include "base/socket.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/deadline.h"

enum { LONGEST_WAIT_MS = 1000 };

bool socket_send(int socket, const void *data, size_t bytes) {
    for (const char *at = data; bytes > 0;) {
        const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

/** Returns whether data arrived or the peer closed; false if the wait ended before either. */
static bool is_ready(int socket, double seconds) {
    struct pollfd descriptor = {.fd = socket, .events = POLLIN};
    const int ready = poll(&descriptor, 1, (int)fmin(ceil(1000 * seconds), LONGEST_WAIT_MS));
    return ready > 0 || (ready < 0 && errno != EINTR);
}

bool socket_receive(int socket, void *data, size_t bytes, double deadline, bool *late) {
    for (char *at = data; bytes > 0;) {
        if (isfinite(deadline)) {
            const double left = deadline - monotonic_seconds();
            *late = left <= 0;
            if (*late) return false;
            if (!is_ready(socket, left)) continue;
        }
        const ssize_t received = recv(socket, at, bytes, 0);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return false;
        at += received;
        bytes -= (size_t)received;
    }
    return true;
}
