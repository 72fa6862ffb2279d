"""What the README says about own data, run as it stands there."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_own_data(capsys):
    blocks = re.findall(
        r"<!-- own data -->\n```python\n(.*?)```",
        README.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert len(blocks) == 3
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    assert capsys.readouterr().out == "['ring']\n"
    assert len(names["same"]) == 8
