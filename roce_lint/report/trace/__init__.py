"""One class followed from NIC to NIC: who is asked about, the answer, and how it is shown."""
