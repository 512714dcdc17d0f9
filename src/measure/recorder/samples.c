/* Each recorded thread has a timer of its own processor time, which sends it a signal; outside of MPI calls the handler
 * notes the instruction and the functions around it (stack/interrupted.h). Inside of MPI calls it notes nothing, nor
 * while a thread of a team has no part in one. The handler neither allocates nor locks, and writes no journal: samples
 * wait in memory of the thread's own until its next record (call/sampling.h), which costs calls nothing while there are
 * none. A thread that computes for minutes without a record is sampled ever more rarely: when the memory is full every
 * second sample is dropped and the others weigh double.
 *
 * The program does not notice, but for the time:
 *   - The signal is the highest real-time signal that nobody handles: SIGPROF, setitimer and profilers stay the
 *     program's. A program that sets a handler for that very signal gets it, and sampling ends, which is said once.
 *   - SA_RESTART, and calls that the kernel ends with EINTR in spite of it (poll, select, epoll_wait, nanosleep ...)
 *     are begun again here: the number of the call stands in the instruction that loaded it, the arguments in the
 *     registers. As the timer counts processor time, it does not fire while such a call sleeps; it fires while the
 *     kernel works for it, and since Linux 5.11 the signal then comes when the call has ended. Before that it ended
 *     the call at its begin or its end: what begins again is a timeout that had hardly begun, or rarely one that had
 *     just passed. Not begun again: pause and sigsuspend, which wait for signals.
 *   - All signals but faults wait while the handler runs. It uses the alternate signal stack, if there is one.
 *   - errno stays as it was; fork and exec leave the timer behind.
 *
 * Cost: 1.2 us a sample, most of it the kernel's; 250 a second are 0.03 % (docs/performance.md). Kernels look
 * at such timers at their ticks: on Debian no more than 250 samples a second come, whatever is asked for.
 * Limits: x86-64 with glibc 2.35. A wrong unwind table could lead to the tables of a module that another thread is just
 * unloading. What a killed process computed since its last MPI call is lost, and what threads that outlive MPI_Finalize
 * computed since their last record. */
#define _GNU_SOURCE
#include "measure/recorder/samples.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "measure/call/sampling.h"
#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/recorder/stacks.h"
#include "measure/stack/interrupted.h"
#include "measure/stack/python_places.h"

enum {
  most_samples = 1 << 16,
  most_paths = 4096,
  path_slots = 2 * most_paths,
  path_words = 1 << 17,
  deepest = 128,
  highest_rate = 10000
};

struct sample {
  uint64_t ticks, pc;
  uint32_t path; /* number, from 1; 0: the functions around it are not known */
};

struct path {
  uint32_t begin, count; /* in `words` */
  uint64_t hash;
};

/* What one thread has, or those that had its place one after the other: paths are numbered in its journal. All of it
 * is changed by the thread's handler only while its gate is open, and by others only while it is shut; whether there is
 * a timer, under the lock of all threads. */
struct mora_samples {
  uint32_t count, stride, skipped, path_count, words_used, paths_written;
  int has_timer;
  timer_t timer;
  uint64_t addresses[2 * deepest]; /* of the sample that is taken: those of Python are behind the others */
  struct mora_interrupted_walker walker;
  struct sample samples[most_samples];
  struct path paths[most_paths + 1];
  uint32_t slots[path_slots]; /* by hash: number of a path */
  uint64_t words[path_words];
};

static unsigned long rate;              /* a second */
static int number_used;                 /* the signal; 0: none */
static int is_on, was_taken;            /* is_on: threads that begin are sampled, too */
static uint64_t paths_refused;          /* of all threads */
static enum mora_no_samples impossible; /* why */
static int (*real_sigaction)(int, const struct sigaction*, struct sigaction*);
static void (*(*real_signal)(int, void (*)(int)))(int);

__attribute__((constructor)) static void find_real(void) {
  real_sigaction = (int (*)(int, const struct sigaction*, struct sigaction*))dlsym(RTLD_NEXT, "sigaction");
  real_signal = (void (*(*)(int, void (*)(int)))(int))dlsym(RTLD_NEXT, "signal");
}

#if MORA_HAS_STACKS

static int has_timer(const struct mora_samples* memory) {
  return __atomic_load_n(&memory->has_timer, __ATOMIC_RELAXED);
}

static int begins_again(uint32_t call) {
  static const uint16_t calls[] = {
      SYS_poll,   SYS_ppoll,   SYS_select,   SYS_pselect6,        SYS_epoll_wait,   SYS_epoll_pwait, SYS_nanosleep,
      SYS_semop,  SYS_msgsnd,  SYS_msgrcv,   SYS_clock_nanosleep, SYS_io_getevents, SYS_semtimedop,  SYS_futex,
      SYS_read,   SYS_write,   SYS_recvfrom, SYS_sendto,          SYS_recvmsg,      SYS_sendmsg,     SYS_readv,
      SYS_writev, SYS_connect, SYS_accept,   SYS_accept4};
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i] == call) return 1;
  return 0;
}

