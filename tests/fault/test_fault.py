"""Jobs that end badly: killed ranks, killed launchers, full and read-only disks. Never a crash, never a hang, never a silent loss."""
import contextlib
import os
import random
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
from run_mora import ENVIRONMENT, FLAVOUR, LAUNCHER, MORA, Archive, Case, compile_c, manifest, mora, quality_kinds  # noqa: E402

HERE = Path(__file__).resolve().parent
RANDOM = random.Random(int(os.environ.get("MORA_TEST_SEED", "20")))


def progress(directory, rank):
    """(pid, rounds done) as the program itself counted them."""
    try:
        data = (directory / f"progress.{rank}").read_bytes()
    except FileNotFoundError:
        return 0, 0
    return struct.unpack("qq", data[:16]) if len(data) >= 16 else (0, 0)


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
        return subprocess.Popen(command, cwd=self.dir, env=dict(ENVIRONMENT, MORA_SHM=str(self.shm)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                errors="replace", start_new_session=True)

    def wait_for_rounds(self):
        deadline = time.time() + 60
        while time.time() < deadline and any(progress(self.dir, r)[1] < 50 for r in range(self.ranks)):
            time.sleep(0.02)
        time.sleep(RANDOM.uniform(0, 0.4))

    def pids(self):
        return [progress(self.dir, r)[0] for r in range(self.ranks)]

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
        self.assertEqual(quality_kinds(self.dir / "exp")["open-call"], 1)
        self.assertTrue({"process-killed", "no-finalize"} & set(quality_kinds(self.dir / "exp")))


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
        with mounted(self.dir / "disk", "size=1m") as disk:
            done = self.run_job(disk / "exp", 8000, options=["--chunk-bytes", "64K"])
            self.assertEqual(done.stdout, "all rounds done\n", done.stderr)  # the program was not disturbed
            self.assertEqual(progress(self.dir, 0)[1], 8000)
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
                self.assertLessEqual(abs(r["calls"] + r["lost_calls"] - (2 * 8000 + 3)), 1, r)
            kinds = quality_kinds(disk / "exp")
            self.assertTrue(any("lost" in k for k in kinds), kinds)
            self.assertIn("loss", done.stderr)

    def test_disk_full_only_for_the_archive(self):
        # The journals (480 KiB a rank) fit, but not their archive too.
        with mounted(self.dir / "disk", f"size={500 * self.ranks}k") as disk:
            done = self.run_job(disk / "exp", 4000)
            self.assertEqual(done.stdout, "all rounds done\n")
            if done.returncode == 0:
                self.fail("the disk was large enough: " + done.stderr)
            self.assert_error(done, 3, "mora recover")
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True, timeout=20)
            self.assertEqual(mora("recover", disk / "exp", cwd=self.dir).returncode, 0)
            facts = self.assert_sound(disk / "exp")
            for r in facts["ranks"]:
                self.assertEqual((r["calls"], r["lost_calls"]), (2 * 4000 + 3, 0))

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
