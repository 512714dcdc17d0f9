#!/usr/bin/python3
"""`mora view`: what the server refuses, and every page in a real browser.

    viewer_test.py MORA SAMPLE_EXPERIMENT VIEWER

The part without a browser always runs. Exit 77, with the reason, where the viewer was not built or its tests' packages
are missing (no npm, or its registry out of reach).
"""
import base64
import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import experiments

MORA, SAMPLE, VIEWER = (os.path.abspath(word) for word in sys.argv[1:4])
HERE = pathlib.Path(__file__).resolve().parent


class Server:
    """`mora view PATH [OTHER]`, until stop()."""

    def __init__(self, path, environment=None, other=None, options=()):
        self.process = subprocess.Popen([MORA, "view", "--no-browser", *options, path, *([other] if other else [])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "MORA_INDEX_DIR": "none", **(environment or {})})
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http://127.0.0.1:"):
            raise AssertionError(f"no address but: {self.url} {self.process.communicate()[1]}")
        self.port, self.root = int(self.url.split(":")[2].split("/")[0]), "/" + self.url.split("/", 3)[3]

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in {"Connection": "close", **headers}.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        printed = self.process.stdout.read()
        self.process.communicate(timeout=60)
        return self.process.returncode, printed


def mora(*words):
    return subprocess.run([MORA, *words], capture_output=True, text=True, timeout=300, check=True).stdout


def missing():
    """Why the browser's part cannot run; None if it can."""
    if shutil.which("node") is None:
        return "Node.js is not installed"
    if not (pathlib.Path(VIEWER) / "node_modules/playwright-core").is_dir():
        return "the packages of viewer/package-lock.json are not installed (npm's registry cannot be reached?)"
    if shutil.which("chromium") is None:
        return "chromium is not installed"
    return None


