#!/usr/bin/python3
"""`mora report` and `mora cube` on a hand-made experiment: every output against every other, and the page in a browser.

    report_outputs_test.py MORA SAMPLE_EXPERIMENT
"""
import csv
import html
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal

from cubex_oracle import read_cubex

MORA, SAMPLE = sys.argv[1:3]
CHROMIUM = shutil.which("chromium")


def mora(*words, expect=0, environment=None):
    done = subprocess.run([MORA, *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **(environment or {})})
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"mora {' '.join(words)} ended with {done.returncode}, not {expect}: {done.stderr}")
    return done


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.experiment = pathlib.Path(cls.scratch.name) / "exp"
        subprocess.run([SAMPLE, cls.experiment], check=True)
        cls.cubex = cls.experiment / "analysis.cubex"
        cls.json = json.loads(mora("report", "--json", cls.experiment).stdout, parse_float=Decimal)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_json_is_findings_json(self):
        self.assertEqual(mora("report", "--json", self.experiment).stdout, (self.experiment / "findings.json").read_text())

    def test_a_trace_that_is_newer_than_its_analysis_is_named(self):
        self.assertEqual(mora("report", self.experiment).stderr, "")
        trace = self.experiment / "traces.otf2"
        analysed = (self.experiment / "findings.json").stat().st_mtime
        try:
            for age, warns in ((-10, False), (10, True)):
                trace.write_bytes(b"")
                os.utime(trace, (analysed + age, analysed + age))
                self.assertEqual("is newer than its analysis" in mora("report", self.experiment).stderr, warns)
        finally:
            trace.unlink()

    def test_statistics_in_three_formats(self):
        findings = {f["id"]: f for f in self.json["findings"]}
        statistics = json.loads(mora("report", "--stats", "--json", self.experiment).stdout, parse_float=Decimal)
        self.assertEqual(statistics["schema"], "mora-statistics")
        self.assertEqual(len(statistics["findings"]), len(findings))
        for finding in statistics["findings"]:
            self.assertGreater(finding["statistics"]["count"], 0)
            self.assertEqual(finding["statistics"], findings[finding["id"]]["statistics"])
        rows = list(csv.DictReader(io.StringIO(mora("report", "--stats", "--csv", self.experiment).stdout)))
        self.assertEqual(sum(1 for row in rows if row["call_path"]),
                         sum(1 for f in findings.values() if f["statistics"]))
        self.assertIn("@--- MOST SEVERE WAITS", mora("report", "--stats", self.experiment).stdout)
        mora("report", "--stats", "--html", self.experiment, expect=2)

    def test_json_keeps_the_contract(self):
        report = self.json
        self.assertEqual((report["schema"], report["schema_version"]), ("mora-report", 1))
        ranks = report["run"]["ranks"]
        metrics = {m["id"]: m for m in report["metrics"]}
        for metric in report["metrics"]:
            self.assertEqual(len(metric["by_rank"]), ranks)
            self.assertEqual(sum(metric["by_rank"]), metric["inclusive"])
            children = [m for m in report["metrics"] if m["parent"] == metric["id"]]
            self.assertEqual(metric["exclusive"], metric["inclusive"] - sum(m["inclusive"] for m in children))
            self.assertIn(metric["unit"], ("s", "occ", "bytes"))
        self.assertEqual([f["id"] for f in report["findings"]], ["f1", "f2"])
        for finding in report["findings"]:
            self.assertEqual(sum(finding["by_rank"]), finding["severity_s"])
            self.assertLessEqual(finding["severity_s"], metrics[finding["metric"]]["inclusive"])
            self.assertEqual(set(finding["worst_instance"]),
                             {"begin_s", "end_s", "rank", "thread", "cause_rank", "cause_call_path", "cause_call_site"})

    def test_csv_says_the_same_as_json(self):
        rows = list(csv.DictReader(io.StringIO(mora("report", "--csv", self.experiment).stdout)))
        for metric in self.json["metrics"]:
            total = sum(Decimal(row["value"]) for row in rows if row["metric"] == metric["id"])
            self.assertEqual(total, metric["inclusive"], metric["id"])

    def test_text_is_plain_and_complete(self):
        text = mora("report", self.experiment).stdout
        self.assertEqual(re.findall(r"^@--- ([A-Z ]+?) (?:\(|-)", text, re.M),
                         ["RUN", "VERDICT", "LOST TIME", "EFFICIENCY", "METRICS", "FINDINGS", "CALL PATHS", "RANKS", "DATA QUALITY"])
        self.assertNotIn("\033", text)
        self.assertTrue(all(len(line) <= 100 for line in text.splitlines()))
        self.assertIn("2 ranks waited 2.300 s in MPI_Recv at ring.c:42", text)
        self.assertIn("1 of 2 findings shown", mora("report", "--top", "1", self.experiment).stdout)

    def test_markdown(self):
        text = mora("report", "--markdown", self.experiment).stdout
        self.assertIn("| f1 | 2.300000 | 11.45 % | Late Sender |", text)

    def test_output_file(self):
        target = self.experiment / "out.md"
        self.assertEqual(mora("report", "--markdown", "-o", target, self.experiment).stdout, f"wrote {target}\n")
        self.assertEqual(target.read_text(), mora("report", "--markdown", self.experiment).stdout)

    def test_grids_are_listed(self):
        """Places that no rank has, ranks that have no place, and a file without grids."""
        trace = pathlib.Path(self.scratch.name) / "grids.trace"
        trace.write_text("mora-trace 1\nranks 6\ncomm ODD = 5,3,1\ngrid plate on WORLD = 2x4p\ngrid line on ODD = 2\nP0 0-100 main\nP5 0-100 main\n")
        mora("analyze", "--quiet", trace)
        file = f"{trace}.analysis/analysis.cubex"
        self.assertIn("\n2 Cartesian grids\nplate: 2 x 4 (periodic) of 6 ranks\nline: 2 of 2 ranks\n", mora("cube", "info", file).stdout)
        self.assertEqual(json.loads(mora("cube", "info", "--json", file).stdout)["grids"],
                         [{"name": "plate", "extents": [2, 4], "periodic": [False, True], "ranks": 6}, {"name": "line", "extents": [2], "periodic": [False], "ranks": 2}])
        self.assertNotIn("grid", mora("cube", "info", self.cubex).stdout)
        self.assertEqual(json.loads(mora("cube", "info", "--json", self.cubex).stdout)["grids"], [])

    def test_errors(self):
        self.assertIn("more than one output format", mora("report", "--json", "--csv", self.experiment, expect=2).stderr)
        self.assertIn("is not a count", mora("report", "--top", "x", self.experiment, expect=2).stderr)
        self.assertIn("/no/such/place", mora("report", "/no/such/place", expect=3).stderr)
        broken = pathlib.Path(self.scratch.name) / "broken"
        shutil.copytree(self.experiment, broken)
        (broken / "analysis.cubex").write_bytes(self.cubex.read_bytes()[:5000])
        self.assertIn("analysis.cubex", mora("report", "--csv", broken, expect=3).stderr)
        (broken / "analysis.cubex").unlink()
        self.assertIn("mora analyze", mora("report", "--html", broken, expect=3).stderr)
        self.assertIn("@--- FINDINGS", mora("report", broken).stdout)  # text needs no cells
        (broken / "findings.json").write_text("{")
        self.assertIn("findings.json", mora("report", broken, expect=3).stderr)

    def test_cubex_by_an_independent_reader(self):
        values, anchor = read_cubex(self.cubex)
        for metric in self.json["metrics"]:
            own = values[metric["id"]]
            for rank, expected in enumerate(metric["by_rank"]):
                cells = [v for (path, r, thread), v in own.items() if r == rank]
                if metric["unit"] == "s":
                    self.assertEqual(sum(round(v * 10**9) for v in cells), expected * 10**9)
                else:
                    self.assertEqual(sum(cells), expected)
        sites = {(c.get("mod"), c.get("line")) for c in anchor.iter("cnode")}
        self.assertIn(("/src/ring.c", "42"), sites)

    def test_cube_verbs_agree_with_the_file(self):
        values, _ = read_cubex(self.cubex)
        for verb in ("dump", "stat"):
            rows = list(csv.DictReader(io.StringIO(mora("cube", verb, "-p", "--csv", self.cubex).stdout)))
            for name, cells in values.items():
                key = "own" if verb == "dump" else "value"
                total = sum(Decimal(row[key]) for row in rows if row["metric"] == name)
                expected = sum(Decimal(round(v * 10**9)) / 10**9 if isinstance(v, float) else v for v in cells.values())
                self.assertEqual(total, expected, f"{verb} {name}")
            as_json = json.loads(mora("cube", verb, "-p", "--json", self.cubex).stdout, parse_float=str)
            self.assertEqual([{k: str(v) for k, v in row.items()} for row in as_json["rows"]], rows)
        inclusive = {row["call_path"]: row["with_children"] for row in
                     csv.DictReader(io.StringIO(mora("cube", "dump", "--csv", "--metric", "late-sender", self.cubex).stdout))}
        self.assertEqual(inclusive["ring"], "2.300000008")
        info = json.loads(mora("cube", "info", "--json", self.cubex).stdout)
        self.assertEqual([m["id"] for m in info["metrics"]], [m["id"] for m in self.json["metrics"]])
        self.assertEqual(len(info["locations"]), 4)
        self.assertIn("MPI_Recv@ring.c:42", mora("cube", "info", self.cubex).stdout)
        self.assertIn("late-sender", mora("cube", "dump", "--metric", "late", self.cubex, expect=2).stderr)
        self.assertIn("shown; --top 0", mora("cube", "stat", "--top", "1", self.cubex).stdout)

    def browser(self, url, *words):
        with tempfile.TemporaryDirectory() as profile:
            return subprocess.run(
                [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--enable-logging=stderr", f"--user-data-dir={profile}", "--window-size=1400,2600", *words, url],
                capture_output=True, text=True, timeout=100)

    def test_html_in_a_browser(self):
        self.assertIsNotNone(CHROMIUM, "chromium is needed (apt-get install chromium)")
        done = mora("report", "--html", self.experiment, expect=None)
        if "built without its viewer" in done.stderr:
            self.skipTest(done.stderr.splitlines()[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.experiment / "report.html"
        self.assertNotRegex(page.read_text(), r"(src|href)=[\"']?(https?:)?//")
        for fragment, texts in {
            "": ("ring, 4 ranks", "17.13 %", "2.300 s", "unmatched-receive", "mpirun -n 4 ./ring"),
            "#/findings": ("2 ranks waited 2.300 s in MPI_Recv at ring.c:42", "rank 1 waits", "enters MPI_Send@ring.c:37"),
            "#/explore?metric=wait-at-barrier&path=4": ("Wait at Barrier in MPI_Barrier@ring.c:50", "rank 3"),
            "#/explore?metric=nothing&path=99": ("What: metrics",),
            "#/timeline": ("There is no timeline",)}.items():
            done = self.browser(page.as_uri() + fragment, "--virtual-time-budget=20000", "--dump-dom")
            self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
            self.assertTrue('data-ready="yes"' in done.stdout)
            dom = html.unescape(re.sub(r"<(script|style).*?</\1>", "", done.stdout, flags=re.S))
            dom = re.sub(r"<[^>]*>", "", dom).replace("\u00a0", " ")
            for text in texts:
                self.assertTrue(text in dom, f"{fragment}: {text}: {dom[:3000]}")

    def test_a_large_result_as_a_page(self):
        large = pathlib.Path(self.scratch.name) / "large"
        subprocess.run([SAMPLE, large, "9000"], check=True)
        done = mora("report", "--html", large, expect=None)
        if "built without its viewer" in done.stderr:
            self.skipTest(done.stderr.splitlines()[0])
        done = self.browser((large / "report.html").as_uri() + "#/explore?metric=time", "--virtual-time-budget=30000", "--dump-dom")
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
        for text in ("ring, 9,000 ranks", "9,000 locations", "largest and mean of 57"):
            self.assertTrue(text in done.stdout, text)
        values, _ = read_cubex(large / "analysis.cubex")
        self.assertEqual(len({rank for _, rank, _ in values["time"]}), 9000)


unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
