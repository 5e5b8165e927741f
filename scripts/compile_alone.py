#!/usr/bin/env python3
"""Compiles sources one by one, as the daily build does: what the unity build hides, such as a missing include.

    scripts/compile_alone.py COMPILE_COMMANDS COUNT

Takes the COUNT sources and headers that changed last: those that differ from the last commit, then by git's
history. Only syntax and types are checked, so it takes a second or two a file. COMPILE_COMMANDS is the compile_commands.json of a configured build without unity."""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("daemon/", "sandbox/", "tests/", "bench/")


def changed_last(count):
    def names(*command):
        return subprocess.run(["git", *command, "--", "*.cpp", "*.hpp"],
                              cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    changed = (names("ls-files", "--others", "--exclude-standard") + names("diff", "HEAD", "--name-only") +
               names("log", "-n", "200", "--pretty=", "--name-only"))
    files = [name for name in dict.fromkeys(changed) if name.startswith(FOLDERS) and (ROOT / name).exists()]
    return files[:count]


def commands_by_source(path):
    """The arguments of the compiler for each source, without input and output."""
    commands = {}
    for entry in json.loads(pathlib.Path(path).read_text()):
        source = pathlib.Path(entry["file"])
        if not source.is_relative_to(ROOT):
            continue
        words = [word for word in shlex.split(entry["command"]) if pathlib.Path(word).name != "ccache"]
        commands[source.relative_to(ROOT).as_posix()] = words[:words.index("-o")]
    return commands


def command_for(name, commands):
    """A header is compiled with the flags of a source beside it, or as near as there is one."""
    if name in commands:
        return commands[name]
    for folder in pathlib.PurePosixPath(name).parents:
        beside = [words for source, words in commands.items() if source.startswith(f"{folder}/")]
        if beside:
            return beside[0]
    return None


def compile_alone(name, words):
    # As a source, a header would be warned of for its #pragma once and for functions that it does not use.
    more = ["-w", "-x", "c++"] if name.endswith(".hpp") else []
    done = subprocess.run([*words, *more, "-fsyntax-only", str(ROOT / name)], cwd=ROOT, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def main():
    commands = commands_by_source(sys.argv[1])
    files = changed_last(int(sys.argv[2]))
    chosen = [(name, words) for name in files if (words := command_for(name, commands))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for good, text in pool.map(lambda each: compile_alone(*each), chosen):
            failed += not good
            sys.stderr.write("" if good else text)
    print(f"{len(chosen)} files compiled alone, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
