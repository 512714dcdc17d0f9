"""mora.load and the arithmetic of results, on a trace whose wait states are known; files are read by the independent reader too."""
import os
import pathlib
import subprocess
import sys

import mora
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cube"))
from cubex_oracle import read_cubex  # noqa: E402

LATE = """unit us
P0 0-1 MPI_Init; 1-21 work; {send} MPI_Send@a.c:5 to 1 bytes 8; 40-41 MPI_Finalize
P1 0-1 MPI_Init; 5-{end} MPI_Recv@a.c:9 from 0 bytes 8; 40-41 MPI_Finalize
"""


def analyzed(folder, name, send, end):
    path = folder / f"{name}.trace"
    path.write_text("mora-trace 1\n" + LATE.format(send=send, end=end))
    subprocess.run([os.environ["MORA"], "analyze", "--quiet", path], check=True)
    return mora.load(path)


@pytest.fixture
def late(tmp_path):
    """Rank 1 waits from 5 to 21: 16 µs."""
    return analyzed(tmp_path, "late", "21-22", 23)


@pytest.fixture
def later(tmp_path):
    """Rank 1 waits from 5 to 25: 20 µs."""
    return analyzed(tmp_path, "later", "25-26", 27)


def test_values(late):
    wait = late["late-sender"]
    assert wait.unit == "seconds" and wait.name
    assert wait.inclusive == pytest.approx(16e-6, abs=1e-12)
    assert list(wait.by_rank) == [0, pytest.approx(16e-6)]
    assert wait.parent.inclusive >= wait.inclusive and wait in wait.parent.children
    assert wait.at("MPI_Recv") == wait.at("MPI_Recv@a.c:9", rank=1) == wait.inclusive
    assert wait.at("MPI_Recv", rank=0) == 0
    assert [text.rsplit(" > ", 1)[-1] for text in wait.by_call_path()] == ["MPI_Recv@a.c:9"]
    root = late.call_paths[0]
    assert late["time"].at(root) == pytest.approx(82e-6) == late["time"].inclusive
    assert int(wait.cells.sum()) == 16000 and wait.cells.shape == (len(late.call_paths), 2)
    assert late.ranks == [0, 1] and late.quality == ()


def test_exclusive_values_sum_up(late):
    for metric in late:
        total = metric.exclusive + sum(child.inclusive for child in metric.children)
        assert total == pytest.approx(metric.inclusive)
    assert sum(late["time"].by_call_path().values()) == pytest.approx(late["time"].inclusive)


def test_unknown_names(late):
    with pytest.raises(KeyError, match="did you mean 'late-sender'"):
        late["late-sendr"]
    with pytest.raises(mora.UsageError, match="no call path 'nothing'"):
        late["time"].at("nothing")
    assert "late-sender" in late and "nothing" not in late


def test_difference(late, later):
    change = later - late
    assert change["late-sender"].inclusive == pytest.approx(4e-6, abs=1e-12)
    assert (late - later)["late-sender"].inclusive == pytest.approx(-4e-6, abs=1e-12)
    assert change["late-sender"].by_call_path() == {
        next(p.text for p in change.call_paths if p.label == "MPI_Recv@a.c:9"): pytest.approx(4e-6)}
    assert not (late - late)["time"].cells.any()
    with pytest.raises(TypeError):
        late - 1


def test_mean_and_merge(late, later):
    mean = mora.mean([late, later])
    assert mean["late-sender"].inclusive == pytest.approx(18e-6, abs=1e-12)
    assert mora.mean([late, late]).rounded == 0
    assert mora.merge([late, later])["late-sender"].inclusive == late["late-sender"].inclusive
    assert late.merge(later)["time"].inclusive == late["time"].inclusive
    with pytest.raises(mora.UsageError):
        mora.mean([])


def test_cut(late):
    part = late.cut("MPI_Recv")
    assert [path.text for path in part.call_paths] == ["MPI_Recv@a.c:9"]
    assert part["late-sender"].inclusive == late["late-sender"].inclusive
    folded = late.cut(prune=["MPI_Recv", "MPI_Send"])
    assert folded["time"].inclusive == late["time"].inclusive
    assert not any(path.name in ("MPI_Recv", "MPI_Send") for path in folded.call_paths)
    with pytest.raises(mora.UsageError, match="no call path"):
        late.cut("nothing")


