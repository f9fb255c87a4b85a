"""What bench/peers is made of: cases, contenders, peers, measurement, tables."""
