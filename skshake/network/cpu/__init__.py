"""The engine of the CPU: kernels of numba, in lanes of threads."""
