"""docs/errors.md and the code say the same: each message has a row, each row a message.

Messages are read from the code: what is raised, and what is warned of. Fixed parts of a
message are compared with the samples in the table, where `...` stands for any text.
"""

import ast
import re
from difflib import SequenceMatcher
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "errors.md"
# Stands for a value in a message, and for what a row leaves out.
ANY = "\0"
# A row must hold so many characters of a message's fixed parts, or all of them.
ENOUGH = 12
# Functions that warn with their first argument.
WARNERS = {"warn", "warn_user"}
# Functions that make messages for others to raise or to warn with.
MAKERS = {
    "_find_one_class",
    "_missing",
    "describe_doubts",
    "describe_rounded",
    "doubt_categories",
    "doubt_unseen",
}
# Functions whose errors never reach a user, and why.
INTERNAL = {
    # Records of flat arrays, made by code that has checked them.
    "__post_init__",
    # What names the attribute is Python.
    "__getattr__",
}
# Rows of messages that scikit-learn makes.
FOREIGN = "## From scikit-learn"


def text_of(node):
    """A message with ANY for each value; None if nothing of it is written here."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [
            text_of(part) if isinstance(part, ast.Constant) else ANY
            for part in node.values
        ]
        return "".join(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is right is None else (left or ANY) + (right or ANY)
    return None


def is_message(node):
    """Argument of an exception that is raised, or of a warning."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return node.exc.args[:1]
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        return node.args[:1] if name in WARNERS else []
    return []


def messages_of(source):
    """Messages of a module, with their lines."""
    found = []

    def visit(node, function):
        if isinstance(node, ast.FunctionDef):
            function = node.name
            if function in INTERNAL:
                return
        for argument in is_message(node):
            found.append((argument.lineno, text_of(argument)))
        if function in MAKERS and isinstance(node, ast.JoinedStr):
            found.append((node.lineno, text_of(node)))
        for child in ast.iter_child_nodes(node):
            visit(child, function)

    visit(ast.parse(source), None)
    return found


def is_written_here(text):
    """Whether a message says something of its own, and does not only pass one on."""
    return text is not None and len(re.findall(r"[A-Za-z]{2,}", text)) > 1


def all_messages():
    """Message by where it stands."""
    return {
        f"{path.relative_to(ROOT)}:{line}": text
        for path in sorted((ROOT / "skshake").rglob("*.py"))
        for line, text in messages_of(path.read_text(encoding="utf-8"))
        if is_written_here(text)
    }


def all_rows():
    """Samples of messages in the tables of the page."""
    rows = []
    for line in PAGE.read_text(encoding="utf-8").partition(FOREIGN)[0].splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and not set(cells[1]) <= {"-"} and cells[1] != "message":
            samples = re.findall(r"``(.+?)``|`(.+?)`", cells[1].replace("\\|", "|"))
            rows += [(one or other).strip() for one, other in samples]
    return rows


def can_be_equal(one, other):
    """Whether two texts with ANY have a text in common."""
    reached = {0}
    for symbol in one:
        after = set()
        for k in sorted(reached):
            while True:
                if symbol == ANY:
                    after |= set(range(k, len(other) + 1))
                elif k < len(other) and other[k] == ANY:
                    after.add(k)
                elif k < len(other) and other[k] == symbol:
                    after.add(k + 1)
                if k < len(other) and other[k] == ANY:
                    k += 1
                    continue
                break
        reached = after
    return any(set(other[k:]) <= {ANY} for k in reached)


def longest_common(one, other):
    """Length of the longest text without ANY that both hold."""
    best = 0
    for part in one.split(ANY):
        for piece in other.split(ANY):
            match = SequenceMatcher(None, part, piece, autojunk=False)
            best = max(best, match.find_longest_match().size)
    return best


def fits(message, row):
    """Whether a row is a sample of a message."""
    sample = row.replace("...", ANY)
    # A message may be passed on with a name in front.
    if not can_be_equal(ANY + message + ANY, sample):
        return False
    enough = min(ENOUGH, max(map(len, message.split(ANY))))
    return longest_common(message, sample) >= enough


MESSAGES, ROWS = all_messages(), all_rows()


def test_the_reader_of_messages_reads():
    source = (
        "def f(x):\n"
        "    raise ValueError(f'expected one number, got {x}')\n"
        "def __post_init__(x):\n"
        "    raise ValueError('never met')\n"
        "warnings.warn('beware of ' + name, UserWarning)\n"
        "raise error\n"
    )
    assert [text for _, text in messages_of(source)] == [
        f"expected one number, got {ANY}",
        f"beware of {ANY}",
    ]
    message = f"expected one number, got {ANY}"
    for row in (
        "expected one number, got 2",
        "x: expected one number, got ...",
        "expected one number, ...",
    ):
        assert fits(message, row)
    for row in ("expected two numbers, got 2", "expected ...", "... got 2"):
        assert not fits(message, row)


@pytest.mark.parametrize("where", MESSAGES)
def test_each_message_has_a_row(where):
    assert any(fits(MESSAGES[where], row) for row in ROWS), MESSAGES[where]


@pytest.mark.parametrize("row", ROWS)
def test_each_row_has_a_message(row):
    assert any(fits(message, row) for message in MESSAGES.values())
