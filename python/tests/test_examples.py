"""Every example runs, and the README shows what the demo prints."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


def run(example: Path, folder: Path) -> str:
    """Run an example in a folder of its own and return what it prints."""
    ran = subprocess.run([sys.executable, str(example)], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    assert run(example, tmp_path).strip()


def test_the_demo_prints_what_the_readme_shows_and_writes_its_files(tmp_path: Path) -> None:
    printed = run(ROOT / "examples" / "python" / "ships.py", tmp_path).splitlines()
    shown = re.search(
        r"^```text\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert shown is not None
    # The last column of the parity table is rounding, which differs from processor to processor.
    rows = [line for line in shown.group(1).splitlines() if line.strip()]
    for row in rows:
        start = row.rsplit(None, 1)[0] if re.search(r"e-\d\d$|0\.0e\+00$", row) else row
        assert any(line.startswith(start) for line in printed), row
    record = json.loads((tmp_path / "demo-output" / "ships-evidence.json").read_text(encoding="utf-8"))
    assert record["status"] == "converged"
    assert record["parity"]["coef_in_stderr"] < record["parity"]["tolerance"]
    assert (tmp_path / "demo-output" / "ships.png").stat().st_size > 10_000
