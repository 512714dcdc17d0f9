"""mora record end to end, with the MPI that MORA_TEST_FLAVOUR names."""
import base64
import gzip
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time
import unittest

from run_mora import ENVIRONMENT, FLAVOUR, LAUNCHER, MORA, SOURCES, Archive, Case, compile_c, manifest, mora, quality_kinds
from run_mora import checked_json, site_lines, stderr_on_a_terminal

OTHER = "mpich" if FLAVOUR == "openmpi" else "openmpi"
# Records between Enter and Leave, per call (docs/formats/otf2.md, "Events"), of rank 0 in every_call.c.
EVERY_CALL = [
    ("MPI_Init", []), ("MPI_Send", ["MpiSend"]), ("MPI_Sendrecv", ["MpiSend", "MpiRecv"]), ("MPI_Send", []), ("MPI_Recv", []),
    ("MPI_Irecv", ["MpiIrecvRequest"]), ("MPI_Isend", ["MpiIsend"]), ("MPI_Waitall", ["MpiIrecv", "MpiIsendComplete"]),
    ("MPI_Recv_init", []), ("MPI_Send_init", []), ("MPI_Startall", ["MpiIrecvRequest", "MpiIsend"]),
    ("MPI_Waitall", ["MpiIrecv", "MpiIsendComplete"]), ("MPI_Request_free", []), ("MPI_Request_free", []),
    ("MPI_Irecv", ["MpiIrecvRequest"]), ("MPI_Cancel", []), ("MPI_Wait", ["MpiRequestCancelled"]),
    ("MPI_Barrier", ["MpiCollectiveBegin", "MpiCollectiveEnd"]), ("MPI_Bcast", ["MpiCollectiveBegin", "MpiCollectiveEnd"]),
    ("MPI_Allreduce", ["MpiCollectiveBegin", "MpiCollectiveEnd"]), ("MPI_Alltoallv", ["MpiCollectiveBegin", "MpiCollectiveEnd"]),
    ("MPI_Comm_split", []), ("MPI_Barrier", ["MpiCollectiveBegin", "MpiCollectiveEnd"]), ("MPI_Intercomm_create", []),
    ("MPI_Bcast", ["MpiCollectiveBegin", "MpiCollectiveEnd"]), ("MPI_Comm_free", []), ("MPI_Comm_free", []),
    ("MPI_Barrier", ["MpiCollectiveBegin", "MpiCollectiveEnd"]),
    ("MPI_Win_allocate", ["RmaCollectiveBegin", "RmaWinCreate", "RmaCollectiveEnd"]),
    ("MPI_Win_fence", ["RmaCollectiveBegin", "RmaCollectiveEnd"]), ("MPI_Put", ["RmaPut"]), ("MPI_Get", ["RmaGet"]),
    ("MPI_Win_fence", ["RmaCollectiveBegin", "RmaOpCompleteNonBlocking", "RmaOpCompleteNonBlocking", "RmaCollectiveEnd"]),
    ("MPI_Group_incl", []), ("MPI_Group_incl", []), ("MPI_Win_post", ["RmaGroupSync"]), ("MPI_Win_start", ["RmaGroupSync"]),
    ("MPI_Accumulate", ["RmaPut"]), ("MPI_Win_complete", ["RmaOpCompleteNonBlocking", "RmaGroupSync"]), ("MPI_Win_wait", ["RmaGroupSync"]),
    ("MPI_Win_lock", ["RmaRequestLock"]), ("MPI_Put", ["RmaPut"]), ("MPI_Win_unlock", ["RmaOpCompleteRemote", "RmaReleaseLock"]),
    ("MPI_Win_free", ["RmaCollectiveBegin", "RmaWinDestroy", "RmaCollectiveEnd"]),
    ("MPI_Group_free", []), ("MPI_Group_free", []), ("MPI_Group_free", []), ("MPI_Finalize", []),
]
STARTS = {"MpiSend", "MpiIsend", "MpiIrecvRequest", "MpiCollectiveBegin", "RmaCollectiveBegin", "RmaPut", "RmaGet"}


