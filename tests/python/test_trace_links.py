"""Who belongs to whom: Python's links are those of `mora print`, on every trace of the golden tests, sound and damaged."""
import json
import os
import pathlib
import subprocess

import mora
import pytest

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
# Pointers to earlier events as `mora print` calls them, and their names in Python.
POINTERS = {"enter": "enter", "send": "send", "start": "start", "origin": "origin", "fork": "fork", "lock": "previous_of_lock",
            "previous": "previous_of_lock", "chain": "previous"}
# Python's links to later events: the same, looked at from their other end.
FORWARDS = {"exit": "enter", "recv": "send", "end": "start", "get_start": "origin", "join": "fork", "next": "previous"}
# `mora print` shows no link of a message that arrives before it is sent, nor from a lock to its release: locks are chained.
ONLY_PYTHON = {"late_send", "release"}


def golden_traces():
    """The text traces of the golden tests, each once."""
    seen = {}
    for test in sorted(GOLDEN.rglob("*.test")):
        lines = test.read_text(encoding="utf-8").splitlines(keepends=True)
        first = next((i for i, line in enumerate(lines) if line.startswith("mora-trace ")), len(lines))
        last = next((i for i, line in enumerate(lines) if line.startswith("--- ")), len(lines))
        seen.setdefault("".join(lines[first:last]), test)
    return {text: test for text, test in seen.items() if text}


def links_of_print(path, model):
    """{event: {name of link: event}}; None: the trace cannot be shown."""
    done = subprocess.run([os.environ["MORA"], "print", "--json", "--rma-model", model, path], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    events = json.loads(done.stdout)["events"]
    return {e["event"]: {POINTERS[name]: e[name] for name in POINTERS if isinstance(e.get(name), int)} for e in events}


def test_links_are_those_of_print(tmp_path):
    path, seen = tmp_path / "sample.trace", set()
    for text, test in golden_traces().items():
        path.write_text(text, encoding="utf-8")
        expected = links_of_print(path, "extended")
        if expected is None:
            continue
        with mora.open(path) as trace:
            links = {event.num: {name: linked.num for name, linked in event.links.items()} for event in trace}
        earlier = {n: {name: to for name, to in of.items() if name not in FORWARDS.keys() | ONLY_PYTHON} for n, of in links.items()}
        assert earlier == expected, test
        seen.update(name for of in expected.values() for name in of)
        for n, of in links.items():
            for name in of.keys() & FORWARDS.keys():
                assert n in (links[of[name]].get(FORWARDS[name]), links[of[name]].get("late_send")), (test, n, name)
    assert seen == set(POINTERS.values())
