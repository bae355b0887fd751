"""Follow a class from NIC to NIC: select the NICs, walk the paths, collect faults."""