/* A system call that this signal ended begins again, as if nothing had been. */
static void undo_interruption(greg_t* registers) {
  enum { farthest = 24, page = 4096 };
  if (registers[REG_RAX] != -EINTR || ((uintptr_t)registers[REG_RIP] & (page - 1)) < farthest) return;
  const uint8_t* next = (const uint8_t*)registers[REG_RIP];
  if (next[-2] != 0x0f || next[-1] != 0x05) return; /* syscall */
  for (unsigned back = 7; back < farthest; back++) {
    if (next[-(int)back] != 0xb8) continue; /* mov $number, %eax */
    uint32_t call;
    memcpy(&call, next - back + 1, sizeof call);
    if (!begins_again(call)) continue;
    registers[REG_RAX] = call;
    registers[REG_RIP] -= 2;
    return;
  }
}

static uint32_t path_of(struct mora_samples* memory, const uint64_t* addresses, unsigned n) {
  uint64_t hash = n;
  for (unsigned i = 0; i < n; i++) hash = (hash ^ addresses[i]) * UINT64_C(0x9E3779B97F4A7C15) + (hash >> 29);
  unsigned slot = (unsigned)(hash >> 40) % path_slots;
  for (; memory->slots[slot] != 0; slot = (slot + 1) % path_slots) {
    const struct path* path = &memory->paths[memory->slots[slot]];
    if (path->hash == hash && path->count == n &&
        !memcmp(memory->words + path->begin, addresses, n * sizeof *addresses))
      return memory->slots[slot];
  }
  if (memory->path_count == most_paths || memory->words_used + n > path_words) {
    __atomic_add_fetch(&paths_refused, 1, __ATOMIC_RELAXED);
    return 0;
  }
  memcpy(memory->words + memory->words_used, addresses, n * sizeof *addresses);
  memory->paths[++memory->path_count] = (struct path){memory->words_used, n, hash};
  memory->words_used += n;
  return memory->slots[slot] = memory->path_count;
}

static void take_sample(struct mora_samples* memory, const greg_t* registers) {
  if (++memory->skipped < memory->stride) return;
  memory->skipped = 0;
  if (memory->count == most_samples) {
    for (uint32_t i = 0; i < most_samples / 2; i++) memory->samples[i] = memory->samples[2 * i];
    memory->count = most_samples / 2;
    memory->stride *= 2;
  }
  const uintptr_t pc = (uintptr_t)registers[REG_RIP];
  const struct mora_interrupted at = {pc, (uintptr_t)registers[REG_RSP], (uintptr_t)registers[REG_RBP],
                                      (uintptr_t)registers[REG_RBX]};
  unsigned n = mora_interrupted_callers(&memory->walker, at, memory->addresses, deepest);
  if (mora_python_is_on) n += mora_python_interrupted(memory->addresses + n, deepest);
  memory->samples[memory->count++] = (struct sample){mora_ticks(), pc, path_of(memory, memory->addresses, n)};
  __atomic_signal_fence(__ATOMIC_RELEASE);
  mora_self.samples_wait = 1;
  mora_self.core_due = 0; /* the next call looks */
}

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)info;
  const int error = errno;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  struct mora_samples* memory = mora_self.thread->samples;
  if (mora_self.gate == MORA_GATE_OPEN && memory && has_timer(memory) && !mora_self.is_idle)
    take_sample(memory, registers);
  undo_interruption(registers);
  errno = error;
}

/* The signal, with our handler; 0 if none is free. */
static int take_signal(void) {
  for (int number = SIGRTMAX; number > SIGRTMAX - 8 && number > SIGRTMIN; number--) {
    struct sigaction ours, before;
    if (real_sigaction(number, NULL, &before) != 0 || before.sa_handler != SIG_DFL || (before.sa_flags & SA_SIGINFO))
      continue;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&ours.sa_mask, faults[i]);
    if (real_sigaction(number, &ours, NULL) == 0) return number;
  }
  return 0;
}

/* Of the calling thread. */
static int start_timer(timer_t* timer) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number_used;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer) != 0) return 0;
  const long period_ns = (long)(1000000000 / rate);
  struct itimerspec times = {.it_interval = {period_ns / 1000000000, period_ns % 1000000000}};
  times.it_value.tv_nsec = 1 + (long)(mora_ticks() % (uint64_t)(period_ns < 999999999 ? period_ns : 999999999));
  if (timer_settime(*timer, 0, &times, NULL) == 0) return 1;
  timer_delete(*timer);
  return 0;
}

/* Begins to sample the calling thread. Returns what it lacks for that. */
static enum mora_no_samples sample_thread(void) {
  struct mora_samples* memory = mora_self.thread->samples;
  if (!memory) {
    memory = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return MORA_NO_MEMORY;
    memory->stride = 1;
    mora_self.thread->samples = memory;
  }
  if (!mora_interrupted_start(&memory->walker)) return MORA_NO_UNWINDER;
  __atomic_store_n(&memory->has_timer, start_timer(&memory->timer), __ATOMIC_RELAXED);
  return memory->has_timer ? 0 : errno == EAGAIN ? MORA_NO_TIMER_LEFT : MORA_NO_TIMER;
}

