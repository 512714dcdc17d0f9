"""Jobs that end badly: killed ranks, killed launchers, full and read-only disks. Never a crash, never a hang, never a silent loss."""
import contextlib
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi" / "record"))
from run_mora import ENVIRONMENT, FLAVOUR, LAUNCHER, MORA, Archive, Case, compile_c, ended_with_this_test, manifest, mora, quality_kinds, site_lines  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src/mpi"))
from function_table import read_table  # noqa: E402

HERE = Path(__file__).resolve().parent
FUNCTIONS = {function.name: function.id for function in read_table(HERE.parents[1] / "src/mpi/functions.txt")}
RANDOM = random.Random(int(os.environ.get("MORA_TEST_SEED", "20")))


def progress(directory, rank):
    """(pid, rounds done) as the program itself counted them."""
    try:
        data = (directory / f"progress.{rank}").read_bytes()
    except FileNotFoundError:
        return 0, 0
    return struct.unpack("qq", data[:16]) if len(data) >= 16 else (0, 0)


def end_session(job):
    """What a test that failed has not ended. A job that has been waited for is gone, and its number may be another's."""
    if job.poll() is None:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def begin_stoppable():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored if the test runs in the background
    ended_with_this_test()


class FaultCase(Case):
    ranks = 3 if FLAVOUR == "openmpi" else 2

    def setUp(self):
        super().setUp()
        self.shm = Path(tempfile.mkdtemp(prefix="mora-test-", dir="/dev/shm"))  # others record on this machine too
        compile_c([HERE / "endless.c"], self.dir / "endless", "-O2")

    def tearDown(self):
        shutil.rmtree(self.shm)
        super().tearDown()

    def start(self, *options, directory="exp"):
        command = [MORA, "record", *options, "-o", directory, LAUNCHER, "-n", str(self.ranks), "./endless", "progress"]
        job = subprocess.Popen(command, cwd=self.dir, env=dict(ENVIRONMENT, MORA_SHM=str(self.shm)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               errors="replace", start_new_session=True, preexec_fn=ended_with_this_test)
        self.addCleanup(end_session, job)
        return job

    def wait_for_rounds(self):
        deadline = time.time() + 60
        while time.time() < deadline and any(progress(self.dir, r)[1] < 50 for r in range(self.ranks)):
            time.sleep(0.02)
        time.sleep(RANDOM.uniform(0, 0.4))

    def pids(self):
        """Of the ranks, which all have begun: 0 would be the process group of this test and of all that started it."""
        pids = [progress(self.dir, r)[0] for r in range(self.ranks)]
        self.assertTrue(all(pid > 0 for pid in pids), f"a rank did not begin within a minute: {pids}")
        return pids

    def kill_ranks(self):
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def assert_nothing_lost(self, experiment):
        """Every round that a rank had counted is in the archive."""
        facts = self.assert_sound(experiment)
        for rank in range(self.ranks):
            rounds = progress(self.dir, rank)[1]
            self.assertGreater(rounds, 0)
            self.assertEqual(facts["ranks"][rank]["lost_calls"], 0)
            calls = facts["ranks"][rank]["calls"]
            self.assertGreaterEqual(calls, 1 + 2 * rounds)      # MPI_Init; two calls a round
            self.assertLessEqual(calls, 1 + 2 * rounds + 2 + 2)  # at most the round under way, and an end
        return facts

    def assert_readable_to_the_end(self, experiment):
        archive = Archive(experiment)
        for rank in range(self.ranks):
            self.assertEqual(type(archive.events[rank][-1]).__name__, "ProgramEnd")
            archive.calls(rank)  # balanced


class Killed(FaultCase):
    def test_one_rank(self):
        job = self.start("--chunk-bytes", "64K")
        self.wait_for_rounds()
        os.kill(self.pids()[1], signal.SIGKILL)
        _, errors = job.communicate(timeout=120)
        self.assertNotEqual(job.returncode, 0)
        self.assert_nothing_lost(self.dir / "exp")
        self.assertGreaterEqual(quality_kinds(self.dir / "exp")["process-killed"], 1, errors)
        self.assertIn("killed", errors)
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_all_ranks(self):
        job = self.start()
        self.wait_for_rounds()
        self.kill_ranks()
        job.communicate(timeout=120)
        self.assert_nothing_lost(self.dir / "exp")
        self.assertEqual(quality_kinds(self.dir / "exp")["process-killed"], self.ranks)
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_launcher_and_record_and_all_ranks_then_recover(self):
        job = self.start("--chunk-bytes", "32K")
        self.wait_for_rounds()
        launcher = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
        os.kill(job.pid, signal.SIGKILL)
        for pid in launcher:
            os.kill(int(pid), signal.SIGKILL)
        self.kill_ranks()
        job.communicate(timeout=60)
        self.assertFalse((self.dir / "exp" / "manifest.json").exists())
        done = mora("recover", "exp", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = self.assert_nothing_lost(self.dir / "exp")
        self.assert_readable_to_the_end(self.dir / "exp") if facts["totals"]["events"] < 200000 else None
        self.assertTrue(facts["recovered"])
        self.assertIsNone(facts["launcher_exit"])
        self.assertEqual(facts["command"][0], LAUNCHER)
        self.assertEqual(list(self.shm.iterdir()), [])
        self.assert_error(mora("recover", "exp", cwd=self.dir), 2, "nothing to recover", "mora analyze exp")

    def test_times_of_a_killed_job_are_those_of_the_wall_clock(self):
        job = self.start()
        self.wait_for_rounds()
        began, rounds = time.monotonic(), progress(self.dir, 0)[1]
        while time.monotonic() < began + 0.5 or progress(self.dir, 0)[1] == rounds:
            time.sleep(0.02)
        self.kill_ranks()
        job.communicate(timeout=120)
        facts = manifest(self.dir / "exp")
        # The clock's rate comes from a second reading after the job: without it this would be off by parts in a thousand.
        self.assertGreater(facts["totals"]["wall_s"], 0.5)
        self.assertLess(facts["totals"]["wall_s"], facts["launcher_wall_s"])

    def test_abort(self):
        done = mora("record", "-o", "exp", LAUNCHER, "-n", str(self.ranks), "./endless", "progress", "20", "abort", cwd=self.dir)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("exit code", done.stderr)
        facts = self.assert_sound(self.dir / "exp")
        aborted = [c for c in Archive(self.dir / "exp").calls(self.ranks - 1) if c[0] == "MPI_Abort"]
        self.assertEqual(len(aborted), 1)
        self.assertEqual(facts["ranks"][self.ranks - 1]["open_calls"], 1)
        rows = [r for r in facts["data_quality"] if r["kind"] == "open-call" and r["where"] == f"rank {self.ranks - 1}"]
        self.assertIn("MPI_Abort", rows[0]["what"])  # the others were killed in calls of their own
        self.assertTrue({"process-killed", "no-finalize"} & set(quality_kinds(self.dir / "exp")))


class Endings(Case):
    """What is said of jobs that do not end by themselves. No test depends on how long anything takes."""

    ranks = 3 if FLAVOUR == "openmpi" else 2

    def setUp(self):
        super().setUp()
        compile_c([HERE / "ending.c"], self.dir / "ending", "-O1")
        self.at = {name: f"ending.c:{line}" for name, line in site_lines(HERE / "ending.c").items()}
        self.job = ["record", "-o", "exp", LAUNCHER, "-n", str(self.ranks), "./ending"]
        self.shm = Path(tempfile.mkdtemp(prefix="mora_ending_", dir="/dev/shm"))
        self.addCleanup(shutil.rmtree, self.shm)

    def call_of(self, rank):
        """Number of the function that a rank is in by its live chunk, whose last 64 bytes are mora_state (journal/format.h); 0: in none."""
        found = list(self.shm.glob(f"mora.*.{rank}"))
        return struct.unpack("Q", found[0].read_bytes()[-64:-56])[0] & 0xFFFF if found else 0

    def all_are_there(self, calls, told):
        """All ranks have told what they tell when they are behind the first barrier, and are in these calls then."""
        return all((self.dir / name).exists() for name in told) and all(self.call_of(r) in calls[r] for r in range(self.ranks))

    def stopped(self, how, number, *functions, rank_1="MPI_Barrier", others="MPI_Barrier", told=()):
        """The end of what is printed about a job that was stopped when rank 0 was in one of the functions, and the others where
        they stay; rank_1 None: outside of MPI, when it has told."""
        calls = [functions, (rank_1,)] + [(others,)] * (self.ranks - 2)
        number_of = [{FUNCTIONS.get(name, 0) for name in names} for names in calls]
        told = [f"set.{r}" for r in range(self.ranks)] + list(told)
        job = subprocess.Popen([MORA, *self.job, how, "set"], cwd=self.dir, env=dict(ENVIRONMENT, MORA_SHM=str(self.shm)), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
                               preexec_fn=begin_stoppable)
        self.addCleanup(end_session, job)
        deadline = time.time() + 60
        while not self.all_are_there(number_of, told) and time.time() < deadline:
            time.sleep(0.02)
        job.send_signal(number)
        return self.ending(job.communicate(timeout=120)[1])

    def died(self, how):
        done = mora(*self.job, how, "set", cwd=self.dir)
        self.assertNotEqual(done.returncode, 0)
        return self.ending(done.stderr)

    def ending(self, errors):
        """The sentences in manifest.json, which are the last ones printed and stand in the report."""
        self.assert_sound(self.dir / "exp")
        sentences = manifest(self.dir / "exp")["ending"]
        printed = " ".join(errors.split())
        self.assertTrue(printed.endswith(" ".join("mora: " + s for s in sentences)), errors)
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        report = " ".join(mora("report", "exp", cwd=self.dir).stdout.split())
        self.assertIn("The job did not end by itself. " + sentences[0][0].upper() + sentences[0][1:], report)
        archive = Archive(self.dir / "exp")
        self.calls = [archive.calls(rank) for rank in range(self.ranks)]
        kinds = quality_kinds(self.dir / "exp")
        self.assertFalse({"clock-went-backwards", "flush-inside-call", "clock-backwards"} & set(kinds), kinds)
        findings = mora("report", "--json", "exp", cwd=self.dir).stdout
        self.assertNotIn("clock-went-backwards", findings)
        self.assertNotIn("flush-inside-call", findings)
        return sentences

    def assert_one(self, pattern, sentences):
        found = [s for s in sentences if re.fullmatch(pattern, s)]
        self.assertEqual(len(found), 1, (pattern, sentences))
        return re.fullmatch(pattern, found[0])

    def test_a_receive_without_a_message(self):
        said = self.stopped("recv", signal.SIGINT, "MPI_Recv", rank_1=None, told=["sent.1"])
        self.assertEqual(said[0], "the job was stopped by signal 2 (Interrupt)")
        self.assert_one(rf"rank 0 has been in MPI_Recv \({self.at['recv']}\) from rank 1, tag 99, for [0-9.]+ m?s; "
                                       r"no such message was sent, but one with tag 98", said)
        self.assert_one(rf"rank 1 has been outside MPI for .*, since MPI_Send \({self.at['send']}\) returned", said)
        name, line, inside, enter, leave = self.calls[0][-1]  # the open call is in the archive, until the process's end
        self.assertEqual((name, f"ending.c:{line}", inside), ("MPI_Recv", self.at["recv"], []))
        self.assertGreater(leave.time, enter.time)

    def test_a_circle(self):
        said = self.stopped("circle", signal.SIGTERM, "MPI_Recv", rank_1="MPI_Recv", others="MPI_Recv")
        self.assertEqual(said[0], "the job was stopped by signal 15 (Terminated)")
        circle = [f"rank {r} in MPI_Recv ({self.at['circle']}) waits for rank {(r + 1) % self.ranks}" for r in range(self.ranks)]
        self.assertEqual(said[1], "deadlock: " + ", ".join(circle))

    def test_a_request_and_a_barrier(self):
        said = self.stopped("wait", signal.SIGINT, "MPI_Wait")
        self.assert_one(rf"rank 0 has been in MPI_Wait \({self.at['wait']}\) for MPI_Irecv \({self.at['irecv']}\) from rank 1, tag 99, for "
                        r"[0-9.]+ m?s; no such message was sent", said)
        self.assert_one(rf"rank 1 has been in MPI_Barrier \({self.at['barrier']}\) on MPI_COMM_WORLD, for [0-9.]+ m?s; rank 0 has not come to it", said)
        self.assertEqual(said[1], f"deadlock: rank 0 in MPI_Wait ({self.at['wait']}) waits for rank 1, "
                                  f"rank 1 in MPI_Barrier ({self.at['barrier']}) waits for rank 0")

    def test_the_end_of_mpi_that_one_does_not_come_to(self):
        said = self.stopped("finalize", signal.SIGINT, "MPI_Recv", rank_1="MPI_Finalize", others="MPI_Finalize")
        self.assertEqual(said[1][:10], "deadlock: ")
        for rank in range(1, self.ranks):  # though the last communicator that they used is another one
            self.assert_one(rf"rank {rank} has been in MPI_Finalize \({self.at['finalize']}\) on MPI_COMM_WORLD, for [0-9.]+ m?s; rank 0 has not come to it", said)

    def test_two_requests_of_which_one_is_served(self):
        said = self.stopped("waitall", signal.SIGTERM, "MPI_Waitall")
        self.assert_one(rf"rank 0 has been in MPI_Waitall \({self.at['waitall']}\) for 2 requests, of them MPI_Irecv \({self.at['first']}\) from rank 1, "
                        rf"tag 7 and MPI_Irecv \({self.at['second']}\) from rank 1, tag 8, for [0-9.]+ m?s; no message from rank 1, tag 8 was sent", said)

    def test_polls_for_a_message_that_nobody_sends(self):
        # Whether the process is in a poll or between two is chance.
        said = self.stopped("poll", signal.SIGINT, "MPI_Iprobe", None, told=["polls.0"])
        self.assertEqual(said[1], f"deadlock: rank 0 in MPI_Iprobe ({self.at['iprobe']}) waits for rank 1, "
                                  f"rank 1 in MPI_Barrier ({self.at['barrier']}) waits for rank 0")
        self.assert_one(rf"rank 0 has been polling with MPI_Iprobe \({self.at['iprobe']}\) from rank 1, tag 99, for [0-9.]+ m?s; no such message was sent", said)

    def test_polls_with_pauses_for_a_request(self):
        said = self.stopped("poll-for-requests", signal.SIGINT, "MPI_Test", None, told=["polls.0"])
        self.assert_one(rf"rank 0 has been polling with MPI_Test \({self.at['test']}\) for MPI_Irecv \({self.at['tested']}\) from rank 1, tag 99, "
                        r"for [0-9.]+ m?s; no such message was sent", said)

    def test_another_collective(self):
        said = self.stopped("other-collective", signal.SIGINT, "MPI_Recv", rank_1="MPI_Allreduce", others="MPI_Allreduce")
        self.assert_one(rf"rank 1 has been in MPI_Allreduce \({self.at['allreduce']}\) on [a-z_A-Z 0-9]+, for [0-9.]+ m?s; "
                        rf"rank 0 came to MPI_Bcast \({self.at['bcast']}\) instead", said)

    def assert_deadlock(self, said, call, why):
        """Rank 0 in a call on a window, rank 1 in the barrier behind it."""
        circle = re.fullmatch(rf"deadlock: rank 0 in {call} waits for rank 1, rank 1 in MPI_Barrier \({self.at['barrier']}\) waits for rank 0", said[1])
        self.assertTrue(circle, said)
        self.assert_one(rf"rank 0 has been in {call}( at rank 1)?, for [0-9.]+ m?s; {why}", said)

    def test_a_fence_and_a_barrier(self):
        others = "ranks 1-2 have" if self.ranks == 3 else "rank 1 has"
        self.assert_deadlock(self.stopped("win-fence", signal.SIGINT, "MPI_Win_fence"), rf"MPI_Win_fence \({self.at['fence']}\)", f"{others} not come to it")

    def test_an_exposure_epoch_that_nobody_completes(self):
        self.assert_deadlock(self.stopped("win-wait", signal.SIGINT, "MPI_Win_wait"), rf"MPI_Win_wait \({self.at['win-wait']}\)", "rank 1 has not called MPI_Win_complete")

    def test_an_access_epoch_that_nobody_posted(self):
        # A library may wait at the start of the epoch, or at its end.
        calls = rf"MPI_Win_(start \({self.at['win-start']}\)|complete \({self.at['win-complete']}\))"
        self.assert_deadlock(self.stopped("win-complete", signal.SIGINT, "MPI_Win_start", "MPI_Win_complete"), calls, "rank 1 has not called MPI_Win_post for it")

    def test_a_lock_that_is_never_given_back(self):
        said = self.stopped("win-lock", signal.SIGINT, "MPI_Win_lock", "MPI_Win_flush")
        self.assert_deadlock(said, rf"MPI_Win_(lock \({self.at['lock']}\)|flush \({self.at['flush']}\))", "rank 1 holds the lock")

    def test_who_died_first_and_of_what(self):
        self.assertRegex(self.died("segv")[0], r"^rank 1 was the first to end: it was killed by signal 11 \(Segmentation fault\), outside MPI, .* after MPI_Barrier")

    def test_a_signal_that_leaves_no_note(self):
        # A dying process closes its connection to the launcher before it counts as gone. The launcher may have killed others by
        # then, which are gone first: then Mora says that the order is not certain, and takes the one that did not wait in MPI.
        self.assertRegex(self.died("kill")[0], r"^rank 1 was (the first to end|probably the first to end \(.*rank.* 0.* ended less than 50 ms from it\)): "
                                               r"it was killed by signal 9 \(Killed\), outside MPI, .* after MPI_Barrier")

    def test_an_exit(self):
        self.assertRegex(self.died("exit")[0], r"^rank 1 was the first to end: it exited without MPI_Finalize")

    def test_an_abort(self):
        self.assertEqual(self.died("abort")[0], f"rank 1 was the first to end: it called MPI_Abort ({self.at['abort']})")
        self.assertEqual([c[0] for c in self.calls[1]].count("MPI_Abort"), 1)

    def test_a_refused_call(self):
        said = self.died("refuse")
        self.assertEqual(said[0], f"rank 1 was the first to end: it was ended by MPI, which refused MPI_Send ({self.at['refuse']}) to rank 77, tag 5: MPI_ERR_RANK")
        row = [r for r in manifest(self.dir / "exp")["data_quality"] if r["kind"] == "failed-call"]
        self.assertEqual([r["where"] for r in row], [f"rank 1, MPI_Send ({self.at['refuse']})"])
        self.assertIn("MPI_ERR_RANK", row[0]["what"])
        self.assertEqual(self.calls[1][-1][0], "MPI_Send")

    def test_a_call_refused_while_others_compute(self):
        self.assertRegex(self.died("refuse-while-others-compute")[0], r"^rank 1 was the first to end: it was ended by MPI, which refused MPI_Send .* to rank 77, tag 5: MPI_ERR_RANK$")

    def assert_refused(self, what, function):
        """A call about objects of the process alone, while the others compute."""
        said = self.died(f"{what}-refused-while-others-compute")
        at = f"{function} ({self.at[what + '-refused']})"
        self.assertRegex(said[0], rf"^rank 1 was the first to end: it was ended by MPI, which refused {re.escape(at)}.*: MPI_ERR_")
        row = [r for r in manifest(self.dir / "exp")["data_quality"] if r["kind"] == "failed-call"]
        self.assertEqual([r["where"] for r in row], [f"rank 1, {at}"])
        self.assertEqual(self.calls[1][-1][0], function)

    def test_a_refused_group(self):
        self.assert_refused("group", "MPI_Group_incl")

    def test_a_refused_datatype(self):
        self.assert_refused("type", "MPI_Type_contiguous")

    def test_a_refused_info(self):
        self.assert_refused("info", "MPI_Info_set")

    def test_a_refused_query(self):
        self.assert_refused("query", "MPI_Type_size")

    def test_a_refused_query_of_fortran(self):
        compile_c([HERE / "queries.F90"], self.dir / "queries", compiler="mpifort")
        at = f"queries.F90:{site_lines(HERE / 'queries.F90')['query']}"
        job = ["record", "-o", "exp", LAUNCHER, "-n", "2", "./queries"]
        self.ranks = 2
        done = mora(*job, "returned", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = [r for r in manifest(self.dir / "exp")["data_quality"] if r["kind"] == "failed-call"]
        self.assertEqual([r["where"] for r in row], [f"rank 1, MPI_Type_size ({at}), MPI_ERR_TYPE"])
        shutil.rmtree(self.dir / "exp")
        done = mora(*job, cwd=self.dir)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"which refused MPI_Type_size ({at}): MPI_ERR_TYPE", self.ending(done.stderr)[0])

    def test_a_refused_attribute(self):
        self.assert_refused("attribute", "MPI_Comm_set_attr")

    def test_an_error_that_is_returned(self):
        done = mora(*self.job, "returned", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(manifest(self.dir / "exp")["ending"], [])
        row = [r for r in manifest(self.dir / "exp")["data_quality"] if r["kind"] == "failed-call"]
        self.assertEqual([r["where"] for r in row], [f"rank 1, MPI_Comm_size ({self.at['query-returned']}), MPI_ERR_COMM",
                                                     f"rank 1, MPI_Send ({self.at['returned']}), MPI_ERR_RANK"])


@contextlib.contextmanager
def mounted(path, options):
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "mora-test", str(path)], check=True, timeout=20)
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True, timeout=20)


