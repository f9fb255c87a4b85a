/**
 * Bytes between two processes, over a stream socket.
 */
#ifndef BASE_SOCKET_H
#define BASE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/** Sends all; false where the other end is closed. No signal is raised then. */
bool socket_send(int socket, const void *data, size_t bytes);

/**
 * Receives so many bytes; false where the other end is closed before that, or the deadline passed.
 *
 * @param deadline  of monotonic_seconds(); INFINITY: none
 * @param late      says that the deadline passed; NULL where there is none
 */
bool socket_receive(int socket, void *data, size_t bytes, double deadline, bool *late);

#endif