class EveryCall(Case):
    def setUp(self):
        super().setUp()
        self.program = compile_c([SOURCES / "every_call.c"], self.dir / "every_call")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "4", self.program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        self.banner = done.stderr
        self.experiment = self.dir / "exp"

    def test_archive_holds_exactly_what_the_page_says(self):
        facts = self.assert_sound(self.experiment, is_whole=True)
        self.assertEqual([r for r in facts["data_quality"] if r["severity"] != "info"], [])
        self.assertFalse((self.experiment / "journal").exists())
        self.assertIn("nothing recorded was lost", self.banner)
        self.assertIn("mora analyze exp", self.banner)
        archive = Archive(self.experiment)
        records = [e for of_location in archive.events.values() for e in of_location]
        flushes = sum(type(e).__name__ == "BufferFlush" for e in records)
        readings = sum(type(e).__name__ == "Metric" for e in records)
        self.assertGreater(readings, 0)
        self.assertEqual(facts["totals"]["events"], len(records) + flushes + 5 * readings,
                         "a flush is one record, and begin and end of overhead; a reading of six counters is one, and six events")
        for verb in (["info"], ["analyze"]):
            said = json.loads(mora(*verb, "--json", "exp", cwd=self.dir).stdout)
            self.assertEqual(said.get("run", said)["events"], facts["totals"]["events"], verb)
        calls = archive.calls(0)
        self.assertEqual([(name, [type(e).__name__ for e in inner]) for name, _, inner, _, _ in calls], EVERY_CALL)
        for rank in range(4):
            for name, _, inner, enter, leave in archive.calls(rank):
                for e in inner:
                    self.assertEqual(e.time, (enter if type(e).__name__ in STARTS else leave).time, (name, e))
        # contents
        by_name = {name: inner for name, _, inner, _, _ in calls}
        send = by_name["MPI_Sendrecv"][0]
        self.assertEqual((send.receiver, send.msg_tag, send.msg_length, send.communicator.name), (1, 12, 8, "MPI_COMM_WORLD"))
        receive = by_name["MPI_Sendrecv"][1]
        self.assertEqual((receive.sender, receive.msg_tag, receive.msg_length), (3, 12, 8))
        received = [c for c in archive.calls(1) if c[0] == "MPI_Recv"][0][2][0]
        self.assertEqual((received.sender, received.msg_tag, received.msg_length), (0, 11, 16))  # wildcards, status ignored
        requests = [e.request_id for c in calls for e in c[2] if hasattr(e, "request_id")]
        self.assertEqual({r: requests.count(r) for r in requests}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2})
        bcast = [c for c in calls if c[0] == "MPI_Bcast"][0][2][1]
        self.assertEqual(bcast.root, 1)
        groups = [[m.group.name for m in e.group.members] for c in calls for e in c[2] if type(e).__name__ == "RmaGroupSync"]
        self.assertEqual(groups, [["MPI Rank 3"], ["MPI Rank 1"], ["MPI Rank 1"], ["MPI Rank 3"]])  # post, start, complete, wait

    def test_call_sites_are_the_lines_of_the_calls(self):
        wanted = site_lines(SOURCES / "every_call.c")
        self.assertGreater(len(wanted), 20)
        found = {}
        *calls, program = Archive(self.experiment).regions
        self.assertEqual((program.name, program.description), ("every_call", "mora:program"))
        for r in calls:
            if r.name == "main":  # on the call paths
                self.assertEqual(r.source_file, str(SOURCES / "every_call.c"))
                continue
            self.assertEqual(r.source_file, "MPI")
            self.assertEqual(r.description, str(SOURCES / "every_call.c"))
            found.setdefault(r.name, set()).add(r.begin_line_number)
        for name, line in wanted.items():
            self.assertIn(line, found[name], name)

    def test_processes_of_one_host_share_a_clock(self):
        done = subprocess.run(["otf2-print", "-C", str(self.experiment / "traces.otf2")], capture_output=True, text=True, timeout=60)
        offsets = [line for line in done.stdout.splitlines() if "CLOCK_OFFSET" in line]
        self.assertEqual(len(offsets), 8, done.stdout[-2000:])
        for line in offsets:
            self.assertIn("Offset: +0,", line)

    def test_an_experiment_is_never_overwritten(self):
        before = (self.experiment / "manifest.json").read_bytes()
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", self.program, cwd=self.dir)
        self.assert_error(done, 2, "exists already", "-o")
        self.assertEqual((self.experiment / "manifest.json").read_bytes(), before)


