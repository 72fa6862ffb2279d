"""tqdm: bars of progress, in notebooks as widgets where these are installed.

In: tqdm. Out: its class for the place where it runs, chosen without a warning.
"""

import warnings

with warnings.catch_warnings():
    # In a notebook without ipywidgets bars are text, which is no reason to warn.
    warnings.filterwarnings("ignore", "IProgress not found")
    from tqdm.auto import tqdm

__all__ = ["tqdm"]
