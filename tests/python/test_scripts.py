"""`mora script`, `mora shell`, and the scripts of examples/scripts on traces whose answers are known."""
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import mora
import pytest

HERE = pathlib.Path(__file__).parent
SCRIPTS = HERE.parent.parent / "examples" / "scripts"
MORA = os.environ["MORA"]


def start(*words, stdin="", status=0, **options):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # no setup is needed
    done = subprocess.run([MORA, *map(str, words)], input=stdin, capture_output=True, text=True, env=environment, timeout=120,
                          **options)
    assert done.returncode == status, done.stderr
    return done


def example(name, *words, status=0, **options):
    return start("script", SCRIPTS / name, *words, status=status, **options).stdout


def table(text, columns=2):
    """{words before the last columns: [numbers]} of the lines that end with numbers."""
    rows = {}
    for line in text.splitlines():
        words = line.split()
        try:
            rows[tuple(words[:-columns])] = [float(word) for word in words[-columns:]]
        except ValueError:
            pass
    return rows


# --- mora script ---


def test_arguments_name_and_exit_code(tmp_path):
    script = tmp_path / "s.py"
    script.write_text("import sys\nprint(sys.argv, __name__, __file__, sys.path[0])\nsys.exit(7)\n")
    out = start("script", script, "-a", "--", "b c", status=7).stdout
    assert out == f"{[str(script), '-a', '--', 'b c']} __main__ {script} {tmp_path}\n"


def test_standard_input():
    assert start("script", "-", "x", stdin="import sys, mora\nprint(sys.argv, mora.Stat().count)").stdout == "['-', 'x'] 0\n"


def test_executable_scripts(tmp_path):
    script = tmp_path / "s"
    script.write_text("#!/usr/bin/env -S mora script\nimport sys, mora\nprint(sys.argv[1:])\n")
    script.chmod(0o755)
    path = f"{pathlib.Path(MORA).parent}:{os.environ['PATH']}"
    done = subprocess.run([script, "1", "-x"], capture_output=True, text=True, env={"PATH": path}, check=True)
    assert done.stdout == "['1', '-x']\n"


def test_exceptions_tell_the_place_in_the_trace(tmp_path, vector):
    script = tmp_path / "s.py"
    script.write_text("import sys, mora\ntrace = mora.open(sys.argv[1])\ndef look(event):\n    return event.nothing\n"
                      "for event in trace.events('RECV'):\n    look(event)\n")
    err = start("script", script, vector("v-06"), status=1).stderr
    assert err.startswith("Traceback") and "scripting.py" not in err and "AttributeError" in err
    assert "in the trace:\n  event = <mora.Event 7: RECV on node 1" in err
    assert "trace = <mora.Trace" in err


def test_bad_scripts(tmp_path):
    assert "cannot read the script" in start("script", tmp_path / "no.py", status=3).stderr
    (tmp_path / "s.py").write_text("def\n")
    assert "SyntaxError" in start("script", tmp_path / "s.py", status=1).stderr
    (tmp_path / "t.py").write_text("raise SystemExit('enough')")
    assert start("script", tmp_path / "t.py", status=1).stderr == "enough\n"


