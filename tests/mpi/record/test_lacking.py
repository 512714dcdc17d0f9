"""What is lacking is said once, with what helps, and the rest is recorded: no debug information, no unwind tables, no signal or
timer for samples, executables that are gone, replaced, or have their debug information elsewhere."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "samples"))

import kernel_clock  # noqa: E402
from run_mora import FLAVOUR, LAUNCHER, Case, compile_c, manifest, mora  # noqa: E402

SOURCE = pathlib.Path(__file__).with_name("lacking.c")
FORBID = SOURCE.parents[1] / "counters/forbid.c"
ONE_OF_EACH = ["region=MPI_Init", "region=MPI_Barrier", "region=MPI_Barrier", "region=MPI_Finalize"]


class Lacking(Case):
    def forbid(self, call):
        """A command before another one, in which a system call is forbidden, as a container's seccomp filter does it."""
        program = self.dir / f"forbid-{call}"
        subprocess.run(["cc", f"-DFORBIDDEN={call}", "-o", program, FORBID], check=True, timeout=60)
        return program

    def record(self, *words, flags=("-g", "-O2"), program=None, env=None, before=()):
        """What is said beside the records, by kind, and the lines of the calls and samples."""
        program = program or compile_c([SOURCE], self.dir / "lacking", *flags)
        done = mora("record", "--mpi", FLAVOUR, "-o", "exp", LAUNCHER, "-n", 1, *before, program, *words, cwd=self.dir, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stdout
        rows = {row["kind"]: row for row in manifest(self.dir / "exp")["data_quality"]}
        for row in rows.values():
            self.assertEqual(row["count"], 1 if row["kind"] != "call-site-unknown" else row["count"])
        calls = mora("print", "--kinds", "ENTER", "exp", cwd=self.dir).stdout.splitlines()
        self.assertEqual([word for line in calls for word in line.split() if word.startswith("region=")], ONE_OF_EACH)
        return rows, calls, mora("print", "--kinds", "SAMPLE", "exp", cwd=self.dir).stdout.splitlines()

    def assert_one(self, rows, kind, what, remedy):
        self.assertEqual(set(rows), {kind})
        self.assertIn(what, rows[kind]["what"])
        self.assertIn(remedy, rows[kind]["remedy"])

    def test_nothing_is_lacking(self):
        rows, calls, samples = self.record()
        self.assertEqual(rows, {})
        self.assertIn("site=" + str(SOURCE), calls[1])
        self.assertTrue(any("function=burn" in line and "called_at=lacking.c:" in line for line in samples), samples)

    def test_no_debug_information(self):
        rows, calls, samples = self.record(flags=("-O2", "-g0"))
        self.assert_one(rows, "call-site-unknown", "shown by function and offset", "compile with -g")
        self.assertIn("path=\"main > step\"", calls[1])
        self.assertTrue(any("function=burn" in line for line in samples), samples)

    def test_no_unwind_tables(self):
        program = compile_c([SOURCE], self.dir / "lacking", "-g", "-O2", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 1, program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = manifest(self.dir / "exp")["data_quality"]
        self.assertEqual([(row["kind"], "without unwind tables" in row["where"]) for row in rows], [("call-path-cut", True)])
        self.assertIn("-fasynchronous-unwind-tables", rows[0]["remedy"])
        calls = mora("print", "--kinds", "ENTER", "exp", cwd=self.dir).stdout
        self.assertIn("outer functions not known", calls)
        self.assertIn("site=" + str(SOURCE), calls)

    def test_no_signal_is_free(self):
        rows, _, samples = self.record("signals", before=[self.forbid("SYS_perf_event_open")])
        self.assert_one(rows, "no-samples", "handles all eight real-time signals", "leave one of the signals")
        self.assertEqual(samples, [])
        self.assertIn("signals that came: 0", self.said)

    def assert_sampled_by_the_kernels_clock(self, *words, before=()):
        if not kernel_clock.is_allowed():
            self.skipTest("perf_event_open is not allowed here")
        rows, _, samples = self.record(*words, before=before)
        self.assertEqual(rows, {})
        self.assertTrue(any("function=burn" in line for line in samples), samples)

    def test_the_kernels_clock_needs_no_timer(self):
        self.assert_sampled_by_the_kernels_clock(before=[self.forbid("SYS_timer_create")])

    def test_the_kernels_clock_needs_no_free_signal(self):
        self.assert_sampled_by_the_kernels_clock("signals")
        self.assertIn("signals that came: 0", self.said)

    def test_no_timer_can_be_made(self):
        rows, _, samples = self.record("timers", before=[self.forbid("SYS_perf_event_open")])
        self.assert_one(rows, "no-samples", "may have no more timers", "ulimit -i")
        self.assertEqual(samples, [])

    def test_perf_is_forbidden(self):
        rows, _, samples = self.record(before=[self.forbid("SYS_perf_event_open")])
        self.assertEqual(rows, {}, "samples need no perf")
        self.assertTrue(any("function=burn" in line for line in samples), samples)

    def test_timers_are_forbidden(self):
        rows, _, samples = self.record(before=[self.forbid("SYS_timer_create"), self.forbid("SYS_perf_event_open")])
        self.assert_one(rows, "no-samples", "forbids timers (timer_create)", "seccomp")
        self.assertEqual(samples, [])

    def calls_on_corrupt_stacks(self, how, calls):
        """What is said of them; none has a function around it that is not."""
        program = compile_c([SOURCE], self.dir / "lacking", "-g", "-O2", "-fomit-frame-pointer")
        done = mora("record", "--sample", 2000, "-o", "exp", LAUNCHER, "-n", 1, program, how, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("signals that came: 0", done.stdout)
        events = mora("print", "--kinds", "ENTER", "exp", cwd=self.dir).stdout.splitlines()
        self.assertEqual(sum("region=MPI_Barrier" in line for line in events), 2 + calls)
        self.assertTrue(any("function=brief" in line or "function=with_a_corrupt_stack" in line or "function=in_coroutine" in line
                            for line in mora("print", "--kinds", "SAMPLE", "exp", cwd=self.dir).stdout.splitlines()))
        return {row["kind"]: row for row in manifest(self.dir / "exp")["data_quality"]}

    def test_return_addresses_are_overwritten(self):
        rows = self.calls_on_corrupt_stacks("corrupt", 64)
        self.assertLessEqual(set(rows), {"call-path-cut"})
        self.assertIn("outer functions are not known", rows["call-path-cut"]["what"])

    def test_garbage_above_coroutines(self):
        rows = self.calls_on_corrupt_stacks("coroutines", 8)
        self.assertLessEqual(set(rows), {"call-path-cut"})
        self.assertIn("outer functions are not known", rows["call-path-cut"]["what"])

    def test_the_program_wants_the_signal_itself(self):
        rows, _, _ = self.record("takes", before=[self.forbid("SYS_perf_event_open")])
        self.assert_one(rows, "samples-given-up", "ended when the program set a handler", "")
        self.assertIn("signals that came: 1", self.said)

    def test_the_kernels_clock_goes_on_when_the_program_wants_the_timers_signal(self):
        self.assert_sampled_by_the_kernels_clock("takes")
        self.assertIn("signals that came: 1", self.said)

    def test_the_executable_is_gone(self):
        program = self.dir / "gone"
        compile_c([SOURCE], program, "-g", "-O2")
        rows, calls, _ = self.record("remove", program, program=program)
        self.assertIn("cannot be read", rows["module-missing"]["what"])
        self.assertIn("keep programs", rows["module-missing"]["remedy"])
        self.assertEqual(set(rows), {"module-missing", "call-site-unknown"})
        self.assertIn("gone+0x", calls[1])

    def test_the_executable_was_replaced_by_an_older_file(self):
        program, other = self.dir / "replaced", self.dir / "other"
        compile_c([SOURCE], program, "-g", "-O2")
        compile_c([SOURCE], other, "-g", "-O0")
        os.utime(other, (1e9, 1e9))
        rows, _, _ = self.record("replace", other, program, program=program)
        self.assert_one({"module-changed": rows["module-changed"]}, "module-changed", "changed after the run", "record again")

    def split(self, *flags):
        """What inlined functions have no symbols for is in another file than the program."""
        objects = self.dir / "stacks.o"
        compile_c([SOURCE.with_name("stacks.c")], objects, "-c", "-O2", "-gsplit-dwarf", *flags)
        return compile_c([objects], self.dir / "split")

    def rows_and_paths(self, program):
        shutil.rmtree(self.dir / "exp", ignore_errors=True)
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 1, program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = mora("print", "--kinds", "ENTER", "exp", cwd=self.dir).stdout
        return manifest(self.dir / "exp")["data_quality"], set(re.findall(r'region=MPI_Allreduce.*path="([^"]*)"', calls))

    def test_debug_information_in_files_of_its_own(self):
        for version in ("-gdwarf-4", "-gdwarf-5"):
            program = self.split(version)
            rows, paths = self.rows_and_paths(program)
            self.assertEqual((rows, paths), ([], {"main > relax > halo > exchange", "main > residual > exchange"}), version)
        (self.dir / "stacks.dwo").unlink()
        rows, paths = self.rows_and_paths(program)
        self.assertEqual([(row["kind"], row["count"]) for row in rows], [("split-debug-missing", 1)])
        self.assertIn("stacks.dwo", rows[0]["what"])
        self.assertIn("keep the .dwo files", rows[0]["remedy"])
        self.assertEqual(paths, {"main > relax > exchange", "main > residual > exchange"})

    def test_debug_information_that_programs_have_in_common(self):
        # As dwz links to it: name and build-id.
        program = compile_c([SOURCE.with_name("stacks.c")], self.dir / "stacks", "-O2")
        common, identity = self.dir / "common.debug", os.urandom(20)
        link = self.dir / "link"
        link.write_bytes(bytes(common) + b"\0" + identity)
        subprocess.run(["objcopy", f"--add-section=.gnu_debugaltlink={link}", program], check=True, timeout=60)
        rows, paths = self.rows_and_paths(program)
        self.assertEqual([(row["kind"], row["where"]) for row in rows], [("shared-debug-missing", program)])
        self.assertIn(str(common), rows[0]["what"])
        self.assertIn("install the debug symbols", rows[0]["remedy"])
        self.assertEqual(paths, {"main > relax > halo > exchange", "main > residual > exchange"})
        compile_c([SOURCE.with_name("stacks.c")], common, f"-Wl,--build-id=0x{identity.hex()}")
        self.assertEqual(self.rows_and_paths(program)[0], [])

    def stripped(self, debug_file, *flags, has_link=True):
        """The program without debug information, which is in the file; it may be named in the program."""
        program = pathlib.Path(compile_c([SOURCE], self.dir / "apart", "-g", "-O2", *flags))
        debug_file.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["objcopy", "--only-keep-debug", program, debug_file], check=True, timeout=60)
        subprocess.run(["strip", program], check=True, timeout=60)
        if has_link:
            subprocess.run(["objcopy", f"--add-gnu-debuglink={debug_file}", program], check=True, timeout=60)
        return program

    def assert_debug_information(self, program, env=None):
        rows, calls, samples = self.record(program=program, env=env)
        self.assertEqual(rows, {})
        self.assertIn("site=" + str(SOURCE), calls[1])
        self.assertTrue(any("function=burn" in line for line in samples), samples)

    def test_debug_information_where_a_debuglink_says(self):
        self.assert_debug_information(self.stripped(self.dir / ".debug/apart.debug"))

    def test_debug_information_under_its_build_id(self):
        for top, env in ((self.dir / "files", {"MORA_DEBUG_PATH": str(self.dir / "files")}), (pathlib.Path("/usr/lib/debug"), None)):
            identity = os.urandom(20).hex()
            debug_file = top / ".build-id" / identity[:2] / f"{identity[2:]}.debug"
            try:
                program = self.stripped(debug_file, f"-Wl,--build-id=0x{identity}", has_link=False)
            except (PermissionError, subprocess.CalledProcessError):
                self.assertNotEqual(os.geteuid(), 0)
                continue  # only root writes below /usr
            try:
                self.assert_debug_information(program, env)
            finally:
                debug_file.unlink()
                if not any(debug_file.parent.iterdir()):
                    debug_file.parent.rmdir()
            shutil.rmtree(self.dir / "exp")

    def test_debug_information_of_another_build_is_not_taken(self):
        identity = os.urandom(20).hex()
        program = self.stripped(self.dir / "files/.build-id" / identity[:2] / f"{identity[2:]}.debug", f"-Wl,--build-id=0x{identity[::-1]}", has_link=False)
        rows, calls, _ = self.record(program=program, env={"MORA_DEBUG_PATH": str(self.dir / "files")})
        self.assert_one(rows, "call-site-unknown", "shown by function and offset", "MORA_DEBUG_PATH")
        self.assertIn("apart+0x", calls[1])


if __name__ == "__main__":
    unittest.main()
