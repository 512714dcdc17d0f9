"""Opening long traces: progress, Ctrl-C, what killed builds leave, no disk."""
import os
import subprocess
import sys
import time

import mora
import pytest

EVENTS = 2_100_000


@pytest.fixture(scope="module")
def long_trace(tmp_path_factory):
    """An ALOG file whose opening takes a second or more."""
    path = tmp_path_factory.mktemp("long") / "long.alog"
    with open(path, "w") as file:
        file.write("-3 0 0 4 0 0\n-13 0 1 2 0 0 red:solid work\n")
        for i in range(0, EVENTS, 2):
            file.write(f"1 {i % 8 // 2} 0 0 0 {10 * i}\n2 {i % 8 // 2} 0 0 0 {10 * i + 5}\n")
    return path


def test_progress(long_trace, index_folder):
    seen = []
    with mora.open(long_trace, progress=lambda done, total: seen.append((done, total))) as trace:
        assert len(trace) == EVENTS and not trace.info.reopened
    assert seen and all(0 <= done <= total or total == 0 for done, total in seen), seen
    assert [done for done, _ in seen] == sorted(done for done, _ in seen) and seen[-1][0] > 0
    assert any(0 < done < total / 2 for done, total in seen), seen  # while the text is read, before there are events
    with mora.open(long_trace, progress=True) as trace:  # standard error is no terminal: nothing is shown
        assert trace.info.reopened
    with pytest.raises(TypeError):
        mora.open(long_trace, progress=3)


@pytest.mark.parametrize("index", [True, False])
def test_an_exception_of_the_callback_ends_the_opening(long_trace, index_folder, index):
    calls = []

    def refuse(done, total):
        calls.append((done, total))
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        mora.open(long_trace, progress=refuse, index=index)
    assert len(calls) == 1 and (calls[0][1] == 0 or calls[0][0] < calls[0][1])


@pytest.mark.parametrize("index", [True, False])
def test_interrupt_acts_at_once(long_trace, index_folder, index):
    # Processor time, of which a machine with other work gives as much as an idle one; the whole opening takes a second or more.
    script = """if True:
        import atexit, time
        atexit.register(lambda: print("ended after", time.process_time() - sent[0]))  # when all that was left running has ended
        import mora, os, signal, sys, threading
        sent = []
        def interrupt():
            while time.process_time() - begin < 0.2:
                time.sleep(0.001)
            sent.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)
        begin = time.process_time()
        threading.Thread(target=interrupt).start()
        try:
            mora.open(sys.argv[1], index=sys.argv[2] == "True")
        except KeyboardInterrupt:
            print("interrupted after", time.process_time() - sent[0])
    """
    said = subprocess.run([sys.executable, "-c", script, str(long_trace), str(index)], capture_output=True, text=True, timeout=600).stdout
    said = said.splitlines()
    assert [line.rsplit(" ", 1)[0] for line in said] == ["interrupted after", "ended after"], said
    assert all(float(line.split()[-1]) < 0.6 for line in said), said
    assert not list(index_folder.iterdir())


def test_leftovers_of_killed_builds_are_removed(long_trace, index_folder):
    """The next opening removes what a killed one has left, and nothing else; not what is still being built."""
    script = "import mora, sys; mora.open(sys.argv[1])"
    deadline = time.monotonic() + 120
    while not (left := [path for path in index_folder.iterdir() if not path.name.endswith(".mora-index")]):
        assert time.monotonic() < deadline
        child = subprocess.Popen([sys.executable, "-c", script, str(long_trace)])
        while child.poll() is None and not any(index_folder.iterdir()):
            time.sleep(0.002)
        child.kill()
        child.wait()
        for done in index_folder.glob("*.mora-index"):
            done.unlink()
    other = index_folder / "other.mora-index.notes.txt"
    other.write_text("kept")
    mora.open(long_trace).close()
    assert not left[0].exists() and other.exists()
    assert sorted(path.suffix for path in index_folder.iterdir()) == [".mora-index", ".txt"]


def test_without_disk_the_index_is_in_memory(long_trace, index_folder):
    """Neither folder can be written: what fits into memory is kept there, although it is long."""
    script = """if True:
        import mora, sys
        trace = mora.open(sys.argv[1])
        print(len(trace), trace[len(trace)].type, trace.info.reopened)
    """
    environment = {**os.environ, "MORA_INDEX_DIR": "/proc/none", "TMPDIR": "/proc/none"}
    done = subprocess.run([sys.executable, "-c", script, str(long_trace)], env=environment, capture_output=True, text=True)
    assert done.stdout == f"{EVENTS} EXIT False\n", done.stderr


def test_printing_a_few_events_makes_no_index(long_trace, index_folder):
    done = subprocess.run([os.environ["MORA"], "print", "--limit", "2", long_trace], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines() if not line.startswith("!")] == ["1", "2"], done.stdout
    assert not list(index_folder.iterdir())
    mora.open(long_trace).close()
    assert list(index_folder.iterdir())  # which is where one would be


def test_applications_of_one_file_are_traces_of_their_own(tmp_path, index_folder):
    """The index that is kept of one is none of the other: its regions take 10 ns there and 15 here."""
    path = tmp_path / "two.prv"
    with open(path, "w") as file:
        file.write("#Paraver (1/1/26 at 0:00):4200000_ns:1(4):2:1(1:1):1(1:1)\n")
        for at in range(0, 4_040_000, 40):
            file.write(f"2:1:1:1:1:{at}:50000003:8\n2:1:1:1:1:{at + 10}:50000003:0\n"
                       f"2:1:2:1:1:{at}:60000019:2\n2:1:2:1:1:{at + 15}:60000019:0\n")
    shown = {}
    for number in (1, 2):
        with mora.open(path, application=number) as trace:
            assert not trace.info.reopened and trace[2].time_ns == (10 if number == 1 else 15)
        with mora.open(path, application=number) as trace:
            assert trace.info.reopened
        for asked in (1, 2):
            done = subprocess.run([os.environ["MORA"], "print", "--limit", "2", "--application", str(asked), path], capture_output=True, text=True,
                                  check=True)
            shown.setdefault(asked, set()).add(done.stdout.splitlines()[1].split()[1])
    assert shown == {1: {"10"}, 2: {"15"}}
    with pytest.raises(mora.UsageError):
        mora.open(path, application=3)
