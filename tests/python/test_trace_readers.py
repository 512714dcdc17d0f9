"""What `mora info` and Python say of one trace is the same, whatever its format and damage: corpus of the fuzzers and golden tests."""
import json
import os
import pathlib
import shutil
import subprocess

import mora
import pytest

from test_trace_links import golden_traces

CORPUS = pathlib.Path(__file__).parents[1] / "fuzz" / "corpus"
# Folder of the corpus: name of the format. The corpora of OTF2 and CSV are no files that can be opened alone.
FORMATS = {"alog": "alog", "chrome": "chrome", "paje": "paje", "paraver": "paraver", "vampir": "vampir"}


def said_by_info(path, *options):
    """(first ns, last ns, events), or None if the trace is refused."""
    done = subprocess.run([os.environ["MORA"], "info", "--json", *options, path], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        return None
    overview = json.loads(done.stdout, parse_float=str)
    nanoseconds = [round(float(overview[key]) * 1e9) if abs(float(overview[key])) < 1e6 else None for key in ("first_s", "last_s")]
    return (*nanoseconds, overview["events"])


def check(path, seen, *options, **arguments):
    said = said_by_info(path, *options)
    if said is None or None in said:
        return
    for index in (True, False):
        with mora.open(path, index=index, **arguments) as trace:
            if len(trace) > 0:
                assert trace.info.duration_ns == said[1] - said[0], (path, index)
                seen.add(trace.info.duration_ns)


@pytest.mark.parametrize("folder", FORMATS)
def test_duration_of_traces_of_others(folder, tmp_path):
    seen = set()
    for sample in sorted((CORPUS / folder).iterdir()):
        path = shutil.copy(sample, tmp_path)  # an index may be kept beside it
        check(path, seen, "--format", FORMATS[folder], format=FORMATS[folder])
    assert seen - {0}


def test_duration_of_golden_traces_and_archives(tmp_path):
    path, archive, seen = tmp_path / "t.trace", tmp_path / "archive", set()
    for number, text in enumerate(golden_traces()):
        path.write_text(text, encoding="utf-8")
        check(path, seen)
        if number % 20 == 0 and subprocess.run([os.environ["MORA"], "convert", path, "--to", "otf2", "-o", archive],
                                               capture_output=True, check=False).returncode == 0:
            check(archive, seen)
        shutil.rmtree(archive, ignore_errors=True)
    assert len(seen) > 20
