/**
 * CRC-32C (Castagnoli, polynomial 0x1edc6f41, as in iSCSI and ext4): notices any change within four
 * neighbouring bytes.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/** The checksum of what `checksum` is of (0: nothing) with `length` more bytes behind it. */
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t length);

/** The same on a processor without an instruction for it, which checksum_add() takes where there is
 * one. */
uint32_t checksum_add_by_table(uint32_t checksum, const void *bytes, size_t length);

#endif
