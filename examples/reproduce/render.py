"""The paper's Table 2 and a figure, from the runs of ``table2.py``.

    python examples/reproduce/render.py --csv table2.csv --figure table2.png

Scores and times are means over seeds. Times of the coarsened graphs hold q*, forests
and coarse graphs; the paper's do not. "per epoch" compares fits of equal length.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from _paper import SETTINGS
from matplotlib.ticker import LogLocator

SIDES = ("original", "coarsened")


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of both variants, a row per set and profile."""
    runs["seconds"] = runs.coarsening_seconds + runs.training_seconds
    runs["epoch_seconds"] = runs.training_seconds / runs.epochs
    groups = ["dataset", "profile", "generated"]
    measures = ["score", "seconds", "epoch_seconds", "epochs", "nodes", "learnt_q"]
    table = runs.pivot_table(measures, groups, "variant").reset_index()
    n_seeds = runs.groupby(groups).seed.nunique().reset_index(name="seeds")
    table.columns = ["_".join(filter(None, name)) for name in table.columns]
    return table.merge(n_seeds, on=groups)


def as_markdown(table: pd.DataFrame) -> str:
    """Rows of a table in Markdown, with the paper's ratios beside ours."""
    lines = [
        "| set (profile, seeds) | q | nodes left | score original, coarsened | ratio "
        "(paper) | seconds original, coarsened | ratio (paper) | per epoch |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in table.itertuples():
        setting = SETTINGS[row.dataset]
        of_paper = ["-", "-"]
        if setting.scores and setting.minutes:
            of_paper = [
                f"{coarsened / original:.2f}"
                for original, coarsened in (setting.scores, setting.minutes)
            ]
        name = f"{row.dataset} ({row.profile}, {row.seeds})"
        scores = f"{row.score_original:.3f}, {row.score_coarsened:.3f}"
        if row.generated:
            # Nothing can be learnt from generated graphs: they are for times.
            name = f"{row.dataset}, {row.generated} generated ({row.profile})"
            scores, ratio = "-", "-"
        else:
            ratio = f"{row.score_coarsened / row.score_original:.3f} ({of_paper[0]})"
        lines.append(
            f"| {name} | {row.learnt_q_coarsened:.3g} | {row.nodes_coarsened:.1%} | "
            f"{scores} | {ratio} | "
            f"{row.seconds_original:.1f}, {row.seconds_coarsened:.1f} | "
            f"{row.seconds_coarsened / row.seconds_original:.2f} ({of_paper[1]}) | "
            f"{row.epoch_seconds_coarsened / row.epoch_seconds_original:.2f} |"
        )
    return "\n".join(lines)


def draw(table: pd.DataFrame, path: Path) -> None:
    """Score against seconds, a line from the original to the coarsened graphs."""
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for row in table[table.generated == 0].itertuples():
        seconds, scores = (
            [getattr(row, f"{what}_{side}") for side in SIDES]
            for what in ("seconds", "score")
        )
        (line,) = axes.plot(seconds, scores, lw=1)
        axes.plot(seconds[0], scores[0], "o", color=line.get_color())
        axes.plot(seconds[1], scores[1], "s", color=line.get_color(), mfc="white")
        axes.annotate(
            f" {row.dataset}", (seconds[0], scores[0]), color=line.get_color()
        )
    axes.set(xscale="log", xlabel="seconds, coarsening included", ylabel="score")
    axes.xaxis.set(
        minor_locator=LogLocator(subs=(2, 5)),
        major_formatter="{x:g}",
        minor_formatter="{x:g}",
    )
    axes.margins(x=0.25)
    axes.set_title("original (filled) and coarsened (open)")
    figure.savefig(path, dpi=150)


def main() -> None:
    """Print the table and save the figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--csv", type=Path, default=Path("table2.csv"))
    parser.add_argument("--figure", type=Path, default=Path("table2.png"))
    arguments = parser.parse_args()
    table = summarise(pd.read_csv(arguments.csv))
    print(as_markdown(table))
    draw(table, arguments.figure)


if __name__ == "__main__":
    main()
