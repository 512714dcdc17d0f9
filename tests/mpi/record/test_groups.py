"""mora record --mpi-functions: what is left out leaves no record, and what is recorded keeps its meaning."""
import json
import unittest

from run_mora import LAUNCHER, SOURCES, Archive, Case, compile_c, manifest, mora

P2P = ("Send", "Recv", "Sendrecv", "Irecv", "Isend", "Recv_init", "Send_init", "Startall")
REQUESTS = ("Waitall", "Request_free", "Cancel", "Wait")
COLLECTIVES = ("Barrier", "Bcast", "Allreduce", "Alltoallv")
COMMUNICATORS = ("Comm_split", "Intercomm_create", "Comm_free", "Group_incl", "Group_free")
COMPLETIONS = {"MpiIrecv", "MpiIsendComplete", "MpiRequestCancelled"}


def shapes(experiment, rank):
    return [(name, [type(e).__name__ for e in inner]) for name, _, inner, _, _ in Archive(experiment).calls(rank)]


class Groups(Case):
    def setUp(self):
        super().setUp()
        compile_c([SOURCES / "every_call.c"], self.dir / "every_call")
        mora("record", "-o", "whole", LAUNCHER, "-n", "4", "./every_call", cwd=self.dir)
        self.whole = shapes(self.dir / "whole", 0)

    def record(self, groups, name):
        done = mora("record", "--mpi-functions", groups, "-o", name, LAUNCHER, "-n", "4", "./every_call", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = self.assert_sound(self.dir / name)
        rows = [r for r in facts["data_quality"] if r["kind"] == "functions-left-out"]
        self.assertEqual(len(rows), 1, facts["data_quality"])
        return rows[0], shapes(self.dir / name, 0)

    def assert_left_out(self, names, found):
        gone = {f"MPI_{n}" for n in names}
        self.assertTrue(gone & {name for name, _ in self.whole})
        self.assertEqual(found, [c for c in self.whole if c[0] not in gone])

    def test_a_group_of_its_own(self):
        row, found = self.record("all,-collectives", "collectives")
        self.assertEqual((row["where"], row["count"], row["severity"]), ("collectives", 1, "warning"))
        self.assert_left_out(COLLECTIVES, found)
        self.assertIn("functions-left-out", mora("report", "collectives", cwd=self.dir).stdout)

    def test_objects_made_by_calls_that_are_left_out_keep_their_names(self):
        row, found = self.record("-communicators,-requests", "objects")
        self.assertEqual(row["where"], "requests, communicators")
        self.assert_left_out(COMMUNICATORS + REQUESTS, found)
        wanted = {(c[0], e.communicator.name) for c in Archive(self.dir / "whole").calls(0)
                  for e in c[2] if type(e).__name__ == "MpiCollectiveEnd"}
        self.assertEqual({(c[0], e.communicator.name) for c in Archive(self.dir / "objects").calls(0)
                          for e in c[2] if type(e).__name__ == "MpiCollectiveEnd"}, wanted)
        self.assertGreater(len(wanted), 3)

    def test_completions_of_what_was_left_out_name_no_message(self):
        _, found = self.record("all,-point-to-point", "requests")
        gone = {f"MPI_{n}" for n in P2P}
        self.assertEqual(found, [(name, [r for r in records if r not in COMPLETIONS]) for name, records in self.whole if name not in gone])
        self.assertIn("unknown-request", {r["kind"] for r in manifest(self.dir / "requests")["data_quality"]})
        self.assertEqual(json.loads(mora("analyze", "--json", "requests", cwd=self.dir).stdout)["schema"], "mora-report")

    def test_what_a_library_calls_inside_is_not_recorded_in_place_of_a_file_call(self):
        compile_c([SOURCES.parent / "events" / "files.c"], self.dir / "files")
        names = {}
        for groups in ("all", "-files"):
            done = mora("record", f"--mpi-functions={groups}", "-o", "io" + groups, LAUNCHER, "-n", "2", "./files", "data" + groups, cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            names[groups] = [name for name, *_ in Archive(self.dir / ("io" + groups)).calls(1)]
        self.assertEqual(names["-files"], [name for name in names["all"] if not name.startswith("MPI_File_")])
        self.assertGreater(len(names["all"]), len(names["-files"]))

    def test_only_init_and_finalize_are_left_at_last(self):
        _, found = self.record("-all", "nothing")
        self.assertEqual([name for name, _ in found], ["MPI_Init", "MPI_Finalize"])

    def test_polls_are_left_out_and_messages_stay(self):
        compile_c([SOURCES / "polling.c"], self.dir / "polling")
        seen = {}
        for groups in ("all", "-polls"):
            done = mora("record", f"--mpi-functions={groups}", "-o", "exp" + groups, LAUNCHER, "-n", "2", "./polling", cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(int(done.stdout), 4)
            self.assert_sound(self.dir / ("exp" + groups))
            calls = shapes(self.dir / ("exp" + groups), 1)
            seen[groups] = calls
        wanted = [("MPI_Init", []), ("MPI_Iprobe", []), ("MPI_Recv", ["MpiRecv"]), ("MPI_Irecv", ["MpiIrecvRequest"]),
                  ("MPI_Test", ["MpiIrecv"]), ("MPI_Finalize", [])]
        self.assertEqual(seen["-polls"], wanted)
        self.assertGreater(len(seen["all"]), len(wanted))
        self.assertEqual({r["kind"] for r in manifest(self.dir / "expall")["data_quality"]} & {"functions-left-out"}, set())

    def test_an_unknown_group_is_an_error_before_the_job(self):
        done = mora("record", "--mpi-functions", "all,-colectives", "-o", "exp", LAUNCHER, "-n", "1", "./every_call", cwd=self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean collectives?", done.stderr)
        self.assertFalse((self.dir / "exp").exists())


if __name__ == "__main__":
    unittest.main()
