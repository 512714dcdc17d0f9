#!/usr/bin/python3
"""The table's reader refuses what it does not understand, and the comparison with the libraries finds what is wrong."""

import os
import sys
import tempfile
import unittest

GENERATOR = sys.argv.pop(1)
TABLE = os.path.join(GENERATOR, "..", "..", "mpi")
sys.path[:0] = [GENERATOR, TABLE, os.path.dirname(os.path.abspath(__file__))]

import check_symbols  # noqa: E402
import emit_c  # noqa: E402
import emit_fortran  # noqa: E402
import function_table  # noqa: E402

SEND = "int MPI_Send(const void *buf, int count, MPI_Comm comm) ; class=send hook=send"


def table_of(*lines):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        return function_table.read_table(file.name)


class Reading(unittest.TestCase):
    def refused(self, part, *lines):
        with self.assertRaises(function_table.TableError) as caught:
            table_of(*lines)
        self.assertIn(part, str(caught.exception))

    def test_ids_are_positions_from_one(self):
        table = table_of("# a comment", SEND, "", "double MPI_Wtime(void) ; query=yes")
        self.assertEqual([(1, "MPI_Send"), (2, "MPI_Wtime")], [(f.id, f.name) for f in table])
        self.assertEqual("const void *buf, int count, MPI_Comm comm", table[0].parameter_text())
        self.assertEqual("void", table[1].parameter_text())

    def test_bad_lines_are_named(self):
        self.refused(":1: annotation 'colour=red'", SEND + " colour=red")
        self.refused(":1: class must be", "int MPI_Send(int a) ; class=sending hook=send")
        self.refused(":2: expected", SEND, "int MPI_Recv(int a)")
        self.refused("twice", SEND, SEND)
        self.refused("cannot read the parameter", "int MPI_Send(int (*f)(int)) ; class=send")

    def test_a_shared_hook_needs_equal_parameters(self):
        self.refused("MPI_Rsend has other parameters than its hook, send", SEND, "int MPI_Rsend(const void *buf, MPI_Comm comm) ; class=send hook=send")
        self.assertEqual(2, len(table_of(SEND, SEND.replace("MPI_Send", "MPI_Rsend"))))

    def test_a_hook_with_a_line_gets_what_it_names(self):
        isend = SEND.replace("MPI_Send", "MPI_Isend").replace(" comm)", " comm, MPI_Request *request)")
        table = table_of("hook send(int count, MPI_Request *request) ; pre=yes", SEND, isend)
        self.assertEqual(["&call, count, NULL", "&call, count, request"], [f.hook_arguments() for f in table])
        self.assertTrue(table[0].recorder.has_pre)
        self.refused("MPI_Send has other parameters", "hook send(long count)", SEND)
        self.refused(":1: expected 'hook", "hook send(int count) ; pre=no", SEND)


class Wrapping(unittest.TestCase):
    def text(self, name, emit):
        table = function_table.read_table(os.path.join(TABLE, "functions.txt"))
        return "\n".join(emit(next(f for f in table if f.name == name)))

    def test_hooks_see_real_statuses(self):
        self.assertIn("status == MPI_STATUS_IGNORE) status = &call.status", self.text("MPI_Recv", emit_c.c_wrapper))
        self.assertIn("= mora_statuses(&call, incount)", self.text("MPI_Waitsome", emit_c.c_wrapper))
        self.assertIn("= mora_statuses(&call, count)", self.text("MPI_Testall", emit_c.c_wrapper))

    def test_init_is_seen_while_recording_is_off(self):
        self.assertIn("mora_begin_always", self.text("MPI_Init", emit_c.c_wrapper))
        self.assertIn("!mora_begin(", self.text("MPI_Barrier", emit_c.c_wrapper))

    def test_calls_without_full_events_say_so(self):
        self.assertIn("mora_finish_partial", self.text("MPI_Neighbor_alltoall_c", emit_c.c_wrapper))
        self.assertIn("mora_finish_plain", self.text("MPI_Type_commit", emit_c.c_wrapper))

    def test_fortran_lengths_follow_the_error_code(self):
        text = self.text("MPI_Comm_set_name", lambda f: emit_fortran.fortran_wrapper(f, "mpi_comm_set_name"))
        self.assertIn("mpi_comm_set_name_(void* f_comm, void* f_comm_name, void* f_ierror, size_t length_comm_name)", text)


class Comparing(unittest.TestCase):
    TABLE = table_of(SEND, "int MPI_Session_init(int a) ; since=4.0")

    def test_missing_and_extra_functions(self):
        check = check_symbols.check_c
        self.assertEqual([], list(check(self.TABLE, {"MPI_Send", "PMPI_Send", "MPI_T_init_thread", "MPI_Comm_f2c"}, "openmpi")))
        self.assertEqual(1, len(list(check(self.TABLE, {"MPI_Send", "PMPI_Send", "MPI_New"}, "openmpi"))))
        self.assertEqual(1, len(list(check(self.TABLE, {"MPI_Send", "PMPI_Send"}, "mpich"))))
        self.assertEqual(1, len(list(check(self.TABLE, {"MPI_Send"}, "openmpi"))))

    def test_missing_and_extra_fortran_routines(self):
        check = check_symbols.check_fortran
        good = {"mpi_send_", "pmpi_send_", "mpi_sizeof_real4_", "mpi_send_f08_"}
        self.assertEqual([], list(check(self.TABLE, good, "openmpi")))
        self.assertEqual(1, len(list(check(self.TABLE, good | {"mpi_new_"}, "openmpi"))))
        self.assertEqual(1, len(list(check(self.TABLE, good - {"pmpi_send_"}, "openmpi"))))
        self.assertEqual(1, len(list(check(self.TABLE, good, "mpich"))))

    def test_our_exports(self):
        ours = {"MPI_Send", "mpi_send", "mpi_send_", "mpi_send__", "MPI_SEND", "ompi_send_f"} | check_symbols.MINI | check_symbols.MARKS | check_symbols.FUNCTIONS | check_symbols.END | check_symbols.SIGNALS
        check = check_symbols.check_ours
        self.assertEqual([], list(check(self.TABLE, ours, set(), "openmpi")))
        self.assertEqual(2, len(list(check(self.TABLE, ours - {"mpi_send__"}, {"some_data"}, "openmpi"))))
        self.assertEqual(1, len(list(check(self.TABLE, ours | {"main"}, set(), "openmpi"))))

    def test_routines_of_mpi_f08(self):
        table = table_of(SEND, "int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) ; class=test",
                         "int MPI_Comm_rank(MPI_Comm comm, int *rank) ; query=yes")
        check = check_symbols.check_f08
        self.assertEqual([], list(check(table, {"mpi_test_f08_", "pmpi_test_f08_"}, set(), "openmpi")))
        self.assertEqual([], list(check(table, {"mpi_test_f08_", "pmpir_test_f08_"}, set(), "mpich")))
        self.assertEqual(1, len(list(check(table, {"mpi_test_f08_"}, set(), "mpich"))))


if __name__ == "__main__":
    unittest.main()
