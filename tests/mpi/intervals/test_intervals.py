"""Marked programs under both MPIs: what their archives say of the marks, by python3-otf2 and by Mora's own reader, and that the
same programs print the same without Mora. MORA_TEST_FLAVOUR: openmpi, mpich.
"""
import json
import os
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "record"))

from run_mora import Archive, Case, ENVIRONMENT, FLAVOUR, LAUNCHER, manifest, mora  # noqa: E402

SOURCES = Path(__file__).resolve().parent
INCLUDE = SOURCES.parents[2] / "include"


def lines_of(source):
    """{name: line} from the comments line: NAME."""
    lines = (SOURCES / source).read_text().splitlines()
    return {text.split("line: ")[1].strip(): number for number, text in enumerate(lines, 1) if "line: " in text}


def is_mark(region):
    return str(region.paradigm) == "Paradigm.USER"


class Intervals(Case):
    def build(self, source, *flags):
        program = self.dir / source.replace(".", "-")
        compiler = {".c": "mpicc", ".cpp": "mpicxx", ".F90": "mpifort"}[Path(source).suffix]
        module = [INCLUDE / "mora/mora.F90", "-ffree-line-length-none", "-J", self.dir] if compiler == "mpifort" else []
        words = [f"{compiler}.{FLAVOUR}", "-g", "-O1", "-Wall", "-Werror", "-I", INCLUDE, *flags, *module, SOURCES / source, "-o",
                 program, *(["-lpthread"] if source == "marks.c" else [])]
        subprocess.run([str(w) for w in words], check=True, timeout=120)
        return program

    def output(self, *words):
        done = subprocess.run([str(w) for w in words], cwd=self.dir, env=ENVIRONMENT, capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(done.stdout.splitlines())

    def record(self, program, *arguments):
        """Runs it without and with Mora, checks that it prints the same."""
        alone = self.output(LAUNCHER, "-n", 2, program, *arguments)
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", program, *arguments, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()), alone)
        self.assertTrue(alone)
        self.assert_sound(self.dir / "exp")
        self.archive = Archive(self.dir / "exp")
        return alone

    def marks(self, rank, *calls):
        """["name:line=argument" of each Enter, "-" of each Leave] of marks and these MPI functions."""
        found, stack = [], []
        for e in self.archive.events[rank]:
            kind = type(e).__name__
            if kind == "Enter":
                stack.append(e.region)
            elif kind == "Leave":
                self.assertEqual(e.region, stack.pop())
            if kind not in ("Enter", "Leave") or not (is_mark(e.region) or e.region.name in calls):
                continue
            if kind == "Leave":
                found.append("-")
            else:
                arguments = [value for attribute, value in (e.attributes or {}).items() if attribute.name == "mora:argument"]
                found.append(f"{e.region.name}:{e.region.begin_line_number}" + "".join(f"={a}" for a in arguments))
        self.assertEqual(stack, [])
        return found

    def quality(self):
        kinds = Counter()
        for row in manifest(self.dir / "exp")["data_quality"]:
            kinds[row["kind"]] += row["count"]
        return {kind: n for kind, n in kinds.items() if kind not in ("call-site-unknown", "module-missing")}

    def intervals(self):
        """What the analysis makes of the marks; the first is the program."""
        done = mora("analyze", "--quiet", "exp", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = mora("report", "exp", "--intervals", "--json", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["intervals"]

    def descriptions(self):
        return {r.begin_line_number: (r.description, str(r.region_role), str(r.source_file)) for r in self.archive.regions
                if is_mark(r)}


class C(Intervals):
    def test_every_kind(self):
        self.record(self.build("marks.c"))
        line = lines_of("marks.c")
        for rank in range(2):
            expected = [f"sequential:{line['sequential']}", "-", f"replicated:{line['replicated']}", "-",
                        f"time loop:{line['time loop']}"]
            for step in (1, 2, 3):
                expected += [f"interval:{line['step']}={step}", "MPI_Barrier:" + str(line["step"] + 1), "-"]
                expected += [f"interval:{line['only rank 0']}=0", "-"] if rank == 0 else []
                expected += ["-"]
            # while recording is off, marks are recorded and calls are not; level 2 switches it on again
            expected += ["-", f"MPI_Pcontrol:{line['unrecorded'] - 1}=0", "-", f"unrecorded:{line['unrecorded']}", "-"]
            expected += [f"MPI_Pcontrol:{line['level']}={0x0A0005AA}", "-", f"MPI_Pcontrol:{line['level'] + 1}={0x0A0005BB}", "-"]
            expected += [f"MPI_Barrier:{line['level'] + 3}", "-"]
            self.assertEqual(self.marks(rank, "MPI_Barrier", "MPI_Pcontrol"), expected)
        self.assertEqual(self.quality(), {"marks-outside": 8})
        source = str(SOURCES / "marks.c")
        found = [(i["line"], i["id"], i["level"], i["count"], i["processes"]) for i in self.intervals() if i["file"] == source][1:]
        steps = []
        for step in (1, 2, 3):
            steps += [(line["step"], step, 2, 1, 2), (line["only rank 0"], 0, 3, 1, 1)]
        self.assertEqual(found, [
            (line["sequential"], 0, 1, 1, 2), (line["replicated"], 0, 1, 1, 2), (line["time loop"], 0, 1, 1, 2), *steps,
            (line["unrecorded"], 0, 1, 1, 2), (line["level"], 5, 1, 1, 2), (line["message"], 0xfffe, 1, 2, 2)])
        described = self.descriptions()
        self.assertEqual(described[line["sequential"]], ("mora:interval replication=all", "RegionRole.CODE", source))
        self.assertEqual(described[line["replicated"]], ("mora:interval replication=2", "RegionRole.CODE", source))
        self.assertEqual(described[line["step"]], ("mora:interval", "RegionRole.CODE", source))

    def test_marks_that_do_not_fit_together(self):
        self.record(self.build("marks.c"), "wrong")
        line = lines_of("marks.c")
        self.assertEqual(self.marks(0), [])
        self.assertEqual(self.marks(1), [
            f"open:{line['open']}", f"interval:{line['outer']}=2", f"inner:{line['inner']}", "-", "-",
            f"interval:{line['three']}=3", "-", f"interval:{line['negative']}=0", "-", f"replicated:{line['by none']}", "-", "-"])
        self.assertEqual(self.quality(), {
            "marks-outside": 8, "interval-end-without-begin": 3, "interval-without-end": 1, "interval-crossing": 1,
            "interval-negative-id": 1, "interval-bad-replication": 1})
        places = {row["kind"]: row["where"] for row in manifest(self.dir / "exp")["data_quality"]}
        self.assertEqual(places["interval-without-end"], f"rank 1, {SOURCES}/marks.c:{line['open']}")
        self.assertEqual(self.descriptions()[line["by none"]][0], "mora:interval")

    def test_other_threads_and_callbacks_are_counted(self):
        self.record(self.build("marks.c"), "threads")
        self.assertEqual((self.marks(0), self.marks(1)), ([], []))
        self.assertEqual(self.quality(), {"marks-outside": 8, "marks-of-threads": 20, "marks-in-calls": 4})

    def test_disabled_marks_leave_only_their_arguments(self):
        disabled = self.build("marks.c", "-DMORA_DISABLE")
        symbols = subprocess.run(["nm", disabled], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("mora", symbols)
        marked = self.output(LAUNCHER, "-n", 2, self.build("marks.c"))
        self.assertEqual(self.output(LAUNCHER, "-n", 2, disabled), marked)
        self.assertEqual(marked, ["rank 0 of 2: 3 steps", "rank 1 of 2: 3 steps"])

    def test_a_killed_process_keeps_its_intervals(self):
        self.record_killed()
        line = lines_of("marks.c")
        for rank in range(2):
            self.assertEqual(self.marks(rank), [f"about to die:{line['about to die']}", "-"])
        self.assertEqual(self.quality()["interval-without-end"], 2)

    def record_killed(self):
        mora("record", "-o", "exp", LAUNCHER, "-n", "2", self.build("marks.c"), "die", cwd=self.dir)
        self.archive = Archive(self.dir / "exp")


class Cxx(Intervals):
    def check(self, *flags):
        self.record(self.build("marks.cpp", *flags))
        line = lines_of("marks.cpp")
        fall, inside = f"interval:{line['fall']}", f"inside:{line['inside']}"
        for rank in range(2):
            self.assertEqual(self.marks(rank), [
                f"all:{line['all']}", f"{fall}=1", inside, f"{fall}=0", inside, "-", "-", "-", "-",
                f"replicated:{line['twice']}", "-", f"interval:{line['one statement']}=2", "-", "-"])
        self.assertEqual(self.quality(), {"marks-outside": 4})

    def test_position_independent(self):
        self.check("-fpie", "-pie")

    def test_at_fixed_addresses(self):
        self.check("-fno-pie", "-no-pie")


class Fortran(Intervals):
    def test_module_and_macros(self):
        self.record(self.build("marks.F90"))
        line = lines_of("marks.F90")
        expected = [f"sequential:{line['sequential']}", "-"]
        for step, name in ((10, "assemble"), (20, "solve")):
            expected += [f"interval:{line['step']}={step}", f"{name}:{line['names']}", "-", "-"]
        expected += ["replicated:0", "-", "interval:7=3", "-"]
        expected += [f"MPI_Pcontrol:{line['level']}={0x0A0005AA}", "-", f"MPI_Pcontrol:{line['level'] + 1}={0x0A0005BB}", "-"]
        for rank in range(2):
            self.assertEqual(self.marks(rank, "MPI_Pcontrol"), expected)
        self.assertEqual(self.quality(), {})
        self.assertEqual(self.descriptions()[7], ("mora:interval", "RegionRole.CODE", "elsewhere.f90"))


if __name__ == "__main__":
    unittest.main()