void mora_samples_start(void) {
  const char* setting = getenv("MORA_SAMPLE");
  rate = setting ? strtoul(setting, NULL, 10) : 0;
  if (rate == 0 || mora_pattern) return;
  if (rate > highest_rate) rate = highest_rate;
  const int error = errno;
  impossible = MORA_NO_UNWINDER;
  if (real_sigaction && real_signal) {
    number_used = take_signal();
    impossible = number_used == 0 ? MORA_NO_SIGNAL : sample_thread();
  }
  is_on = !impossible;
  errno = error;
}

void mora_samples_begin_thread(void) {
  if (!is_on) return;
  const enum mora_no_samples lacking = sample_thread();
  if (lacking) mora_write_note(MORA_NOTE_NO_SAMPLES, lacking);
}

#else

void mora_samples_start(void) {
  const char* setting = getenv("MORA_SAMPLE");
  if (!mora_pattern && setting && strtoul(setting, NULL, 10) != 0) impossible = MORA_NO_UNWINDER;
}

void mora_samples_begin_thread(void) {}

#endif

static void stop_timer(struct mora_thread* thread) {
  if (!thread->samples || !thread->samples->has_timer) return;
  __atomic_store_n(&thread->samples->has_timer, 0, __ATOMIC_RELAXED);
  timer_delete(thread->samples->timer);
}

/* Of all threads. */
static void stop_timers(void) {
  mora_threads_lock();
  is_on = 0;
  for (struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before) stop_timer(thread);
  mora_threads_unlock();
}

void mora_samples_stop(void) {
  const int error = errno;
  if (mora_has_samples()) mora_samples_write(UINT64_MAX);
  stop_timers();
  errno = error;
}

void mora_samples_end_thread(void) {
  const int error = errno;
  if (mora_has_samples()) mora_samples_write(UINT64_MAX);
  mora_threads_lock();
  stop_timer(mora_self.thread);
  mora_threads_unlock();
  errno = error;
}

void mora_samples_forget(void) {
  is_on = 0;
  mora_self.samples_wait = 0;
  if (mora_self.thread->samples) mora_self.thread->samples->has_timer = 0;
}

static void write_paths(struct mora_samples* memory) {
  if (memory->paths_written < memory->path_count) mora_stacks_write_places();
  while (memory->paths_written < memory->path_count) {
    const struct path* path = &memory->paths[++memory->paths_written];
    uint64_t* record = mora_journal_big(mora_self.journal, 5 + path->count);
    mora_fill_fact(record, memory->paths_written);
    record[4] = mora_pair((int32_t)path->count, 0);
    memcpy(record + 5, memory->words + path->begin, path->count * sizeof *memory->words);
    mora_publish_fact(record, 5 + path->count, MORA_SHAPE_DEFINE_PATH);
  }
}

void mora_samples_drop(void) {
  struct mora_samples* memory = mora_self.thread->samples;
  memory->count = memory->skipped = 0;
  memory->stride = 1;
  mora_self.samples_wait = 0;
  mora_core_due_again();
}

void mora_samples_write(uint64_t until) {
  struct mora_samples* memory = mora_self.thread->samples;
  if (!mora_self.journal->stopped) {
    write_paths(memory);
    for (uint32_t i = 0; i < memory->count && !mora_self.journal->stopped; i++) {
      if (memory->samples[i].ticks > until) break;
      uint64_t* record = mora_journal_small(mora_self.journal);
      record[1] = memory->samples[i].ticks;
      record[2] = memory->samples[i].pc;
      record[3] = memory->samples[i].path;
      record[4] = mora_pair((int32_t)memory->stride, 0);
      mora_publish_fact(record, 5, MORA_SHAPE_SAMPLE);
    }
  }
  mora_samples_drop();
}

void mora_samples_write_notes(void) {
  if (impossible) mora_write_note(MORA_NOTE_NO_SAMPLES, impossible);
  if (was_taken) mora_write_note(MORA_NOTE_SAMPLES_GIVEN_UP, 1);
  if (paths_refused) mora_write_note(MORA_NOTE_SAMPLE_PATHS, paths_refused);
  impossible = 0;
  was_taken = 0;
  paths_refused = 0;
}

/* The program wants the signal: it has it. */
static void give_up(void) {
  stop_timers();
  was_taken = 1;
  number_used = 0;
}

static int is_ours(int number) { return number_used != 0 && number == number_used; }

MORA_EXPORT int sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  if (!real_sigaction) find_real();
  if (is_ours(number)) {
    if (!action) { /* as if we were not there */
      if (before) memset(before, 0, sizeof *before);
      return 0;
    }
    give_up();
    const int failure = real_sigaction(number, action, NULL);
    if (before) memset(before, 0, sizeof *before);
    return failure;
  }
  return real_sigaction(number, action, before);
}

MORA_EXPORT void (*signal(int number, void (*handler)(int)))(int) {
  if (!real_signal) find_real();
  if (!is_ours(number)) return real_signal(number, handler);
  give_up();
  return real_signal(number, handler) == SIG_ERR ? SIG_ERR : SIG_DFL;
}
