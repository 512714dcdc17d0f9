"""Whether samples can come by the kernel's clock of a thread's processor time here (perf_event_open), not only by timers."""
import ctypes
import os

PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, ATTRIBUTE_BYTES, EXCLUDE_KERNEL = 1, 1, 64, 1 << 5
SYS_PERF_EVENT_OPEN = 298  # x86-64


def is_allowed():
    attributes = (ctypes.c_uint32 * (ATTRIBUTE_BYTES // 4))(PERF_TYPE_SOFTWARE, ATTRIBUTE_BYTES, PERF_COUNT_SW_TASK_CLOCK)
    attributes[10] = EXCLUDE_KERNEL
    event = ctypes.CDLL(None).syscall(SYS_PERF_EVENT_OPEN, attributes, 0, -1, -1, 0)
    if event >= 0:
        os.close(event)
    return event >= 0
