"""The parts of bench/peers: cases, contenders, peers, measurement, tables."""
