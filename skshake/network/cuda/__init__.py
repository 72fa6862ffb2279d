"""The engine of GPUs: kernels of Triton, and whole steps as CUDA graphs."""
