/**
 * CRC-32C (Castagnoli, polynomial 0x1edc6f41, as in iSCSI and ext4): detects any change within four
 * adjacent bytes.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/** Extends a checksum (0: of no bytes) by `length` bytes. */
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t length);

/** Does the same without the processor's instruction, which checksum_add() uses if it is
 * available. */
uint32_t checksum_add_by_table(uint32_t checksum, const void *bytes, size_t length);

#endif
