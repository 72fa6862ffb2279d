"""Arguments with which scripts of examples/ run as pages: shorter than by default."""

from pathlib import Path

ARGUMENTS = {
    "callbacks": ["--max-iter", "10"],
    "chemist": ["--every", "8", "--max-iter", "12"],
    "payments": ["--cases", "160"],
    "stacking": ["--max-iter", "10", "--n-trees", "200"],
}


def arguments_of(gallery_conf, script_vars):
    """Arguments of one script."""
    return ARGUMENTS.get(Path(script_vars["src_file"]).stem, [])