class View(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.directory = pathlib.Path(cls.scratch.name)
        cls.names = experiments.write(cls.directory)
        for name in [*cls.names, "empty"]:
            mora("analyze", cls.directory / f"{name}.trace")
        subprocess.run([SAMPLE, cls.directory / "sample"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def traces_alone(self):
        """One of each format that is no experiment of Mora's."""
        alone = {"prv": self.directory / "sample.prv"}
        for file in (HERE.parent / "golden/readers/prv").glob("sample.*"):
            shutil.copy(file, self.directory)
        for name, what in {"otf2": "archive", "paje": "phases.paje", "chrome": "phases.json"}.items():
            mora("convert", "--to", name, "-o", self.directory / what, self.directory / "phases.trace")
            alone[name] = self.directory / what
        return alone

    def test_a_trace_alone_is_analysed_on_the_way(self):
        """The terminal shows how far that is, and nothing is left beside the trace."""
        trace, shown = self.directory / "alone.trace", bytearray()
        trace.write_text(experiments.ring(64, 300))
        before = set(self.directory.iterdir())
        here, there = os.openpty()

        def read():
            try:
                while piece := os.read(here, 65536):
                    shown.extend(piece)
            except OSError:
                pass  # the other end is closed

        process = subprocess.Popen([MORA, "view", "--no-browser", trace], stdout=subprocess.PIPE, stderr=there, text=True, env={**os.environ, "TERM": "xterm", "MORA_INDEX_DIR": "none"})
        os.close(there)
        reader = threading.Thread(target=read)
        reader.start()
        try:
            address = process.stdout.readline()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        reader.join()
        os.close(here)
        self.assertTrue(address.startswith("http://127.0.0.1:"), address)
        self.assertRegex(shown.decode(), r"\r\x1b\[K[a-z ]+ \d+ of \d+")
        self.assertEqual(set(self.directory.iterdir()), before)

    def test_the_browser_is_opened_where_there_is_a_display(self):
        programs, note = self.directory / "programs", self.directory / "opened"
        programs.mkdir()
        (programs / "xdg-open").write_text(f"#!/bin/sh\necho \"$1\" > {note}.new && mv {note}.new {note}\n")
        (programs / "xdg-open").chmod(0o755)
        base = {name: value for name, value in os.environ.items() if name not in ("SSH_CONNECTION", "WAYLAND_DISPLAY", "DISPLAY")} | {"PATH": f"{programs}:{os.environ['PATH']}"}
        for more, is_opened in (({"DISPLAY": ":99"}, True), ({}, False), ({"DISPLAY": ":99", "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, False)):
            note.unlink(missing_ok=True)
            process = subprocess.Popen([MORA, "view", self.directory / "small.trace"], stdout=subprocess.PIPE, text=True, env={**base, **more})
            address = process.stdout.readline().strip()
            until = time.monotonic() + (20 if is_opened else 0.5)
            while not note.exists() and time.monotonic() < until:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(note.read_text().strip() if note.exists() else None, address if is_opened else None, str(more))

    def test_without_npm_or_its_registry_all_else_is_built(self):
        copy, made = self.directory / "viewer", self.directory / "assets.cpp"
        shutil.copytree(VIEWER, copy, ignore=shutil.ignore_patterns("node_modules", "dist"))
        without_node = self.directory / "few"
        without_node.mkdir()
        for name in ("python3", "env", "sh", "dirname", "cmp", "cp"):
            (without_node / name).symlink_to(shutil.which(name))
        for path, why in ((os.environ["PATH"], "the packages of viewer/package-lock.json were not installed"), (str(without_node), "Node.js and npm were not found")):
            done = subprocess.run(["/usr/bin/python3", copy / "embed.py", copy, self.directory / "dist", made], capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"mora view will not work: {why}", done.stderr)
            text = made.read_text()
            self.assertIn(why, text)
            self.assertNotIn("app.js", text)
        if shutil.which("npm"):
            unreachable = {"npm_config_registry": "http://127.0.0.1:9/", "npm_config_fetch_retries": "0", "npm_config_cache": str(self.directory / "npm")}
            done = subprocess.run([copy / "install"], capture_output=True, text=True, timeout=120, env={**os.environ, **unreachable})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("npm's registry cannot be reached: the viewer is left out", done.stderr)
        done = subprocess.run([copy / "install"], capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": str(without_node)})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_only_who_has_the_key_reads(self):
        server = Server(self.directory / "small.trace")
        try:
            answer, body = server.ask(server.root)
            self.assertEqual(answer.status, 200)
            self.assertIn(b"<title>Mora</title>", body)
            policy = answer.getheader("Content-Security-Policy")
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertIsNone(answer.getheader("Access-Control-Allow-Origin"))
            self.assertLess(len(gzip.compress(server.ask(server.root + "app.js")[1], 9)), 120_000)
            token = server.root.strip("/")
            for path in ("/", "/" + "0" * 32 + "/report", "/" + token[:-1] + "/report", "/" + token + "0/report"):
                self.assertEqual(server.ask(path)[0].status, 403, path)
            for path in ("../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "..", "app.js/../../x", "%00", "report%00.json"):
                answer, body = server.ask(server.root + path)
                self.assertIn(answer.status, (400, 403, 404), path)
                self.assertNotIn(b"root:", body)
            for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", ""):
                self.assertEqual(server.ask(server.root + "report", Host=host)[0].status, 403, host)
            self.assertEqual(server.ask(server.root + "report", Host=f"localhost:{server.port}")[0].status, 200)
            for method in ("POST", "PUT", "DELETE", "OPTIONS"):
                self.assertIn(server.ask(server.root + "report", method)[0].status, (400, 404, 405), method)
            for query in ("metric=-1", "metric=99999", "metric=x", "metric=1e99", "path=-2", "metric=0&path=4294967296"):
                answer, body = server.ask(server.root + "locations?" + query)
                self.assertEqual(answer.status, 400, query)
                self.assertIn("error", json.loads(body))
            for query in ("from=5&until=5", "from=9223372036854775807", "columns=0", "rows=99999999", "first=-1", "from=x"):
                self.assertIn(server.ask(server.root + "timeline/picture?" + query)[0].status, (400, 500), query)
        finally:
            code, _ = server.stop()
        self.assertEqual(code, 0)

    def test_json_is_that_of_the_verbs(self):
        server = Server(self.directory / "small.trace")
        try:
            for name, words in {"report": ["report", "--json"], "advice": ["advise", "--json"], "pop": ["report", "--pop", "--json"],
                                "intervals": ["report", "--intervals", "--json"]}.items():
                self.assertEqual(server.ask(server.root + name)[1].decode(), mora(*words, self.directory / "small.trace"), name)
        finally:
            server.stop()

    def test_of_very_many_ranks_the_same_is_said(self):
        """The server keeps no amounts of their processes: what is made of them was made before."""
        subprocess.run([SAMPLE, self.directory / "many", "25000"], check=True)
        file = self.directory / "many.cubex"
        shutil.move(self.directory / "many" / "analysis.cubex", file)
        server = Server(file)
        try:
            self.assertEqual(server.ask(server.root + "pop")[1].decode(), mora("report", "--pop", "--json", file))
            table, of_verb = json.loads(server.ask(server.root + "intervals")[1]), json.loads(mora("report", "--intervals", "--json", file))
            self.assertEqual(table["intervals"][0]["processes"], 25000)
            for here, there in zip(table["intervals"], of_verb["intervals"], strict=True):
                self.assertEqual({**here, "by_rank": 0}, {**there, "by_rank": 0})
            self.assertEqual(server.ask(server.root + "advice")[0].status, 200)
            self.assertTrue(json.loads(server.ask(server.root + "summary")[1])["efficiency"])
        finally:
            server.stop()

    def comm_matrix(self, name):
        """What Python says: bytes and messages by sender and receiver. None if Mora has no Python module."""
        script = self.directory / "matrix.py"
        script.write_text("import json, sys, mora\nwith mora.open(sys.argv[1]) as trace:\n"
                          "    print(json.dumps([trace.comm_matrix(what).tolist() for what in ('bytes', 'messages')]))\n")
        done = subprocess.run([MORA, "script", script, self.directory / f"{name}.trace"], capture_output=True, text=True, timeout=300)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def prediction(self):
        return json.loads(mora("predict", "--on", self.directory / "machine.json", "--check", "--what-if", "--json", self.directory / "phases.trace"))

    def test_the_prediction_is_that_of_the_verb(self):
        server = Server(self.directory / "phases.trace", options=["--on", self.directory / "machine.json"])
        try:
            self.assertEqual(json.loads(server.ask(server.root + "predict")[1]), self.prediction())
            self.assertEqual(json.loads(server.ask(server.root + "session")[1]), {"compared": False, "predicted": True})
        finally:
            server.stop()
        refused = subprocess.run([MORA, "view", "--on", self.directory / "small.trace", self.directory / "small.trace"], capture_output=True, text=True, timeout=60)
        self.assertEqual(refused.returncode, 3, refused.stderr)

    def test_a_link_opens_its_view(self):
        for link, part in (("#/explore?metric=time", "#/explore?metric=time"), ("http://127.0.0.1:1/abc/#/timeline?from=5&until=9", "#/timeline?from=5&until=9")):
            server = Server(self.directory / "small.trace", options=["--at", link])
            server.stop()
            self.assertTrue(server.url.endswith("/" + part), server.url)
        for link in ("nonsense", "#/explore?metric='; touch /tmp/x; '"):
            refused = subprocess.run([MORA, "view", "--no-browser", "--at", link, self.directory / "small.trace"], capture_output=True, text=True, timeout=60)
            self.assertEqual(refused.returncode, 2, refused.stderr)

    def test_over_ssh_the_forwarding_is_named(self):
        server = Server(self.directory / "small.trace", {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"})
        self.assertIn(f"ssh -C -N -L {server.port}:127.0.0.1:{server.port}", server.stop()[1])

    def test_a_taken_port_and_a_missing_trace_are_said(self):
        server = Server(self.directory / "small.trace")
        try:
            taken = subprocess.run([MORA, "view", "--port", str(server.port), self.directory / "small.trace"], capture_output=True, text=True, timeout=60)
        finally:
            server.stop()
        self.assertEqual(taken.returncode, 3)
        self.assertIn("--port", taken.stderr)
        self.assertEqual(subprocess.run([MORA, "view", self.directory / "no-such"], capture_output=True, timeout=60).returncode, 3)

    def test_types(self):
        compiler = pathlib.Path(VIEWER) / "node_modules/typescript/bin/tsc"
        if not compiler.exists():
            self.skipTest("the packages of viewer/package-lock.json are not installed: types were not checked")
        done = subprocess.run(["node", compiler, "--noEmit", "-p", VIEWER], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout)

    def with_few_executions(self, page, most):
        """This page without the later executions of intervals, as of a run with more than a page holds."""
        before, data, after = re.fullmatch(r'(.*<script id="data"[^>]*>)([^<]*)(<.*)', page.read_text(), re.DOTALL).groups()
        content = json.loads(gzip.decompress(base64.b64decode(data)))
        band = content["answers"]["timeline/intervals"]
        band["bars"] = band["bars"][:most]
        band["drawn"] = sum(bar[4] for bar in band["bars"])
        cut = page.with_name("cut.html")
        cut.write_text(before + base64.b64encode(gzip.compress(json.dumps(content).encode())).decode() + after)
        return cut

    def test_every_page_in_a_browser(self):
        why = missing()
        if why:
            self.skipTest(f"{why}: the pages were not tested")
        servers = {}

        machine = self.directory / "machine.json"

        def serve(name, path, other=None, options=()):
            servers[name] = Server(path, other=other, options=options)
            self.addCleanup(servers[name].process.kill)  # if anything below fails

        for name in [*self.names, "empty"]:
            serve(name, self.directory / f"{name}.trace", options=["--on", machine] if name == "phases" else [])
        alone = self.traces_alone()
        for name, path in alone.items():
            serve(name, path)
        serve("cubex", self.directory / "small.trace.analysis" / "analysis.cubex")
        lone = self.directory / "lone.cubex"
        shutil.copy(self.directory / "sample" / "analysis.cubex", lone)
        serve("lone", lone)
        subprocess.run([SAMPLE, self.directory / "wide", "100000"], check=True)
        wide = self.directory / "wide.cubex"
        shutil.move(self.directory / "wide" / "analysis.cubex", wide)
        serve("wide", wide)
        serve("compared", self.directory / "small.trace", other=self.directory / "changed.trace", options=["--on", machine])
        serve("hostiles", self.directory / "hostile.trace", other=self.directory / "hostile.trace")
        serve("sample", self.directory / "sample")
        example, recorded = pathlib.Path(MORA).parent / "examples/openmpi/lock_contention", self.directory / "recorded"
        if example.exists() and shutil.which("mpirun.openmpi"):
            as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
            subprocess.run([MORA, "record", "-o", recorded, "mpirun.openmpi", "-n", "4", example], env={**os.environ, **as_root}, capture_output=True, timeout=120, check=True)
            serve("recorded", recorded)
        deleted = self.directory / "deleted.trace"
        shutil.copy(self.directory / "phases.trace", deleted)
        mora("analyze", deleted)
        serve("deleted", deleted)
        pages = {}
        for name in ("onesided", "marks", "loop", "small", "large", "phases", "hostile", "empty"):
            mora("report", "--html", *(["--on", machine] if name == "phases" else []), "-o", self.directory / f"{name}.html", self.directory / f"{name}.trace")
            pages[name] = (self.directory / f"{name}.html").as_uri()
        pages["cut"] = self.with_few_executions(self.directory / "loop.html", 600).as_uri()
        task = {"offline": pages, "deleted": str(deleted), "chromium": shutil.which("chromium"), "viewer": VIEWER, "hostile": experiments.HOSTILE,
                "sites": {name: {"url": server.url, "pid": server.process.pid} for name, server in servers.items()},
                "matrices": {name: self.comm_matrix(name) for name in ("small", "phases")}, "prediction": self.prediction(), "intervals": json.loads(mora("report", "--intervals", "--json", self.directory / "phases.trace")),
                "transfers": json.loads(mora("report", "--transfers", "--json", self.directory / "phases.trace")),
                "reports": {name: json.loads(mora("report", "--json", self.directory / (name if name == "recorded" else f"{name}.trace"))) for name in ("small", "large", "onesided", *(["recorded"] if "recorded" in servers else []))},
                "comparison": json.loads(mora("compare", "--json", self.directory / "small.trace", self.directory / "changed.trace"))}
        for name in ("prv", "otf2"):
            task["reports"][name] = json.loads(mora("report", "--json", alone[name]))
        for option in ("epochs", "locks"):
            task[option] = mora("print", f"--{option}", self.directory / "onesided.trace")
        mora("convert", "--to", "csv", "--show-transfers", "dependencies", "-o", self.directory / "dependencies.csv", self.directory / "onesided.trace")
        task["dependencies"] = (self.directory / "dependencies.csv").read_text()
        task["marked"] = json.loads(mora("report", "--intervals", "--json", self.directory / "marks.trace"))
        try:
            (self.directory / "task.json").write_text(json.dumps(task))
            done = subprocess.run(["node", HERE / "pages_test.mjs", self.directory / "task.json"], capture_output=True, text=True, timeout=800)
        finally:
            for server in servers.values():
                server.stop()
        sys.stderr.write(done.stdout[-12000:] + done.stderr[-4000:])
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])


def skip_without_viewer():
    answer = subprocess.run([MORA, "view", "/no/such"], capture_output=True, text=True, timeout=60)
    if "built without its viewer" in answer.stderr:
        assert answer.returncode == 3 and len(answer.stderr.splitlines()) < 6, answer.stderr
        print(f"not tested: {answer.stderr.strip()}")
        sys.exit(77 if missing() else "everything that the viewer needs is there, but it was not built")


def main():
    skip_without_viewer()
    run = unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]], exit=False)
    sys.exit(77 if run.result.wasSuccessful() and run.result.skipped else 0 if run.result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
