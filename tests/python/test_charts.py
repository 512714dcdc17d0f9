"""mora.charts: what is drawn stands where it should; the pictures are well-formed XML of bounded size."""
import re
import xml.etree.ElementTree as ElementTree

import mora
import pytest

SVG = "{http://www.w3.org/2000/svg}"


def shapes(chart, name):
    return list(ElementTree.fromstring(chart.svg).iter(SVG + name))


def titled(chart):
    """{title: rectangle} of the bars and strips."""
    return {rect.find(SVG + "title").text: rect for rect in shapes(chart, "rect") if rect.find(SVG + "title") is not None}


def test_bars():
    chart = mora.charts.bar(["a", "b<", "c"], [2, 4, 0], title="T & U", x="nodes", y="data")
    bars = titled(chart)
    assert list(bars) == ["a: 2", "b<: 4", "c: 0"]
    heights = [float(bar.get("height")) for bar in bars.values()]
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.02) and heights[2] == 0
    texts = [text.text for text in shapes(chart, "text")]
    assert {"T & U", "nodes", "data", "a", "b<", "c", "0", "4"} <= set(texts)
    assert (chart.labels, chart.series) == (["a", "b<", "c"], {"": [2, 4, 0]})


def test_groups_of_bars_and_negative_values():
    bars = titled(mora.charts.bar("xy", {"up": [1, 2], "down": [-1, -2]}))
    zero = float(bars["x up: 1"].get("y")) + float(bars["x up: 1"].get("height"))
    assert float(bars["x down: -1"].get("y")) == pytest.approx(zero, abs=0.02)


def test_many_bars_leave_room_for_labels():
    chart = mora.charts.bar(range(1000), range(1000))
    assert len(titled(chart)) == 1000 and len(shapes(chart, "text")) < 60


def test_nothing_to_draw():
    for chart in (mora.charts.bar([], []), mora.charts.xy([[], []]), mora.charts.histogram([]), mora.charts.bar("a", [0])):
        assert chart.svg.startswith("<svg") and shapes(chart, "line")


def test_points():
    chart = mora.charts.xy({"one": ([1, 2, 4], [1, 2, 4])})
    at = [(float(c.get("cx")), float(c.get("cy"))) for c in shapes(chart, "circle")]
    assert at[2][0] - at[1][0] == pytest.approx(2 * (at[1][0] - at[0][0]), abs=0.3)
    assert at[0][1] > at[1][1] > at[2][1]


def test_histogram_counts():
    chart = mora.charts.histogram([0, 1, 1, 2, 4], bins=4)
    assert chart.series[""] == [1, 2, 1, 1] and chart.labels == [0, 1, 2, 3]
    assert sum(mora.charts.histogram([7.0] * 9).series[""]) == 9


def test_ticks_are_round():
    assert mora.charts.ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert mora.charts.ticks(0, 0.37)[-1] >= 0.37
    assert len(mora.charts.ticks(5, 5)) >= 2


def test_wrong_arguments(tmp_path):
    with pytest.raises(mora.UsageError, match="3 labels and 2 values"):
        mora.charts.bar("abc", [1, 2])
    with pytest.raises(mora.UsageError, match="finite"):
        mora.charts.bar("a", [float("nan")])
    with pytest.raises(mora.UsageError, match="positive int"):
        mora.charts.histogram([1], bins=0)
    with pytest.raises(mora.UsageError, match="svg or .html"):
        mora.charts.bar("a", [1]).save(tmp_path / "a.png")


def test_files(tmp_path):
    chart = mora.charts.bar("a", [1], title="<T>")
    assert ElementTree.parse(chart.save(tmp_path / "a.svg")).getroot().tag == SVG + "svg"
    page = chart.save(tmp_path / "a.html").read_text()
    assert "<title>&lt;T&gt;</title>" in page and "<svg" in page
    assert chart._repr_svg_() == chart.svg


def test_time_lines(vector):
    """11 ms; node 1 is in MPI_Recv from 1.0 to 4.1 ms; four messages."""
    with mora.open(vector("v-06")) as trace:
        chart = mora.charts.timeline(trace, title="V-6")
        part = mora.charts.timeline(trace, between=(0.0015, 0.0035), ranks=[1], messages=False)
        rows = {}
        for rect in shapes(chart, "rect"):
            title = rect.find(SVG + "title")
            if title is not None:
                rows.setdefault(rect.get("y"), []).append((title.text, float(rect.get("x")), float(rect.get("width"))))
        first, second = rows.values()
        assert [name for name, _, _ in second] == ["main", "MPI_Recv", "main", "MPI_Recv", "main", "MPI_Recv", "main", "MPI_Send", "main"]
        whole = sum(width for _, _, width in first)
        assert second[1][2] / whole == pytest.approx(3.1 / 11, abs=0.003)
        strokes = [line for line in shapes(chart, "line") if line.get("stroke") == "#111"]
        assert len(strokes) == 4
        names = {rect.find(SVG + "title").text for rect in shapes(part, "rect") if rect.find(SVG + "title") is not None}
        assert names == {"MPI_Recv"}  # inside the region from the beginning: the state is known


def test_time_lines_of_long_traces_stay_small(alog):
    """20 000 events on one node: what is drawn is bounded by pixels, not by events."""
    lines = ["-3 0 0 1 0 0", "-13 0 1 2 0 0 red:solid a"]
    lines += [f"{1 + i % 2} 0 0 0 0 {i * 10}" for i in range(20000)]
    with mora.open(alog("\n".join(lines) + "\n")) as trace:
        assert len(mora.charts.timeline(trace).svg) < 200_000


def test_an_empty_trace_has_a_picture(alog):
    with mora.open(alog("-3 0 0 2 0 0\n")) as trace:
        assert re.search(r"time \[", mora.charts.timeline(trace).svg)
