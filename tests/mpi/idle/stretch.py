"""How long the delays of a program that a test records must be to stay long on a loaded machine."""
import os


def stretch_of_delays():
    """For MORA_TEST_STRETCH (idle.c): waiting processes per processor, at least one; one where idle.c is not preloaded."""
    if "libmora_idle" not in os.environ.get("LD_PRELOAD", ""):
        return 1
    waiting = os.getloadavg()[0] / len(os.sched_getaffinity(0))
    return 1 if waiting < 1.5 else min(2 + int(waiting), 8)
