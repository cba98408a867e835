"""The tables of a store of `sixer lab` as Parquet files, and back; docs/store.md describes them. Needs pyarrow.

    python -m sixer.lab_tables export STORE FOLDER
    python -m sixer.lab_tables import STORE FOLDER

CSV and JSON need no Python: `sixer lab export`.
"""

from __future__ import annotations

import importlib
import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sixer.lab_ray import find_program

TABLES = ("experiments", "protocols", "runs", "episodes", "curve", "scores", "files")
_TYPES = {"INTEGER": "int64", "REAL": "float64", "TEXT": "string"}


def export_parquet(store: str | Path, folder: str | Path) -> None:
    """Write each table as FOLDER/TABLE.parquet. Numbers and texts are as in the store; NULL is null."""
    arrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    if not Path(store).is_file():
        raise FileNotFoundError(f"{store}: there is no such store")
    Path(folder).mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(Path(store).absolute().as_uri() + "?mode=ro", uri=True)
    try:
        for table in TABLES:
            columns = db.execute(f"PRAGMA table_info({table})").fetchall()
            schema = arrow.schema([(column[1], _TYPES[column[2].upper()]) for column in columns])
            rows = db.execute(f"SELECT * FROM {table}").fetchall()
            values = list(zip(*rows, strict=True)) or [()] * len(columns)
            arrays = [arrow.array(list(v), t.type) for v, t in zip(values, schema, strict=True)]
            parquet.write_table(arrow.Table.from_arrays(arrays, schema=schema), Path(folder) / f"{table}.parquet")
    finally:
        db.close()


def import_parquet(store: str | Path, folder: str | Path) -> None:
    """Add the runs of exported tables to a store, as `sixer lab import` does: all of them or none."""
    parquet: Any = importlib.import_module("pyarrow.parquet")
    with tempfile.TemporaryDirectory() as temporary:
        for table in TABLES:
            rows = parquet.read_table(Path(folder) / f"{table}.parquet").to_pylist()
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            Path(temporary, f"{table}.jsonl").write_text("".join(lines), encoding="utf-8")
        command = [find_program(), "lab", "import", str(store), temporary]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise ValueError(result.stderr.strip().replace(temporary, str(folder)))


def main() -> int:
    if len(sys.argv) != 4 or sys.argv[1] not in ("export", "import"):
        print("usage: python -m sixer.lab_tables export|import STORE FOLDER", file=sys.stderr)
        return 2
    try:
        (export_parquet if sys.argv[1] == "export" else import_parquet)(sys.argv[2], sys.argv[3])
    except ModuleNotFoundError:
        print("sixer lab: Parquet files need pyarrow: pip install pyarrow", file=sys.stderr)
        return 1
    except (OSError, ValueError, sqlite3.Error) as error:
        print(f"sixer lab: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