def test_what_does_not_match_is_listed(late, tmp_path):
    other = late.cut("work") if any(p.name == "work" for p in late.call_paths) else late.cut("MPI_Send")
    change = late - other
    assert ("call path", late.call_paths[0].text, (0,)) in change.unmatched
    assert change["time"].inclusive == pytest.approx(late["time"].inclusive - other["time"].inclusive)


def test_files_are_read_back_by_us_and_by_others(late, later, tmp_path):
    change = late - later
    change.save(tmp_path / "change.cubex")
    again = mora.load(tmp_path / "change.cubex")
    oracle, _ = read_cubex(tmp_path / "change.cubex")
    for metric in change:
        assert (again[metric.id].cells == metric.cells).all()
        assert sum(oracle[metric.id].values()) == pytest.approx(metric.inclusive, abs=1e-12)


def test_results_without_an_analysis(tmp_path):
    with pytest.raises(mora.UnreadableError, match="mora analyze"):
        mora.load(tmp_path)
    with pytest.raises(mora.UnreadableError):
        mora.load(tmp_path / "nothing.cubex")
    (tmp_path / "text.cubex").write_text("no tar")
    with pytest.raises(mora.UnreadableError):
        mora.load(tmp_path / "text.cubex")


def test_pandas(late):
    pytest.importorskip("pandas")
    frame = late.to_pandas()
    row = frame[frame.metric == "late-sender"]
    assert list(row["rank"]) == [1] and list(row["value"]) == [pytest.approx(16e-6)]


def test_notebooks_show_it(late):
    page = late._repr_html_()
    assert "Late Sender" in page and "0.000016" in page
    assert "<mora.Result" in repr(late) and "late-sender" in repr(late["late-sender"])


def test_the_verbs_agree(late, later, tmp_path):
    out = tmp_path / "out.cubex"

    def cube(*words):
        return subprocess.run([os.environ["MORA"], "cube", *words, "-o", out], check=True, capture_output=True, text=True).stdout

    first, second = tmp_path / "late.trace", tmp_path / "later.trace"
    assert "metrics" in cube("diff", first, second)
    assert mora.load(out)["late-sender"].inclusive == pytest.approx(-4e-6, abs=1e-12)
    cube("mean", first, second)
    assert mora.load(out)["late-sender"].inclusive == pytest.approx(18e-6, abs=1e-12)
    cube("merge", first, second, "--quiet")
    assert mora.load(out)["late-sender"].inclusive == pytest.approx(16e-6, abs=1e-12)
    cube("cut", first, "--root", "MPI_Recv")
    assert len(mora.load(out).call_paths) == 1
    failed = subprocess.run([os.environ["MORA"], "cube", "cut", first, "-o", out], capture_output=True, text=True)
    assert failed.returncode == 2 and "--root" in failed.stderr


def test_names_that_are_not_utf8(tmp_path):
    """Names are bytes in files; other bytes than UTF-8 come as surrogates (os.fsdecode) and go back as they were."""
    path = tmp_path / "latin.trace"
    path.write_bytes(b"mora-trace 1\nP0 0-100 f\xffoo; 10-20 MPI_Send@b\xe9.c:3 to 1\nP1 0-100 f\xffoo; 5-30 MPI_Recv from 0\n")
    subprocess.run([os.environ["MORA"], "analyze", "--quiet", path], check=True)
    result = mora.load(path)
    name = os.fsdecode(b"f\xffoo")
    [outer] = [p for p in result.call_paths if p.name == name]
    assert any(p.file == os.fsdecode(b"b\xe9.c") for p in result.call_paths)
    repr(outer), repr(result), result._repr_html_(), result.attributes
    assert result["time"].at(name) == pytest.approx(2e-7) and name in " ".join(result["time"].by_call_path())
    saved = tmp_path / os.fsdecode(b"\xe4.cubex")
    result.cut(name).save(saved)
    again = mora.load(os.fsencode(saved))
    assert again["time"].at(name) == result["time"].at(name)
    assert (again - result)["time"].inclusive == pytest.approx(again["time"].inclusive - result["time"].inclusive)
    with pytest.raises(TypeError):
        result.cut([3])
    with mora.open(path) as trace:
        mora.charts.timeline(trace, title=name).save(tmp_path / "lines.svg")
        trace._repr_html_(), str(trace[1]), repr(trace.info)
