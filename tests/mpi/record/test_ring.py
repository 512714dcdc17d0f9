"""mora record --ring: the newest part of a run, which begins at one point of all ranks and pairs what the whole run pairs."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from run_mora import ENVIRONMENT, LAUNCHER, SOURCES, Archive, Case, compile_c, manifest, mora

RANKS, MIB, ROUNDS = 3, 1 << 20, 300


class Ring(Case):
    def record(self, *words, rounds=ROUNDS, options=("--ring", "1M"), keep=False, code=0):
        program = compile_c([SOURCES / "ring.c"], self.dir / "ring")
        done = mora("record", *options, *["--keep-journal"][:keep], "-o", "exp", LAUNCHER, "-n", RANKS, program, rounds, *words, cwd=self.dir)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        self.facts = manifest(self.dir / "exp")
        self.archive = Archive(self.dir / "exp")
        return done

    def row(self, kind="ring-begin"):
        row, = (r for r in self.facts["data_quality"] if r["kind"] == kind)
        return row

    def names(self, rank):
        return [name for name, *_ in self.archive.calls(rank)]

    def kinds_found(self):
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        return {r["kind"] for r in json.loads(mora("report", "--json", "exp", cwd=self.dir).stdout)["data_quality"]}

    def pairs(self, experiment="exp"):
        """(sender, receiver, tag, bytes sent, bytes received) of each message that Mora paired."""
        text = mora("print", experiment, cwd=self.dir).stdout
        sends, pairs = {}, []
        for line in text.splitlines():
            words = line.split()
            fields = dict(word.split("=", 1) for word in words[3:] if "=" in word)
            if words[3] in ("SEND", "ISEND"):
                sends[words[0]] = (words[2], fields)
            elif "send" in fields:
                sender, sent = sends[fields["send"]]
                pairs.append((sender, words[2], fields["tag"], int(sent["bytes"]), int(fields["bytes"])))
        return pairs

    def round_of(self, rank, number, crossing=False):
        """The calls of the program's round `number`, from 0."""
        calls = ["MPI_Sendrecv"] * (40 if rank == 0 else 20) + ["MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Sendrecv"]
        if crossing:
            calls += ["MPI_Wait", "MPI_Recv"][:0 if number == 0 else 2] + ["MPI_Irecv", "MPI_Send"]
        calls += ["MPI_Allreduce"] * (number % 3 == 2) + ["MPI_Barrier"] * (number % 5 == 4)
        return calls + ["MPI_Send"] * crossing

    def assert_tail_of_whole(self, end, crossing=False):
        """What is told is the whole run's calls behind one of its barriers."""
        begins = set()
        for rank in range(RANKS):
            told = self.names(rank)
            whole, barriers = [], []
            for number in range(ROUNDS):
                whole += self.round_of(rank, number, crossing)
                if number % 5 == 4:
                    barriers.append(len(whole) - crossing)
            whole += end
            self.assertEqual(told, whole[len(whole) - len(told):])
            begins.add(barriers.index(len(whole) - len(told)))
        self.assertEqual(len(begins), 1, "all ranks begin behind the same barrier")
        return begins.pop()

    def test_begins_behind_a_barrier_of_all(self):
        self.record()
        self.assertEqual(self.row()["severity"], "warning")
        self.assertIn("MPI_Barrier returns", self.row()["what"])
        self.assert_tail_of_whole(["MPI_Finalize"])
        told = sum(len(self.names(rank)) for rank in range(RANKS))
        whole = ROUNDS * sum(len(self.round_of(rank, 0)) for rank in range(RANKS)) + RANKS * (ROUNDS // 3 + ROUNDS // 5 + 4)
        self.assertEqual(self.row()["count"] + told, whole)
        kinds = self.kinds_found()
        self.assertFalse({k for k in kinds if k.startswith(("unmatched", "incomplete", "uncompleted"))}, kinds)

    def test_messages_that_cross_the_begin_shift_no_others(self):
        self.record("crossing")
        self.assert_tail_of_whole(["MPI_Wait", "MPI_Recv", "MPI_Finalize"], crossing=True)
        # at each barrier one receive of tag 2 and one of tag 3 belong to a message that was sent before, or their receive was posted before
        self.assertIn("9 ends of messages", self.row()["what"])
        pairs = self.pairs()
        crossing = [pair for pair in pairs if pair[2] in ("2", "3")]
        self.assertGreater(len(crossing), 100)
        for pair in crossing:
            self.assertEqual(pair[3], pair[4], pair)  # the bytes are the number of the round
        sizes = {tag: sorted({pair[3] for pair in crossing if pair[2] == tag}) for tag in ("2", "3")}
        for tag in sizes:
            self.assertEqual(sizes[tag], list(range(sizes[tag][0], ROUNDS + 1)), "none is missing behind the first")

    def test_begins_at_a_time_without_collective_calls(self):
        self.record("alone")
        self.assertIn("between two calls of each process", self.row()["what"])
        for rank in range(RANKS):
            names = self.names(rank)
            self.assertGreater(len(names), 500)
            self.assertEqual(names[-1], "MPI_Finalize")
        kinds = self.kinds_found()
        self.assertFalse({k for k in kinds if k.startswith("unmatched")}, kinds)

    def test_keeps_its_bound(self):
        self.record(rounds=600, keep=True)
        sizes = [path.stat().st_size for path in (self.dir / "exp/journal").glob("*.journal")]
        self.assertEqual(len(sizes), RANKS)
        self.assertLessEqual(sum(sizes), MIB)
        before, calls = self.row(), [self.names(rank) for rank in range(RANKS)]
        for name in ("manifest.json", "traces.otf2"):
            (self.dir / "exp" / name).unlink()
        self.assertEqual(mora("recover", "exp", cwd=self.dir).returncode, 0)
        self.facts, self.archive = manifest(self.dir / "exp"), Archive(self.dir / "exp")
        self.assertEqual((self.row()["count"], [self.names(rank) for rank in range(RANKS)]), (before["count"], calls))

    def test_a_job_that_is_killed_leaves_its_newest_part(self):
        self.leaves_its_newest_part("killed")

    def test_a_job_that_aborts_leaves_its_newest_part(self):
        self.leaves_its_newest_part("aborts")

    def test_a_job_that_has_a_fault_leaves_its_newest_part(self):
        self.leaves_its_newest_part("faults")

    def test_a_time_is_kept_where_a_process_dies(self):
        """Until its death, of which no process tells."""
        for how in ("waits+aborts", "waits+killed"):
            shutil.rmtree(self.dir / "exp", ignore_errors=True)
            self.leaves_its_newest_part(how, rounds=60, options=("--ring", "60ms"))
            self.assert_covers(60)
            self.assertLess(self.names(1).count("MPI_Barrier"), 10, "one each fifth round, of 60 rounds")

    def leaves_its_newest_part(self, how, **more):
        self.record(how, code=None, **more)
        self.assertIn("MPI_Barrier returns", self.row()["what"])
        names = self.names(1)
        self.assertEqual(names[-1], "MPI_Waitall")
        self.assertEqual(names[-4:-2], ["MPI_Sendrecv", "MPI_Irecv"])
        self.assertIn("process-killed", {r["kind"] for r in self.facts["data_quality"]})
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)

    def test_a_run_that_needs_less_is_whole(self):
        done = self.record(rounds=20, options=("--ring", "100M"))
        self.assertNotIn("ring-begin", {r["kind"] for r in self.facts["data_quality"]})
        self.assertIn("nothing recorded was lost", done.stderr)
        self.assertEqual(self.names(0)[:2], [self.names(1)[0], "MPI_Comm_split"])

    def test_a_time_is_kept_and_little_more(self):
        done = self.record("waits", rounds=100, options=("--ring", "100ms"), keep=True)  # a round takes 5 ms and more
        self.assertIn("of the last 100 ms, or of what fits into 128 MiB", done.stderr)
        self.assert_covers(100)
        self.assertIn("MPI_Barrier returns", self.row()["what"])
        barriers = [self.names(rank).count("MPI_Barrier") for rank in range(RANKS)]
        self.assertEqual(len(set(barriers)), 1)
        self.assertLess(barriers[0], 20, "one each fifth round, of 100 rounds")
        before, calls = self.row(), [self.names(rank) for rank in range(RANKS)]
        for name in ("manifest.json", "traces.otf2"):
            (self.dir / "exp" / name).unlink()
        self.assertEqual(mora("recover", "exp", cwd=self.dir).returncode, 0)
        self.facts, self.archive = manifest(self.dir / "exp"), Archive(self.dir / "exp")
        self.assertEqual((self.row()["count"], [self.names(rank) for rank in range(RANKS)]), (before["count"], calls))

    def assert_covers(self, milliseconds):
        """Until the end, from the last barrier that allows it."""
        asked, covered = re.search("asked for the last ([0-9.]+) ms, and these are the last ([0-9.]+ (?:ms|s)):", self.row()["what"]).groups()
        self.assertEqual(float(asked), milliseconds)
        number, unit = covered.split()
        self.assertGreaterEqual(float(number) * (1000 if unit == "s" else 1), milliseconds)

    def test_a_size_wins_over_a_time(self):
        done = self.record(options=("--ring", "100s,1M"), keep=True)
        self.assertIn("last 100.000 s, or of what fits into 1.0 MiB of disk space in all processes", done.stderr)
        self.assertIn("the size of the rings has no room for the 100.000 s that --ring asked for", self.row()["what"])
        self.assertLessEqual(sum(path.stat().st_blocks * 512 for path in (self.dir / "exp/journal").glob("*.journal")), MIB)
        self.assert_tail_of_whole(["MPI_Finalize"])

    def test_a_run_that_is_shorter_than_the_time_is_whole(self):
        self.record(rounds=20, options=("--ring", "1000s"))
        self.assertNotIn("ring-begin", {r["kind"] for r in self.facts["data_quality"]})

    def wait_until(self, condition, job):
        until = time.monotonic() + 120
        while not condition():
            self.assertIsNone(job.poll(), "the job has ended")
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_writes_what_it_holds_while_the_job_goes_on(self):
        self.writes_while_the_job_goes_on("1M")

    def test_writes_the_last_time_while_the_job_goes_on(self):
        for path in self.writes_while_the_job_goes_on("400ms", "waits", tags=("0", "1"), least=1):
            self.facts = manifest(path)
            self.assert_covers(400)

    def writes_while_the_job_goes_on(self, ring, how="crossing", **found):
        program = compile_c([SOURCES / "ring.c"], self.dir / "ring")
        with open(self.dir / "log", "wb") as log:
            job = subprocess.Popen([os.environ["MORA_BINARY"], "record", "--ring", ring, "-o", "exp", LAUNCHER, "-n", str(RANKS), str(program),
                                    "0", how, str(self.dir / "stop")], cwd=self.dir, env=ENVIRONMENT, stdout=log, stderr=log)
        self.addCleanup(lambda: (job.poll() is None and job.kill(), job.wait()))
        dumps = []
        if ring[-1] == "M":
            self.wait_until(lambda: self.rings_come_round() == RANKS, job)
        self.wait_until(lambda: len(list((self.dir / "exp/journal").glob("*.journal"))) == RANKS, job)
        for number in range(1, 1000):
            path = self.dir / ("exp-now" if number == 1 else f"exp-now-{number}")
            job.send_signal(signal.SIGUSR1)
            self.wait_until((path / "manifest.json").exists, job)
            cuts = [row["what"] for row in manifest(path)["data_quality"] if row["kind"] == "ring-begin"]
            if ring[-1] == "M" or any("MPI_Barrier returns" in cut for cut in cuts):  # the job has gone on for longer than that time
                dumps.append(path)
            if len(dumps) == 2:
                break
        (self.dir / "stop").touch()
        self.assertEqual(job.wait(timeout=120), 0, (self.dir / "log").read_text())
        written = [*dumps, self.dir / "exp"]
        for path in written:
            self.assertFalse((path / "journal").exists())
            self.look_at(path, path.name == "exp", **found)
        return written

    def rings_come_round(self):
        """How many rings have forgotten their first chunk."""
        come_round = 0
        for path in (self.dir / "exp/journal").glob("*.journal"):
            with path.open("rb") as file:
                content = file.read(1 << 16)
            at = content.find(b"MORARING")
            come_round += at >= 0 and int.from_bytes(content[at + 48:at + 56], "little") > 0  # first_record of the image in place 0
        return come_round

    def look_at(self, experiment, is_end, tags=("2", "3"), least=50):
        self.facts, self.archive = manifest(experiment), Archive(experiment)
        self.assertEqual({r["kind"] for r in self.facts["data_quality"]}, {"ring-begin"})
        self.assertEqual(mora("analyze", experiment, cwd=self.dir).returncode, 0)
        messages = [pair for pair in self.pairs(experiment) if pair[2] in tags]
        self.assertGreaterEqual(len(messages), least)
        for pair in messages:
            self.assertEqual(pair[3], pair[4], pair)
        for rank in range(RANKS):
            self.assertEqual("MPI_Finalize" in self.names(rank), is_end)

    def test_what_is_refused(self):
        for words in (("--ring", "many"), ("--ring", "1K"), ("--ring", "1M", "--stats"), ("--ring", "1M", "--budget", "1M"), ("--ring", "30"),
                      ("--ring", "0s"), ("--ring", "1us"), ("--ring", "-5s"), ("--ring", "30s,"), ("--ring", "30s,1K"), ("--ring", "30s,2s"),
                      ("--ring", "1M,30s"), ("--ring", "30s", "--budget", "1M"), ("--ring", "30s", "--stats")):
            self.assert_error(mora("record", *words, LAUNCHER, "-n", 1, "true", cwd=self.dir), 2, "--ring")


if __name__ == "__main__":
    unittest.main()
