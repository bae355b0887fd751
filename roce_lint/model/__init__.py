"""The vendor-neutral network: devices, ports, QoS, buffers, NICs, links."""