class Disks(FaultCase):
    def run_job(self, directory, rounds, env=None, options=()):
        return mora("record", *options, "-o", directory, LAUNCHER, "-n", str(self.ranks), "./endless", "progress", str(rounds), cwd=self.dir, env=env)

    def test_full_disk_while_recording_and_then_recover(self):
        with mounted(self.dir / "disk", "size=512k") as disk:
            done = self.run_job(disk / "exp", 4000, options=["--chunk-bytes", "64K"])
            self.assertEqual(done.stdout, "all rounds done\n", done.stderr)  # the program was not disturbed
            self.assertEqual(progress(self.dir, 0)[1], 4000)
            self.assert_error(done, 3, "mora recover")
            journals = sorted((disk / "exp" / "journal").glob("*.journal"))
            self.assertEqual(len(journals), self.ranks)
            self.assertFalse((disk / "exp" / "traces.otf2").exists())
            self.assertFalse((disk / "exp" / "manifest.json").exists())
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True, timeout=20)
            done = mora("recover", disk / "exp", cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            facts = self.assert_sound(disk / "exp")
            self.assertGreater(facts["totals"]["lost_calls"], 0)
            self.assertGreater(facts["totals"]["calls"], 100)
            for r in facts["ranks"]:  # what is not there is counted: MPI_Init, rounds, barrier, finalize
                self.assertEqual(r["calls"] + r["lost_calls"], 2 * 4000 + 3, r)
            kinds = quality_kinds(disk / "exp")
            self.assertTrue(any("lost" in k for k in kinds), kinds)
            self.assertIn("loss", done.stderr)
            self.assertEqual([(r["ended"], r["finalized"]) for r in facts["ranks"]], [(True, True)] * self.ranks)
            self.assertNotIn("process-killed", kinds)  # their journals were full, but nobody killed them
            self.assertNotIn("killed", done.stderr)

    def test_disk_full_only_for_the_archive(self):
        # The journals (480 KiB a rank) fit, whoever is first to write; but not their archive too (290 KiB a rank).
        with mounted(self.dir / "disk", f"size={650 * self.ranks}k") as disk:
            done = self.run_job(disk / "exp", 4000)
            self.assertEqual(done.stdout, "all rounds done\n")
            if done.returncode == 0:
                self.fail("the disk was large enough: " + done.stderr)
            self.assert_error(done, 3, "mora recover", "why:   No space left on device")
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True, timeout=20)
            self.assertEqual(mora("recover", disk / "exp", cwd=self.dir).returncode, 0)
            facts = self.assert_sound(disk / "exp")
            for r in facts["ranks"]:
                self.assertEqual((r["calls"], r["lost_calls"], r["ended"]), (2 * 4000 + 3, 0, True))
            self.assertNotIn("process-killed", quality_kinds(disk / "exp"))

    def test_no_shared_memory_uses_the_experiment(self):
        with mounted(self.dir / "shm", "size=64k") as shm:
            done = self.run_job("exp", 500, env={"MORA_SHM": str(shm)})
            self.assertEqual(done.returncode, 0, done.stderr)
            facts = self.assert_sound(self.dir / "exp")
            self.assertEqual([r["calls"] for r in facts["ranks"]], [1003] * self.ranks)
            self.assertEqual(list(shm.iterdir()), [])

    def test_read_only_directory(self):
        with mounted(self.dir / "disk", "size=1m,ro") as disk:
            done = self.run_job(disk / "exp", 10)
            self.assert_error(done, 3, "cannot make the experiment directory", "not started", "-o")
            self.assertEqual(done.stdout, "")
            self.assertEqual(progress(self.dir, 0), (0, 0))