class Assertions(Case):
    def test_bits_are_moras_own_under_every_mpi(self):
        program = compile_c([SOURCES / "assertions.c"], self.dir / "assertions")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        archive = Archive(self.dir / "exp")

        def recorded(rank):
            return [(name, value) for name, _, inner, _, _ in archive.calls(rank) for e in inner
                    for key, value in (e.attributes or {}).items() if key.name == "mora:assert"]

        fences = [("MPI_Win_fence", 8), ("MPI_Win_fence", 2 + 4 + 16)]
        self.assertEqual(recorded(0), [*fences, ("MPI_Win_post", 1), ("MPI_Win_lock", 1)])
        self.assertEqual(recorded(1), [*fences, ("MPI_Win_start", 1)])
        printed = mora("print", "exp", "--ranks", "0", "--kinds", "mpiwcexit,mpiwexit,wlock", cwd=self.dir).stdout
        self.assertEqual([word for word in printed.split() if word.startswith("assert=")],
                         ["assert=noprecede", "assert=nostore+noput+nosucceed", "assert=nocheck", "assert=nocheck"], printed)


class Losses(Case):
    def test_every_headline_says_what_is_missing(self):
        program = compile_c([SOURCES / "threads.c"], self.dir / "threads", "-pthread")
        done = mora("record", "--pthreads", "off", "-o", "exp", LAUNCHER, "-n", "2", program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("of it in those MPI calls that were recorded", done.stderr)
        self.assertNotIn("nothing recorded was lost", done.stderr)
        missing = "200 x MPI calls of threads other than the one that called MPI_Init are not recorded (rank 0 and 1 more)"

        def words(*verb):
            return " ".join(mora(*verb, cwd=self.dir).stdout.split())

        self.assertIn(f"Data are missing: {missing}", words("analyze", "exp"))
        report = words("report", "exp")
        self.assertIn(f"Data are missing: {missing}", report)
        self.assertIn(f"How much of the rest was productive is not known: {missing}", report)
        self.assertNotIn("was productive:", report)
        self.assertIn(missing, words("report", "--markdown", "exp").replace("\\", ""))
        if "without its viewer" not in mora("report", "--html", "-o", "page", "exp", cwd=self.dir).stderr:
            packed = re.search(r'id="data"[^>]*>([^<]+)<', (self.dir / "page").read_text())[1]
            self.assertIn(f"not known: {missing}", gzip.decompress(base64.b64decode(packed)).decode())
        advice = words("advise", "exp")
        self.assertIn(f"Data are missing: {missing}", advice)
        self.assertNotRegex(advice.split("--- STEPS")[0], r"[Ee]fficiency (is )?0\.")
        self.assertIn("other-threads", words("info", "exp"))
        self.assertIn("other-threads: 200", words("report", "--intervals", "exp"))

    def test_threads_that_mpi_was_not_told_of_are_recorded_where_they_are_made(self):
        program = compile_c([SOURCES / "threads.c"], self.dir / "threads", "-pthread")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(quality_kinds(self.dir / "exp")["other-threads"], 0)
        self.assertEqual(mora("print", "--kinds", "SEND", "exp", cwd=self.dir).stdout.count("SEND"), 200)


class CallSites(Case):
    def lines_of(self, experiment, file):
        return {(r.name, r.begin_line_number) for r in Archive(self.dir / experiment).regions if r.description.endswith(file)}

    def test_position_dependent_and_optimised(self):
        for name, flags in {"fixed": ["-no-pie", "-O2", "-fno-optimize-sibling-calls"], "pie": ["-pie", "-fPIE", "-O2", "-fno-optimize-sibling-calls"]}.items():
            program = compile_c([SOURCES / "every_call.c"], self.dir / name, *flags)
            done = mora("record", "-o", f"exp-{name}", LAUNCHER, "-n", "2", program, cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = self.lines_of(f"exp-{name}", "every_call.c")
            for function, line in site_lines(SOURCES / "every_call.c").items():
                self.assertIn((function, line), found)

    def test_shared_library_and_stripped_program(self):
        compile_c([SOURCES / "calls_in_library.c"], self.dir / "libring.so", "-shared", "-fPIC", "-O2", "-fno-optimize-sibling-calls")
        program = compile_c([SOURCES / "uses_library.c"], self.dir / "user", f"-L{self.dir}", "-lring", f"-Wl,-rpath,{self.dir}", "-s")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "output of the program\n")
        self.assertEqual(self.lines_of("exp", "calls_in_library.c"), set(site_lines(SOURCES / "calls_in_library.c").items()))
        stripped = {r.name: r for r in Archive(self.dir / "exp").regions if r.name in ("MPI_Init", "MPI_Finalize")}
        for region in stripped.values():
            self.assertEqual(region.begin_line_number, 0)
            self.assertRegex(region.description, r"^user\+0x[0-9a-f]+$")

    def test_functions_without_lines_have_their_names(self):
        program = self.dir / "named"
        command = [f"mpicxx.{FLAVOUR}", "-O1", "-rdynamic", "-o", program, SOURCES / "named.cpp"]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        stripped = self.dir / "stripped"
        subprocess.run(["strip", "-o", stripped, program], check=True, timeout=60)  # leaves .dynsym
        for exe in (program, stripped):
            experiment = self.dir / f"exp-{exe.name}"
            done = mora("record", "-o", experiment, LAUNCHER, "-n", "2", exe, cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            sites = {r.name: r.description for r in Archive(experiment).regions}
            self.assertRegex(sites["MPI_Allreduce"], r"^ring::Exchange<double>::step\(int\) \+ 0x[0-9a-f]+$")
            self.assertRegex(sites["MPI_Finalize"], r"^main \+ 0x[0-9a-f]+$")
            if exe == program:
                self.assertRegex(sites["MPI_Barrier"], r"^hidden\(\) \+ 0x[0-9a-f]+$")
            else:  # no symbol covers it: never the name of another function
                self.assertRegex(sites["MPI_Barrier"], r"^stripped\+0x[0-9a-f]+$")
            self.assertEqual(mora("analyze", experiment, cwd=self.dir).returncode, 0)
            self.assertIn("ring::Exchange<double>::step(int) + 0x", mora("report", experiment, cwd=self.dir).stdout)
            printed = mora("print", experiment, cwd=self.dir).stdout
            self.assertRegex(printed, r'region=MPI_Allreduce group=MPI site="ring::Exchange<double>::step\(int\) \+ 0x[0-9a-f]+"')


class Launching(Case):
    def setUp(self):
        super().setUp()
        compile_c([SOURCES / "calls_in_library.c", SOURCES / "uses_library.c"], self.dir / "ring")

    def test_exit_code_output_and_default_name(self):
        done = mora("record", LAUNCHER, "-n", "1", "./ring", "fail", cwd=self.dir)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual(done.stdout.splitlines()[0], "output of the program")
        self.assertEqual(manifest(self.dir / "mora-ring-1")["launcher_exit"], 7)
        mora("record", LAUNCHER, "-n", "1", "./ring", cwd=self.dir)
        self.assertTrue((self.dir / "mora-ring-1-2" / "manifest.json").exists())

    def test_singleton_and_mpiexec_and_prefixes(self):
        done = mora("record", "./ring", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.assert_sound(self.dir / "mora-ring-1")["totals"]["ranks"], 1)
        done = mora("record", "--", f"mpiexec.{FLAVOUR}", "-n", "2", "env", "A=1", "./ring", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = self.assert_sound(self.dir / "mora-ring-2")
        self.assertEqual(facts["mpi"]["flavour"], FLAVOUR)
        self.assertEqual(facts["command"][0], f"mpiexec.{FLAVOUR}")

    def test_several_programs_are_named_with_their_ranks(self):
        for name in ("ocean", "air"):
            (self.dir / name).write_bytes((self.dir / "ring").read_bytes())
            (self.dir / name).chmod(0o755)
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "1", "./ocean", ":", "-n", "2", "./air", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = "ocean (rank 0), air (ranks 1-2)"
        self.assertIn(f"mora: {names} with 3 ranks", done.stderr)
        facts = self.assert_sound(self.dir / "exp")
        self.assertEqual((facts["program"], facts["programs"]), ("ocean, air", names))
        self.assertEqual([r["program"] for r in facts["ranks"]], ["ocean", "air", "air"])
        mora("analyze", "exp", cwd=self.dir)
        self.assertRegex(mora("report", "exp", cwd=self.dir).stdout, rf"Program +{re.escape(names)}\n")
        self.assertRegex(mora("info", "exp", cwd=self.dir).stdout, rf"program +{re.escape(names)}\n")

    def test_a_program_with_the_address_sanitizer(self):
        program = compile_c([SOURCES / "overflow.c"], self.dir / "overflow", "-fsanitize=address")
        environment = {"ASAN_OPTIONS": "detect_leaks=0"}
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", program, cwd=self.dir, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(manifest(self.dir / "exp")["totals"]["recorded_ranks"], 2)
        done = mora("record", "-o", "found", LAUNCHER, "-n", "1", program, "overflow", cwd=self.dir, env=environment)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("heap-buffer-overflow", done.stderr)  # the sanitizer still does its work
        self.assertIn("MPI_Barrier", {r.name for r in Archive(self.dir / "found").regions})

    def test_any_of_one_request(self):
        program = compile_c([SOURCES / "any_of_one.c"], self.dir / "any")
        self.assertEqual(mora("record", "-o", "exp", LAUNCHER, "-n", "1", program, cwd=self.dir).returncode, 0)
        self.assertEqual(self.assert_sound(self.dir / "exp", is_whole=True)["data_quality"], [])
        received = [(name, [(e.msg_tag, e.request_id) for e in inner if type(e).__name__ == "MpiIrecv"])
                    for name, _, inner, _, _ in Archive(self.dir / "exp").calls(0)]
        self.assertEqual([call for call in received if call[1]], [("MPI_Waitany", [(1, 1)]), ("MPI_Testany", [(2, 2)]), ("MPI_Wait", [(3, 3)])])

    def test_the_users_own_preload_is_merged(self):
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", self.dir / "libown.so", SOURCES / "preloaded.c"], check=True, timeout=60)
        own = self.dir / "libown.so"
        by_launcher = ["-x", f"LD_PRELOAD={own}"] if FLAVOUR == "openmpi" else ["-genv", "LD_PRELOAD", str(own)]
        for number, (options, prefix) in enumerate(((by_launcher, []), ([], ["env", f"LD_PRELOAD={own}"]))):
            done = mora("record", "-o", f"exp{number}", LAUNCHER, *options, "-n", "2", *prefix, "./ring", cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("the user's library is here"), 2, done.stderr)
            self.assertEqual(self.assert_sound(self.dir / f"exp{number}")["totals"]["recorded_ranks"], 2)
        (self.dir / "own.sh").write_text(f"#!/bin/sh\nLD_PRELOAD={own} exec ./ring\n")
        (self.dir / "own.sh").chmod(0o755)
        done = mora("record", "--mpi", FLAVOUR, "-o", "script", LAUNCHER, "-n", "2", "./own.sh", cwd=self.dir)
        self.assert_error(done, 2, "nothing was recorded", "LD_PRELOAD=mine.so:$LD_PRELOAD")

    def test_options_of_a_launcher_without_one(self):
        for words in (["-n", "4"], ["-np", "4"], ["--", "-n", "4"]):
            self.assert_error(mora("record", *words, "./ring", cwd=self.dir), 2, "launcher is missing",
                              f"write: mora record mpirun {' '.join(words).removeprefix('-- ')} ./ring")
        self.assert_error(mora("record", "--quiet", "-n", "4", "./ring", cwd=self.dir), 2, "write: mora record --quiet mpirun -n 4 ./ring")
        self.assert_error(mora("record", "--quite", "./ring", cwd=self.dir), 2, "did you mean --quiet")

    def test_ranks_that_only_the_run_tells(self):
        (self.dir / "app.sh").write_text(f"#!/bin/sh\nexec {LAUNCHER} -n 3 ./ring\n")
        (self.dir / "app.sh").chmod(0o755)
        done = mora("record", "--mpi", FLAVOUR, "./app.sh", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(manifest(self.dir / "mora-app.sh-3")["totals"]["recorded_ranks"], 3)

    def test_a_script_with_two_runs_leaves_two_experiments(self):
        (self.dir / "two.sh").write_text(f"#!/bin/sh\n{LAUNCHER} -n 2 ./ring\n{LAUNCHER} -n 3 ./ring\n")
        done = mora("record", "--mpi", FLAVOUR, "-o", "exp", "sh", "two.sh", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.assert_sound(self.dir / "exp")["totals"]["ranks"], 2)
        self.assertEqual(self.assert_sound(self.dir / "exp-2")["totals"]["ranks"], 3)

    def test_memory_and_bytes_of_each_process(self):
        """Beside what the program moves there is what MPI says to its launcher, and the recorder's copy of the memory map; not the
        journals, which are larger than that."""
        mib = 1 << 20
        program = compile_c([SOURCES / "io_bytes.c"], self.dir / "io_bytes")
        done = mora("record", "--keep-journal", "-o", "exp", LAUNCHER, "-n", "2", program, 16 * mib, 64 * mib, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        for rank in manifest(self.dir / "exp")["ranks"]:
            journal, = (self.dir / "exp/journal").glob(f"*.{rank['rank']}.journal")
            self.assertGreater(journal.stat().st_size, 4 * mib)
            usage = rank["usage"]
            for moved in ("read_bytes", "written_bytes"):
                self.assertGreaterEqual(usage["io"][moved], 16 * mib, moved)
                self.assertLess(usage["io"][moved], 18 * mib, moved)
            self.assertGreater(usage["resident_bytes"], 64 * mib)

    def test_processes_that_share_processors(self):
        own, host = sorted(os.sched_getaffinity(0)), socket.gethostname()
        one = ["taskset", "-c", str(own[0]), "./ring"]
        mora("record", "-o", "exp", LAUNCHER, "-n", "3", *one, cwd=self.dir)
        facts = manifest(self.dir / "exp")
        self.assertEqual(facts["processors"], [f"3 processes share processor {own[0]} of {host}"])
        for rank in facts["ranks"]:
            self.assertEqual(rank["processors"], str(own[0]))
            self.assertGreater(rank["usage"]["resident_bytes"], 1 << 20)
            self.assertLessEqual(rank["usage"]["user_s"] + rank["usage"]["system_s"], rank["lifetime_s"] + 0.1)
        self.assertIn(f"Processors   3 processes share processor {own[0]} of {host}",
                      mora("report", "exp", cwd=self.dir).stdout)
        if len(own) < 2:
            return
        mora("record", "-o", "two", LAUNCHER, "-bind-to", "none", "-n", "1", *one, ":", "-n", "1", "./ring", cwd=self.dir)
        self.assertEqual(manifest(self.dir / "two")["binding"],
                         [f"the processes of {host} are bound to different numbers of processors: rank 1 to {len(own)}, rank 0 to 1"])

    def test_no_record_leaves_nothing(self):
        done = mora("record", "--no-record", "-o", "exp", LAUNCHER, "-n", "2", "./ring", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.dir / "exp").exists())

    def test_queries_are_recorded_on_request(self):
        for options, wanted in (([], False), (["--queries"], True)):
            name = "with" if wanted else "without"
            mora("record", *options, "-o", name, LAUNCHER, "-n", "1", "./ring", cwd=self.dir)
            self.assertEqual("MPI_Comm_rank" in {r.name for r in Archive(self.dir / name).regions}, wanted)

    def test_keep_journal_and_recover_again(self):
        mora("record", "--keep-journal", "-o", "exp", LAUNCHER, "-n", "2", "./ring", cwd=self.dir)
        self.assertTrue(list((self.dir / "exp" / "journal").glob("*.journal")))
        before = Archive(self.dir / "exp").events
        # As if killed while converting, early and late: without a manifest the archive is no archive.
        for lost in (["manifest.json", "traces.otf2", "traces.def"], ["manifest.json"]):
            for name in lost:
                (self.dir / "exp" / name).unlink()
            done = mora("recover", "--json", "exp", *(["--keep-journal"] if len(lost) > 1 else []), cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(checked_json(done.stdout)["schema"], "mora-record")
            again = Archive(self.dir / "exp").events
            self.assertEqual({r: [str(e) for e in events] for r, events in again.items()},
                             {r: [str(e) for e in events] for r, events in before.items()})
        self.assert_sound(self.dir / "exp")
        self.assertEqual({p.name for p in self.dir.iterdir()}, {"exp", "ring"})

    def test_signals_reach_the_launcher(self):
        compile_c([SOURCES.parent.parent / "fault" / "endless.c"], self.dir / "endless")
        job = subprocess.Popen([MORA, "record", "-o", "exp", LAUNCHER, "-n", "2", "./endless", "progress"], cwd=self.dir, env=ENVIRONMENT,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 60
        while rounds(self.dir / "progress.1") < 10 and time.time() < deadline:
            time.sleep(0.05)
        job.send_signal(signal.SIGTERM)
        _, errors = job.communicate(timeout=90)
        # Which code hydra ends with after a SIGTERM is a matter of luck (0 or 15); that it ended shows that it got the signal.
        self.assertGreater(self.assert_sound(self.dir / "exp")["totals"]["calls"], 10, errors)

    def test_python_is_measured_with_the_mpi_of_mpi4py(self):
        (self.dir / "script.py").write_text("from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\n")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", "/usr/bin/python3", "script.py", cwd=self.dir)
        if FLAVOUR == "mpich":  # Debian's mpi4py is built with Open MPI
            self.assertIn("use mpirun.openmpi", done.stderr)
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_sound(self.dir / "exp")
        self.assertLessEqual({"MPI_Barrier", "MPI_Finalize"}, {c[0] for c in Archive(self.dir / "exp").calls(1)})


def rounds(file):
    """How many rounds a rank of endless.c has done, by its own count."""
    data = file.read_bytes() if file.exists() else b""
    return struct.unpack("qq", data[:16])[1] if len(data) >= 16 else 0


class ProgressLine(Case):
    def test_only_on_a_terminal_and_erased_at_the_end(self):
        compile_c([SOURCES / "calls_in_library.c", SOURCES / "uses_library.c"], self.dir / "ring")
        job = [LAUNCHER, "-n", "2", "./ring"]
        code, written = stderr_on_a_terminal("record", "--keep-journal", "-o", "exp", *job, cwd=self.dir)
        self.assertEqual(code, 0, written)
        self.assertIn("writing events 2 of 2\r\033[Kmora: ring with 2 ranks", written)
        for name in ("manifest.json", "traces.otf2"):
            (self.dir / "exp" / name).unlink()
        code, written = stderr_on_a_terminal("recover", "--keep-journal", "exp", cwd=self.dir)
        self.assertEqual(code, 0, written)
        self.assertIn("reading journals 2 of 2", written)
        self.assertIn("writing events 2 of 2\r\033[Kmora: ring", written)
        self.assertEqual(stderr_on_a_terminal("record", "--quiet", "-o", "quiet", *job, cwd=self.dir), (0, ""))
        self.assertNotIn("\033", stderr_on_a_terminal("record", "--json", "-o", "json", *job, cwd=self.dir)[1])
        self.assertNotIn("\033", mora("record", "-o", "pipe", *job, cwd=self.dir).stderr)
        facts = checked_json(mora("record", "--json", "-o", "facts", *job, cwd=self.dir).stderr)
        self.assertEqual((facts["schema"], facts["experiments"][0]["ranks"]), ("mora-record", 2))


class ClearWords(Case):
    def test_things_that_cannot_be_measured(self):
        self.assert_error(mora("record", "true", cwd=self.dir), 2, "not an MPI program")
        self.assert_error(mora("record", LAUNCHER, "-n", "2", "./nosuch", cwd=self.dir), 2, "cannot find the program")
        self.assert_error(mora("record", LAUNCHER, "-n", "2", cwd=self.dir), 2, "cannot find the program")
        subprocess.run(["gcc", "-static", "-o", self.dir / "stub", SOURCES / "static_stub.c"], check=True, timeout=60)
        self.assert_error(mora("record", LAUNCHER, "-n", "2", "./stub", cwd=self.dir), 2, "statically")
        self.assertEqual([p.name for p in self.dir.iterdir()], ["stub"])

    def test_never_calls_init(self):
        compile_c([SOURCES / "never_init.c"], self.dir / "idle")
        self.assert_error(mora("record", LAUNCHER, "-n", "2", "./idle", cwd=self.dir), 2, "never called MPI_Init")
        self.assertFalse((self.dir / "mora-idle-2").exists())

    def test_wrong_flavour_is_said(self):
        compile_c([SOURCES / "calls_in_library.c", SOURCES / "uses_library.c"], self.dir / "ring")
        done = mora("record", "--mpi", OTHER, "-o", "exp", LAUNCHER, "-n", "1", "./ring", cwd=self.dir)
        self.assertEqual(done.stdout, "output of the program\n")  # the program is not disturbed
        self.assert_error(done, 3, "nothing was recorded", "--mpi")

    def test_exit_without_finalize(self):
        compile_c([SOURCES / "never_init.c"], self.dir / "quitter")
        mora("record", "-o", "exp", "./quitter", "init", cwd=self.dir)
        self.assertEqual(self.assert_sound(self.dir / "exp")["totals"]["calls"], 1)
        self.assertTrue({"no-finalize", "process-killed"} & set(quality_kinds(self.dir / "exp")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
