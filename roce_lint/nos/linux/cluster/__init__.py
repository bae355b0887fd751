"""What is set for many hosts at once: Kubernetes manifests and job scripts.

None of it says which hosts it meets, so it is never laid over one. Each file is a device of its
own, with `fleet` set: it tells what may be sent, not by whom.
"""