def test_pipes_may_close(tmp_path):
    (tmp_path / "s.py").write_text("for i in range(100000): print(i)\n")
    done = subprocess.run(f"{MORA} script {tmp_path}/s.py | head -1", shell=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_no_python():
    environment = {**os.environ, "MORA_PYTHON": "/nowhere/python3"}
    done = subprocess.run([MORA, "shell"], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
    assert done.returncode == 3 and "cannot start Python" in done.stderr and "/nowhere/python3" in done.stderr


# --- mora shell ---


def test_piped_lines(vector):
    lines = "len(trace)\nfor e in trace.events('RECV'):\n    print(e.num, e.sendptr)\n\nmora.Stat()\n"
    assert start("shell", vector("v-06"), stdin=lines).stdout.splitlines() == [
        "28", "7 5", "13 10", "19 17", "25 23", "<mora.Stat count 0>"]
    assert start("shell", stdin="1 + 1\n").stdout == "2\n"


def test_errors_in_the_shell(vector):
    done = start("shell", vector("v-06"), stdin="1/0\nlen(trace)\n", status=1)
    assert "ZeroDivisionError" in done.stderr and done.stdout == "28\n"  # it goes on
    assert "no such file" in start("shell", "/nowhere", status=3).stderr
    assert start("shell", stdin="exit(4)\n", status=4).stdout == ""


# --- EARL's four tools (Wolf 1998, chapter 7) ---


def test_region_times(vector):
    assert table(example("region_times.py", vector("v-04"))) == {
        ("0", "white"): [9, 2], ("0", "darkgray"): [7, 3.5], ("0", "lightgray"): [3.5, 1.5], ("0", "striped"): [2, 2]}
    v6 = table(example("region_times.py", vector("v-06")))
    assert v6["0", "main"] == [0.011, 0.0088] and v6["1", "main"] == [0.011, 0.00605]
    assert [v6["0", r][0] for r in ("MPI_Send", "MPI_Recv", "MPI_Bcast")] == [0.0004, 0.0016, 0.0002]
    assert [v6["1", r][0] for r in ("MPI_Send", "MPI_Recv")] == [0.00015, 0.0048]


def test_region_times_with_open_regions(vector):
    """white is open at the end (750 µs); the script printed in Wolf 1998, 7.1, gives incl 0 and excl -500 µs."""
    rows = table(example("region_times.py", vector("v-02")))
    for node in "01":
        assert rows[node, "striped"] == [0.0003, 0.0003] and rows[node, "gray"] == [0.0005, 0.0002]
    assert rows["0", "white"] == [0.00065, 0.00015] and rows["1", "white"] == [0.0006, 0.0001]


def test_region_times_with_recursion(vector):
    """A counts once: 6 s, not 10."""
    assert table(example("region_times.py", vector("v-05"))) == {("0", "A"): [6, 5], ("0", "B"): [1, 1]}


@pytest.mark.parametrize("name, wasted", [("v-06", 0.00375), ("v-04", 0), ("v-08", 0), ("v-19", 0.002)])
def test_early_receive(vector, name, wasted):
    path, text = vector(name), example("early_receive.py", vector(name))
    assert text.startswith(f"{path}: ") and text.endswith(" sec wasted.\n")
    assert float(text[len(f"{path}: "):].split()[0]) == pytest.approx(wasted, abs=1e-12)


def test_early_receive_with_other_names(alog):
    trace = alog("-3 0 0 2 0 0\n-13 0 1 2 0 0 SEND\n-13 0 3 4 0 0 RECV\n3 1 0 0 0 10\n1 0 0 0 0 50\n-101 0 0 1 0 51 1 8\n"
                 "2 0 0 0 0 52\n-102 1 0 0 0 60 1 8\n4 1 0 0 0 61\n")
    assert "0.000040000 sec" in example("early_receive.py", trace, "RECV", "SEND")
    assert "0.000000000 sec" in example("early_receive.py", trace)


def test_early_receive_counts_a_wait_for_two_messages_once(text_trace):
    """MPI_Waitall from 10; the sends come at 30 and 50: lost is 40, not 60."""
    trace = text_trace("P0 30-31 MPI_Send to 2 bytes 8\nP1 50-51 MPI_Send to 2 bytes 8\n"
                       "P2 1-2 MPI_Irecv from 0 req a bytes 8; 3-4 MPI_Irecv from 1 req b bytes 8; 10-60 MPI_Waitall req a,b\n")
    assert "0.000000040 sec" in example("early_receive.py", trace)


def v7():
    lines = ["-3 0 0 2 0 0", "-13 0 10 11 0 0 red:solid main", "-13 0 1 2 0 0 green:solid MPI_Send",
             "-13 0 3 4 0 0 blue:solid MPI_Recv", "10 0 0 0 0 0", "10 1 0 0 0 1"]
    for sends, recvs, order in ((100, 500, (4, 3, 2, 1)), (900, 1300, (1, 2, 3, 4))):
        for i in range(4):
            t = sends + 100 * i
            lines += [f"1 0 0 0 0 {t}", f"-101 0 0 1 0 {t + 10} {i + 1} 100", f"2 0 0 0 0 {t + 20}"]
        for i, tag in enumerate(order):
            t = recvs + 100 * i
            lines += [f"3 1 0 0 0 {t}", f"-102 1 0 0 0 {t + 10} {tag} 100", f"4 1 0 0 0 {t + 20}"]
    return "\n".join([*lines, "11 0 0 0 0 1700", "11 1 0 0 0 1701"]) + "\n"


def test_message_order(alog):
    """3 + 2 + 1 reports, in the words of Wolf 1998, 7.3."""
    trace = alog(v7())
    lines = example("message_order.py", trace).splitlines()
    report = ["Received message in wrong order", "on node 1 at 0.000510000 sec.", "Call Stack: MPI_Recv main "]
    assert lines[:3] == report and len(lines) == 6 * 3
    assert [line.split()[4] for line in lines[1::3]] == ["0.000510000"] * 3 + ["0.000610000"] * 2 + ["0.000710000"]
    sys.path.insert(0, str(SCRIPTS))
    from message_order import wrong_order

    with mora.open(trace) as opened:
        assert [(r.num, o.num) for r, o in wrong_order(opened)] == [(16, 10), (16, 7), (16, 4), (19, 7), (19, 4), (22, 4)]


def test_message_order_looks_at_all_tags(vector):
    """Event 5 leaves the older message 1 of another tag waiting; no region, no crash."""
    assert example("message_order.py", vector("v-08")).splitlines()[2] == "Call Stack: "
    assert example("message_order.py", vector("v-06")) == ""


def test_volume_chart(vector, tmp_path):
    """Bars 3.0, 0.5009765625, 0 for receiver 2; 0, 0, 4 for receiver 1."""
    sys.path.insert(0, str(SCRIPTS))
    from volume_chart import chart

    with mora.open(vector("v-20")) as trace:
        two, one = chart(trace, 2), chart(trace, 1)
    assert two.series[""] == [3.0, 0.5009765625, 0.0] and one.series[""] == [0, 0, 4.0]
    assert two.labels == ["0", "1", "2"] and two.title == "Data received by node 2"
    picture = tmp_path / "v.svg"
    assert example("volume_chart.py", vector("v-20"), 2, picture) == f"{picture}\n"
    texts = [t.text for t in ElementTree.parse(picture).getroot().iter("{http://www.w3.org/2000/svg}text")]
    assert {"Data received by node 2", "nodes", "data [KBytes]"} <= set(texts)


# --- the others ---


def test_custom_wait_state(text_trace):
    """Rank 0 polls at 0-2, 10-12, 20-22: lost 20; then waits for other things; a single test later loses nothing."""
    trace = text_trace("P0 0-2 MPI_Test@a.c:7; 10-12 MPI_Test@a.c:7; 20-22 MPI_Iprobe@a.c:8; 30-40 MPI_Barrier; 50-52 MPI_Test@a.c:9\n"
                       "P1 30-40 MPI_Barrier\n")
    assert example("custom_wait_state.py", trace).split() == ["0.000000020", "s", "on", "rank", "0,", "loop", "at", "a.c:7"]


def test_performance_index(text_trace):
    """100 ns on two ranks; rank 1 is 40 ns in MPI: useful (100 + 60) / 200, balance 80 / 100; one message of 1000 B."""
    trace = text_trace("P0 0-100 main; 10-10 MPI_Send to 1 bytes 1000\nP1 0-100 main; 20-60 MPI_Recv from 0 bytes 1000\n")
    row = example("performance_index.py", trace, trace).splitlines()[2].split()[1:]
    assert row == ["0.8", "0.8", "0.08", "1e+04"]  # 160 ns of use for 2 calls; 1000 B in 100 ns


def test_validate(vector, alog):
    assert example("validate.py", vector("v-04")) == "nothing found\n"
    found = example("validate.py", vector("v-08"), status=1)
    assert "message order: event 5" in found and "event 9 (node 1, 0.000080000 s) receives 999 bytes, sent were 400" in found
    assert "event 8 (node 1, 0.000070000 s) sends a message to 0 that is never received" in found
    unsound = alog("-3 0 0 2 0 0\n-13 0 1 2 0 0 a\n-13 0 3 4 0 0 b\n1 0 0 0 0 1\n3 0 0 0 0 2\n2 0 0 0 0 3\n"
                   "2 1 0 0 0 4\n-102 1 0 0 0 5 1 8\n")
    found = example("validate.py", unsound, status=1)
    assert "nesting: rank 0: regions that were not left before their caller" in found
    assert "nesting: rank 1: leaves of regions that were never entered" in found
    assert "messages: event 5 (node 1, 0.000004000 s) receives a message from 0 that nobody sent" in found
    assert found.splitlines()[-2:] == ["     2 x nesting", "     1 x messages"]
    assert "enters white, which is never left" in example("validate.py", vector("v-02"), status=1)


def test_measurement_series(tmp_path):
    """W = 0.02 s; efficiency falls below 0.5 at 8 ranks."""
    words = ["--trace", tmp_path / "out{ranks}-{input}.alog", "--inputs", "0.02", "0.004", "--chart", tmp_path / "s.svg", "--"]
    text = example("measurement_series.py", *words, sys.executable, HERE / "gen.py", "{ranks}", "{input}",
                   tmp_path / "out{ranks}-{input}.alog")
    first, second = text.split("input ")[1:]
    rows = table(first, 3)
    assert [rows[p,][0] for p in "1248"] == [0.02, 0.011002, 0.008002, 0.009502] and ("16",) not in rows
    assert rows["8",][2] == pytest.approx(0.263, abs=5e-4)
    assert "from 4 to 8 ranks" in first and "+   0.022000000  work" in first.replace("+0.0", "+   0.0")
    assert ("4",) in table(second, 3) and ("8",) not in table(second, 3)  # chosen by the result of the run before
    assert (tmp_path / "s.svg").read_text().startswith("<svg")
    failing = ["--trace", tmp_path / "x.alog", "--", sys.executable, HERE / "gen.py", "{ranks}", "-1", tmp_path / "x.alog"]
    assert "cannot work backwards" in start("script", SCRIPTS / "measurement_series.py", *failing, status=1).stderr


def test_the_tools_are_no_longer_than_the_originals():
    lengths = {"region_times.py": 38, "early_receive.py": 31, "message_order.py": 20, "volume_chart.py": 39, "custom_wait_state.py": 30}
    for name, most in lengths.items():
        assert len((SCRIPTS / name).read_text().splitlines()) <= most, name
    for script in SCRIPTS.glob("*.py"):
        assert script.read_text().startswith("#!/usr/bin/env -S mora script\n") and os.access(script, os.X_OK), script


def test_exceptions_in_a_with_block_tell_the_place(tmp_path, vector):
    """The trace is closed when the exception arrives; where it was is still said, once."""
    script = tmp_path / "s.py"
    script.write_text("import sys, mora\nwith mora.open(sys.argv[1]) as trace:\n  for event in trace.events('RECV'):\n    event.nothing\n")
    err = start("script", script, vector("v-06"), status=1).stderr
    assert err.count("event = <mora.Event 7: RECV on node 1") == 1 and "closed" not in err
    assert f"in the trace {vector('v-06')}:\n  event = " in err
