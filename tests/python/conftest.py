"""What the tests of the module `mora` share: the traces of the vectors V-… (tests/golden/vectors.md) as ALOG files."""
import pathlib

import pytest

VECTORS = pathlib.Path(__file__).with_name("vectors")


@pytest.fixture(autouse=True)
def index_folder(tmp_path_factory, monkeypatch):
    """Indexes of larger traces are kept in a folder of the test's own, not in ~/.cache."""
    folder = tmp_path_factory.mktemp("index")
    monkeypatch.setenv("MORA_INDEX_DIR", str(folder))
    return folder


@pytest.fixture
def alog(tmp_path):
    """alog(text) writes an ALOG file and returns its path."""
    count = 0

    def write(text):
        nonlocal count
        count += 1
        path = tmp_path / f"trace{count}.alog"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def vector():
    """vector("v-02") is the path of the trace of that vector."""
    return lambda name: VECTORS / f"{name}.alog"


@pytest.fixture
def text_trace(tmp_path):
    """text_trace(lines) writes a trace in the text language and returns its path."""

    def write(lines):
        path = tmp_path / "sample.trace"
        path.write_text("mora-trace 1\n" + lines)
        return path

    return write