class Recover(FaultCase):
    def test_what_cannot_be_recovered(self):
        self.assert_error(mora("recover", "nothing", cwd=self.dir), 3, "no such directory")
        (self.dir / "empty").mkdir()
        self.assert_error(mora("recover", "empty", cwd=self.dir), 3, "nothing to recover")
        (self.dir / "bad" / "journal").mkdir(parents=True)
        (self.dir / "bad" / "journal" / "00000000000000ab.0.journal").write_bytes(b"not a journal" * 100)
        self.assert_error(mora("recover", "bad", cwd=self.dir), 3, "journal")
        self.assertTrue((self.dir / "bad" / "journal" / "00000000000000ab.0.journal").exists())

    def test_damaged_journals_are_counted(self):
        done = mora("record", "--keep-journal", "-o", "exp", LAUNCHER, "-n", str(self.ranks), "./endless", "progress", "300", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        for f in ["traces.otf2", "traces.def", "manifest.json"]:
            (self.dir / "exp" / f).unlink()
        subprocess.run(["rm", "-r", self.dir / "exp" / "traces"], check=True)
        journals = sorted((self.dir / "exp" / "journal").glob("*.journal"))
        data = journals[0].read_bytes()
        journals[0].write_bytes(data[: len(data) // 2])
        journals[1].unlink()
        done = mora("recover", "exp", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_sound(self.dir / "exp")
        kinds = quality_kinds(self.dir / "exp")
        self.assertIn("rank-missing", kinds)
        self.assertTrue({"journal-damaged-chunk", "journal-live-chunk-missing"} & set(kinds), kinds)


if __name__ == "__main__":
    unittest.main(verbosity=2)
