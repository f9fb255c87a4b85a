/** Exchange of bytes between two processes over a stream socket. */
#ifndef BASE_SOCKET_H
#define BASE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/** Sends all bytes; returns false if the peer has closed, without raising SIGPIPE. */
bool socket_send(int socket, const void *data, size_t bytes);

/**
 * Receives exactly `bytes` bytes; returns false if the peer closes first or the deadline passes.
 * @param deadline time of monotonic_seconds(); INFINITY: none
 * @param late      receives whether the deadline passed; may be NULL if there is no deadline
 */
bool socket_receive(int socket, void *data, size_t bytes, double deadline, bool *late);

#endif
