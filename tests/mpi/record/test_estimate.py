"""mora estimate: sizes from sums of calls against the trace of the same program."""
import csv
import shutil
import unittest

from run_mora import FLAVOUR, LAUNCHER, SOURCES, Case, checked_json, compile_c, manifest, mora, up_to_three_times

STENCIL = SOURCES.parents[2] / "bench" / "recording" / "stencil.c"
CORE_COUNTERS = 6  # METRIC events of a core reading


class Estimate(Case):
    def run_program(self, name, source, words, *options, flags=()):
        program = compile_c([source], self.dir / source.stem, *flags)
        done = mora("record", *options, "-o", name, LAUNCHER, "-n", 3, program, *words, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)

    def estimate(self, *words):
        done = mora("estimate", "--json", *words, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return checked_json(done.stdout)

    def assert_near(self, found, wanted, share, what):
        self.assertLess(abs(found - wanted), share * wanted, f"{what}: {found} estimated, {wanted} recorded")

    def journal_bytes(self, name):
        return [path.stat().st_size for path in (self.dir / name / "journal").glob("*.journal")]

    def compare(self, source, *words):
        self.run_program("sums", source, words, "--stats", "--sample", "off")
        self.run_program("trace", source, words, "--keep-journal", "--sample", "off")
        found, recorded = self.estimate("sums"), manifest(self.dir / "trace")["totals"]
        journals = self.journal_bytes("trace")
        # How many core readings a run has depends on how long its calls took: they are compared apart from it.
        readings = mora("print", "--kinds", "METRIC", "trace", cwd=self.dir).stdout.count("\n") / CORE_COUNTERS
        core, = (part for part in found["groups"] if part["name"] == "core readings")
        for what, size in (("archive", recorded["archive_bytes"]), ("journal", sum(journals))):
            each = core[f"{what}_bytes"] / core["visits"] if core["visits"] else 0
            self.assert_near(found[f"{what}_bytes"] - core[f"{what}_bytes"], size - readings * each, 0.25, what)
        self.assert_near(found["fullest_rank"]["journal_bytes"] / found["journal_bytes"], max(journals) / sum(journals), 0.25, "largest journal")
        self.assertIsNone(found["recorded"])
        for key in ("events", "journal_bytes"):
            self.assertEqual(sum(part[key] for part in found["groups"]), found[key])
        self.assertEqual(sum(part["archive_bytes"] for part in found["groups"]) + found["definition_bytes"], found["archive_bytes"])
        return found

    def test_sizes_of_a_stencil(self):
        found = self.compare(STENCIL, 1000)
        groups = {part["name"]: part for part in found["groups"]}
        self.assertEqual(groups["point-to-point"]["visits"], 3 * 4 * 1000)
        self.assertEqual(groups["requests"]["visits"], 3 * 1000)
        self.assertEqual(groups["collectives"]["visits"], 3 * 100)
        self.assertIn("MPI_Waitall", found["call_paths"][0]["name"])

    def test_sizes_of_messages_requests_and_collectives(self):
        self.compare(SOURCES / "stats.c", "all", 40, 0)

    def test_rows_of_polls_take_one_record(self):
        """What the estimate has of the run that it is made from; another run has other rows."""
        rounds = 300
        for name, options in (("sums", ("--stats",)), ("trace", ("--sample", "off"))):
            self.run_program(name, SOURCES / "stats.c", ("polls", rounds), *options)
        self.assertEqual(mora("analyze", "trace", cwd=self.dir).returncode, 0)
        for name in ("sums", "trace"):
            found = self.estimate(name)
            polls = [path for path in found["call_paths"] if "MPI_Test" in path["name"] or "MPI_Iprobe" in path["name"]]
            visits, recorded = sum(path["visits"] for path in polls), self.recorded_polls(name)
            self.assertGreaterEqual(visits, recorded)
            if FLAVOUR == "mpich":  # calls of Open MPI yield the processor and are no rows
                self.assertGreater(visits, 10 * recorded, "the program has rows")
            group, = (part for part in found["groups"] if part["name"] == "polls")
            self.assertEqual(group["visits"], recorded - rounds, "the tests that completed a message are no rows")
            self.assertFalse([said for said in found["not_known"] if "probes" in said])
        # Samples, of which the estimate has the most that there can be, were not taken.
        samples = sum(part["archive_bytes"] for part in found["groups"] if part["name"] == "samples")
        self.assert_near(found["archive_bytes"] - samples, found["recorded"]["archive_bytes"], 0.25, "archive")

    @up_to_three_times
    def test_readings_are_counted_as_a_trace_makes_them(self):
        """A call ends at most one, however long it is: of few long computations between many brief calls there are few."""
        seconds = {}
        for name, options in (("sums", ("--stats",)), ("trace", ("--sample", "off"))):
            shutil.rmtree(self.dir / name, ignore_errors=True)
            self.run_program(name, SOURCES / "stats.c", ("brief", 4), *options)
        self.assertEqual(mora("analyze", "trace", cwd=self.dir).returncode, 0)
        readings = mora("print", "--kinds", "METRIC", "trace", cwd=self.dir).stdout.count("\n") / CORE_COUNTERS
        estimated = {}
        for name in ("sums", "trace"):
            found = self.estimate(name)
            core, = (part for part in found["groups"] if part["name"] == "core readings")
            estimated[name] = core["visits"]
            self.assertEqual(core["visits"], self.counted(name, "recorded-readings"))
            self.assertFalse([said for said in found["not_known"] if "core readings come" in said])
            seconds[name] = found["lifetime_s"]
        self.assertEqual(estimated["trace"], readings)
        self.assert_near(estimated["sums"] / seconds["sums"], readings / seconds["trace"], 0.3, "readings per second")

    def recorded_polls(self, name):
        return self.counted(name, "recorded-polls")

    def counted(self, name, metric):
        table = mora("cube", "stat", "--metric", metric, "-p", "--csv", f"{name}/analysis.cubex", cwd=self.dir).stdout
        return sum(int(float(row[3])) for row in list(csv.reader(table.splitlines()))[1:])

    def test_a_rank_with_more_calls(self):
        self.assertEqual(self.compare(SOURCES / "budget.c", 400)["fullest_rank"]["rank"], 0)

    def test_a_trace_is_compared_with_its_own_size(self):
        self.run_program("trace", SOURCES / "stats.c", ("all", 5, 0))
        self.assertEqual(mora("analyze", "trace", cwd=self.dir).returncode, 0)
        found, recorded = self.estimate("trace"), manifest(self.dir / "trace")["totals"]
        self.assertEqual(found["recorded"], {"events": recorded["events"], "archive_bytes": recorded["archive_bytes"]})
        text = mora("estimate", "trace", cwd=self.dir).stdout
        for part in ("A FULL TRACE OF THIS RUN", "BY GROUP", "BY CALL PATH", "WHAT IS NOT KNOWN", "times these"):
            self.assertIn(part, text)

    def proposal(self, name, budget, *words):
        return self.estimate("--budget", int(budget), *words, name)["proposal"]

    def record_within(self, source, words, proposal, *flags):
        self.run_program("kept", source, words, *proposal["options"].split(), flags=flags)
        self.assertLessEqual(manifest(self.dir / "kept")["totals"]["archive_bytes"], proposal["budget_bytes"])

    def test_a_proposal_keeps_its_budget(self):
        words = ("all", 40, 0)
        self.run_program("sums", SOURCES / "stats.c", words, "--stats")
        whole = self.estimate("sums")
        self.assertEqual(self.proposal("sums", 2 * whole["archive_bytes"])["options"], "")
        found = self.proposal("sums", 0.6 * whole["archive_bytes"])
        self.assertTrue(found["fits"])
        self.assertEqual(found["groups"], ["point-to-point", "requests"])
        self.assertIn("nothing can match", " ".join(found["lost"]))
        self.assertLess(found["journal_bytes"], whole["journal_bytes"])
        self.record_within(SOURCES / "stats.c", words, found)
        self.assertFalse(self.proposal("sums", 4096)["fits"])

    def test_a_filter_of_functions_keeps_the_budget(self):
        source, flags = SOURCES / "many_visits.c", ("-finstrument-functions",)
        self.run_program("trace", source, (), flags=flags)
        self.assertEqual(mora("analyze", "trace", cwd=self.dir).returncode, 0)
        whole = self.estimate("trace")
        self.assertEqual({f["name"]: f["visits"] for f in whole["functions"]}, {"often": 3 * 20000, "seldom": 3 * 20})
        self.assert_near(whole["archive_bytes"], whole["recorded"]["archive_bytes"], 0.25, "archive")
        found = self.proposal("trace", 0.5 * whole["archive_bytes"], "-o", "filter")
        self.assertEqual((found["functions"], found["groups"], found["fits"]), (["often"], [], True))
        self.assertIn("exclude often\n", (self.dir / "filter").read_text())
        self.record_within(source, (), found, *flags)

    def test_what_is_no_run_with_visits(self):
        self.assert_error(mora("estimate", "missing", cwd=self.dir), 3, "missing")
        (self.dir / "empty.trace").write_text("mora-trace 1\nunit s\nP0 0-1 work\n")
        self.assert_error(mora("estimate", "empty.trace", cwd=self.dir), 2, "there is no call of MPI in these results")


if __name__ == "__main__":
    unittest.main()
