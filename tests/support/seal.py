"""Puts the checksum of entries of a store right that were edited: seal.py FILE..., see store/entry.h."""
import sys


def checksum(content):
    """CRC-32C, as base/checksum.c."""
    value = 0xFFFFFFFF
    for byte in content:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        text = file.read()
    content = text[: text.rindex(b"checksum ")]
    with open(path, "wb") as file:
        file.write(content + b"checksum %08x\n" % checksum(content))
