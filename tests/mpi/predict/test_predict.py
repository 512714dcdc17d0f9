"""`mora calibrate` and `mora predict` on this machine: what they count and refuse. How good predictions are depends on what else
runs here; it is measured by hand (docs/performance.md).

MORA_TEST_FLAVOUR: openmpi or mpich.
"""
import json
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "record"))

from run_mora import FLAVOUR, LAUNCHER, Case, compile_c, mora  # noqa: E402

SOURCES = Path(__file__).resolve().parent
N, STEPS = 4, 20


def run(folder, *words, code=0):
    done = mora(*words, cwd=folder, timeout=900)
    if done.returncode != code:
        raise AssertionError(f"mora {words} ended with {done.returncode}: {done.stderr}")
    return done


class Predictions(Case):
    def setUp(self):
        super().setUp()
        program = compile_c([SOURCES / "halo.c"], self.dir / "halo")
        self.experiment = self.dir / "exp"
        run(self.dir, "record", "--quiet", "-o", self.experiment, LAUNCHER, "-n", N, program)

    def machine(self, **segments):
        path = self.dir / "written.json"
        path.write_text(json.dumps({"format": "mora-machine 2", "same_node": {"model": "loggp", **segments}}))
        return path

    def test_a_model_that_was_measured_predicts_what_was_recorded(self):
        model = self.dir / "here.json"
        run(self.dir, "calibrate", "--budget", "1", "-o", model, "--", LAUNCHER, "-n", "2")
        measured = json.loads(model.read_text())
        self.assertEqual(measured["format"], "mora-machine 2")
        self.assertIn("MPICH" if FLAVOUR == "mpich" else "Open MPI", measured["mpi"])
        classes = [c["class"] for c in measured["calibration"]["classes"]]
        self.assertEqual(len(classes), 1)
        segments = measured[classes[0]]["segments"]
        self.assertGreater(measured[classes[0]]["measured_up_to_bytes"], 4_000_000)
        self.assertEqual(segments, sorted(segments, key=lambda s: s.get("up_to_bytes", 1 << 62)))
        # Small messages are buffered by both libraries; a MiB by neither.
        self.assertEqual((segments[0]["protocol"], segments[-1]["protocol"]), ("eager", "rendezvous"))
        self.assertTrue((self.dir / "here.json.samples.csv").exists())
        one_sided = measured[classes[0]]["one_sided"]
        self.assertGreater(one_sided["measured_up_to_bytes"], 4_000_000)
        self.assertEqual(sorted(one_sided), sorted(["measured_up_to_bytes", "put", "get", "accumulate", "fetch", "fence", "post", "start", "complete",
                                                    "wait", "lock", "unlock", "lock_all", "unlock_all", "flush", "create", "free"]))
        self.assertGreater(one_sided["fence"][0]["latency_ns"], 0)
        quantities = {q["quantity"]: q for q in measured["calibration"]["quantities"]}
        for name in ("gap_ns", "blocks_of_8_ns_per_byte", "put", "epoch", "computation_ninth_decile"):
            self.assertGreater(quantities[name]["samples"], 0, name)
            self.assertLessEqual(quantities[name]["low"], quantities[name]["high"], name)
        operations = {check["operation"]: check for check in measured["calibration"]["collectives"]}
        # On a loaded machine some have no sample, since a rank was late each time.
        self.assertLessEqual(set(operations), {"allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce"})
        for check in operations.values():
            self.assertNotEqual(check["algorithms"], [])
        # One pair shares nothing with another.
        self.assertNotIn("shared", measured)
        unmeasured = [sentence.split(" ")[0] for sentence in measured["calibration"]["not_measured"]]
        self.assertEqual(unmeasured, ["memory", "connection"] + ([] if operations else ["collective"]))
        # The samples give the same model.
        again = self.dir / "again.json"
        run(self.dir, "calibrate", "--samples", self.dir / "here.json.samples.csv", "-o", again)
        self.assertEqual(json.loads(again.read_text())[classes[0]], measured[classes[0]])

        predicted = json.loads(run(self.dir, "predict", self.experiment, "--on", model, "--check", "--json").stdout)
        self.assertEqual(predicted["collectives"], FLAVOUR)
        self.assertEqual(predicted["messages"], 2 * N * STEPS + 2)
        self.assertEqual(predicted["collectives_by_need"], 0)
        calls = {}
        for call in predicted["call_paths"]:
            calls[call["function"]] = calls.get(call["function"], 0) + call["calls"]
        self.assertEqual(calls["MPI_Waitall"], N * STEPS)
        self.assertEqual(calls["MPI_Bcast"], N * STEPS)
        self.assertEqual([entry["function"] for entry in predicted["not_modelled"]], ["MPI_Comm_split", "MPI_Comm_free"])
        self.assertGreater(predicted["recorded"]["mpi_time"], 0)
        self.assertGreater(predicted["predicted"]["mpi_time"], predicted["free_network"]["mpi_time"])
        self.assertEqual(predicted["check"]["ranks"]["count"], N)

    def test_a_short_budget_measures_fewer_sizes_and_says_so(self):
        model = self.dir / "short.json"
        done = run(self.dir, "calibrate", "--budget", "0.001", "-o", model, "--", LAUNCHER, "-n", "2")
        self.assertIn("12 sizes only", done.stderr)
        passes = {}
        for line in (self.dir / "short.json.samples.csv").read_text().splitlines():
            if not line.startswith(("#", "class")):
                fields = line.split(",")
                if fields[4] == "half_round_trip":
                    passes.setdefault(int(fields[3]), set()).add(int(fields[5]))
        # Three passes over the same twelve, whatever the budget; no time to look for the end of the eager sizes.
        self.assertEqual(sorted(passes), [0, 1, 2])
        self.assertEqual(len(passes[0]), 12)
        self.assertTrue({0, 4 << 20} <= passes[0])
        self.assertEqual(passes[1], passes[0])
        self.assertEqual(passes[2], passes[0])

    def test_pairs_that_have_no_processors_of_their_own_say_nothing(self):
        # More ranks than processors: what several pairs share is measured, but not used; the file is valid all the same.
        model = self.dir / "pairs.json"
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(processors)[:2])  # whatever the machine has
        try:
            done = run(self.dir, "calibrate", "--budget", "0.001", "-o", model, "--", LAUNCHER, "-n", "4")
        finally:
            os.sched_setaffinity(0, processors)
        tests = {line.split(",")[4] for line in (self.dir / "pairs.json.samples.csv").read_text().splitlines() if line.count(",") == 6}
        self.assertTrue({"pairs_1", "pairs_2"} <= tests, tests)
        self.assertIn("connection that several pairs of ranks of a node share: no ranks are so far apart", done.stdout)
        measured = json.loads(model.read_text())
        self.assertNotIn("shared", measured)
        self.assertIn("2 pairs of ranks at once need 4 processors of a node", done.stdout)
        run(self.dir, "predict", self.experiment, "--on", model, "--quiet")

    def test_measured_one_sided_calls_predict_a_one_sided_program(self):
        model = self.dir / "here.json"
        run(self.dir, "calibrate", "--budget", "0.001", "-o", model, "--", LAUNCHER, "-n", "2")
        program = compile_c([SOURCES.parents[2] / "bench/predict/programs.c"], self.dir / "programs")
        for kind in ("fence", "epoch", "lock"):
            experiment = self.dir / kind
            run(self.dir, "record", "--quiet", "-o", experiment, LAUNCHER, "-n", "2", program, kind, "8", "800", "100")
            predicted = json.loads(run(self.dir, "predict", experiment, "--on", model, "--check", "--json").stdout)
            # Nothing is approximated: the model is of two ranks, as the program is.
            self.assertEqual([entry["function"] for entry in predicted["not_modelled"] if entry["function"].startswith("MPI_Win")], [], kind)
            self.assertEqual(predicted["check"]["ranks"]["count"], 2)
            # Without the calls the same program costs what messages would.
            plain = json.loads(model.read_text())
            for name in ("same_core", "same_package", "same_node"):
                plain.get(name, {}).pop("one_sided", None)
            (self.dir / "plain.json").write_text(json.dumps(plain))
            by_messages = json.loads(run(self.dir, "predict", experiment, "--on", self.dir / "plain.json", "--json").stdout)
            self.assertNotEqual(by_messages["predicted"]["mpi_time"], predicted["predicted"]["mpi_time"], kind)
            self.assertGreater(len(by_messages["not_modelled"]), len(predicted["not_modelled"]), kind)

    def test_a_program_that_needs_buffers_hangs_where_there_are_none(self):
        model = self.machine(latency_ns=1000, overhead_ns=100, gap_ns=0, gap_ns_per_byte=1, eager_up_to_bytes=7)
        failed = run(self.dir, "predict", self.experiment, "--on", model, code=3)
        self.assertIn("deadlock: rank 0 in MPI_Send (halo.c:", failed.stderr)
        self.assertIn("waits for rank 1, rank 1 in MPI_Send", failed.stderr)

    def test_two_nodes_need_their_class(self):
        model = self.machine(latency_ns=1000, overhead_ns=100, gap_ns=0, gap_ns_per_byte=1)
        failed = run(self.dir, "predict", self.experiment, "--on", model, "--map", "--host a:2,b:2", code=3)
        self.assertIn("other_node is missing", failed.stderr)

    def matrix(self, path):
        """Who sends how much to whom, and which collective operations there are; communicators without their names."""
        made = json.loads(run(self.dir, "pattern", "matrix", path, "--collectives", "linear", "--json").stdout)
        made.pop("source")
        made.pop("data_quality")
        for operation in made["collectives"] if "collectives" in made else made["phases"][-1]["collectives"]:
            operation.pop("communicator")
        return made

    def scaled(self, source, counts, ranks):
        """The run with `ranks` ranks, predicted from those with `counts`, and what the program itself would send there."""
        program = compile_c([SOURCES / source], self.dir / "scaled-program")
        runs = []
        for n in counts:
            runs.append(self.dir / f"run-{n}")
            run(self.dir, "record", "--quiet", "-o", runs[-1], LAUNCHER, "-n", n, program)
        model = self.machine(latency_ns=1000, overhead_ns=100, gap_ns=0, gap_ns_per_byte=1, eager_up_to_bytes=65536)
        # How well times are fitted is not asked here: more ranks than cores, on a busy machine.
        done = run(self.dir, "predict", *runs, "--scale", ranks, "--on", model, "--fit-limit", "1000000", "--compute-factor", "0",
                   "--trace", self.dir / "there", "--json")
        run(self.dir, "pattern", "dryrun", "-o", self.dir / "dry", "-n", ranks, program)
        return json.loads(done.stdout), self.matrix(self.dir / "there"), self.matrix(self.dir / "dry")

    def test_more_ranks_than_were_recorded_send_what_the_program_would(self):
        predicted, there, dry = self.scaled("halo.c", (2, 4, 8), 32)
        self.assertEqual(there, dry)
        self.assertEqual(predicted["messages"], 2 * 32 * STEPS + 2)
        self.assertEqual((predicted["scaled"]["ranks"], predicted["scaled"]["extrapolated"], predicted["scaled"]["far"]), (32, True, False))
        self.assertEqual([r["ranks"] for r in predicted["scaled"]["runs"]], [2, 4, 8])
        laws = {(law["path"].rsplit(" > ")[-1].split("@")[0], law["of"]): law["law"] for law in predicted["scaled"]["laws"]}
        self.assertEqual(laws["MPI_Bcast", "members of the communicator"], "even and odd ranks")
        self.assertEqual(laws["MPI_Send", "executed"], "on the first 2 ranks")
        self.assertLess(predicted["low"]["run_time"], predicted["high"]["run_time"])

    def test_a_grid_of_more_ranks_sends_what_the_program_would(self):
        predicted, there, dry = self.scaled("grid.c", (2, 4, 8, 16), 32)
        self.assertEqual(there, dry)
        partners = {law["law"] for law in predicted["scaled"]["laws"] if law["of"] == "partners"}
        self.assertIn("rank xor 2^k in iteration k", partners)
        # With two columns at most, only two of three runs have messages along the rows: no law of their sizes can be tested.
        refused = run(self.dir, "predict", *(self.dir / f"run-{n}" for n in (2, 4, 8)), "--scale", "32", "--on", self.dir / "written.json",
                      "--fit-limit", "1000000", code=3)
        self.assertRegex(refused.stderr, r"MPI_Sendrecv@grid.c:\d+\n  why:   bytes: no rule explains them")

    def test_damage_is_counted_once_however_often_the_trace_is_read(self):
        golden = Path(__file__).resolve().parents[2] / "golden/predict/learn"
        runs = []
        for program in ("halo", "transpose", "solver", "sort"):
            for kind in ("all", "pair", "uneven"):
                runs.append(f"{program}={self.dir / program}-{kind}")
                run(self.dir, "predict", golden / f"{program}-{kind}.goal", "--on", golden / "truth.json", "--quiet", "--trace", runs[-1].split("=")[1])
        model, learned = golden / "model.json", self.dir / "learned.json"
        run(self.dir, "predict", "--on", model, "--quiet", "--learn", learned, *runs)
        damaged = self.dir / "halo-all"
        events = sorted(damaged.rglob("*.evt"), key=lambda path: path.stat().st_size)[-1]
        events.write_bytes(events.read_bytes()[:-8])

        def quality(*options):
            done = run(self.dir, "predict", damaged, "--on", model, "--quiet", "--json", *options)
            return {(row["kind"], row["where"]): row["count"] for row in json.loads(done.stdout)["data_quality"]}
        once = quality()
        self.assertTrue(once)
        again = quality("--correct", learned, "--what-if", "--sensitivity")
        self.assertEqual({key: again[key] for key in once}, once)
        relearned = self.dir / "relearned.json"
        run(self.dir, "predict", "--on", model, "--quiet", "--learn", relearned, *runs)
        rows = {(row["kind"], row["where"]): row["count"] for row in json.loads(relearned.read_text())["data_quality"]}
        self.assertEqual({key: rows[key] for key in once}, once)


if __name__ == "__main__":
    unittest.main()
