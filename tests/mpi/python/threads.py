"""Four threads call MPI at once, each from functions of its own, while code is made and unmade; the interpreter's lock goes round."""
import threading

from mpi_here import finalize, send_to_nobody

ROUNDS = 300


def leaf(number):
    send_to_nobody()


def body(number):
    for i in range(ROUNDS):
        leaf(number)
        exec(f"def made_{number}():\n" + "\n" * (i % 5) + f"  send_to_nobody()\nmade_{number}()", {"send_to_nobody": send_to_nobody})


def work_0():
    body(0)


def work_1():
    body(1)


def work_2():
    body(2)


def work_3():
    body(3)


threads = [threading.Thread(target=work) for work in (work_0, work_1, work_2, work_3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()


def deep(n):
    return send_to_nobody() if n == 0 else deep(n - 1)


deep(400)
finalize()
