"""Vendor tools of NICs, outputs and settings: NVIDIA, Broadcom, Intel, AMD."""
