#!/usr/bin/env python3
"""Writes the boards of dashboards/grafana/boards/: python3 dashboards/source/build.py, or ./dev docs."""

import json
import pathlib

import chain
import database
import failures
import overview
import transactions
import watches

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "grafana" / "boards"
BOARDS = {module.__name__: module.BOARD for module in (overview, failures, transactions, watches, chain, database)}


def rendered():
    """{name of the file: its text}"""
    return {f"{name}.json": json.dumps(board, indent=2, ensure_ascii=False) + "\n" for name, board in BOARDS.items()}


if __name__ == "__main__":
    for name, text in rendered().items():
        (FOLDER / name).write_text(text)
