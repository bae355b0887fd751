"""What the tools of one NIC vendor print and set: NVIDIA, Broadcom, Intel, AMD."""
