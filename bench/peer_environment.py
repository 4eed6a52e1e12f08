"""Gives the PyTorch and NumPy peers their best; call before they are imported."""

import os


def set_environment(threads):
    """The libraries read these when they are loaded, so before the imports below."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    with open("/proc/cpuinfo") as cpu:
        if "avx512f" in cpu.read():
            os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
