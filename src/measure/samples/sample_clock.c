/* Two clocks of a thread's processor time. POSIX timers are looked at when the kernel ticks. Where there are more
 * threads than processors, threads begin to run at ticks, so that what they do first is hardly ever seen, and few
 * signals come (a quarter, at a load of 16 on two processors). An event of the kernel's task clock (perf_event_open)
 * has neither fault; it looks at user code only, so that it never ends a system call, but it makes the switch from one
 * thread to another dearer (2 us on a virtual machine, docs/performance.md). So it is the clock where there are more
 * threads than processors, where samples are asked for more often than the kernel ticks, and where no timer can be had;
 * of the timer's signals those count then that come when the event's do not, as the kernel works for the thread (system
 * calls, page faults). Else the timer is. The event is kept by a mapping, not by its descriptor, which programs may
 * close.
 *
 * Programs compute in steps. If a step took a multiple of the period, each sample would come at one of the same few
 * places of it, and the functions between would seem to take no time; so each of the event's periods is another one, by
 * chance (as long as its descriptor is open; the timer's can only be ticks of the kernel).
 *
 * The program does not notice, but for the time:
 *   - The timer's signal is the highest real-time signal that nobody handles, the event's is SIGSTKFLT, which Linux
 *     never sends (a real-time signal that finds no place in the queue would come as SIGIO): SIGPROF, setitimer and
 *     profilers stay the program's. A program that sets a handler for one of the two gets it, and sampling goes on
 *     with the other, if it can.
 *   - SA_RESTART, and calls that the kernel ends with EINTR in spite of it (poll, select, epoll_wait, nanosleep ...)
 *     are begun again here: the number of the call stands in the instruction that loaded it, the arguments in the
 *     registers. As the timer counts processor time, it does not fire while such a call sleeps; it fires while the
 *     kernel works for it, and since Linux 5.11 the signal then comes when the call has ended. Before that it ended
 *     the call at its begin or its end: what begins again is a timeout that had hardly begun, or rarely one that had
 *     just passed. Not begun again: pause and sigsuspend, which wait for signals.
 *   - All signals but faults wait while the handler runs. It uses the alternate signal stack, if there is one.
 *   - errno stays as it was; fork and exec leave the clocks behind (but a signal that is pending in a thread which
 * calls exec with all signals blocked).
 *
 * Of timers no more than 250 signals a second come on Debian, whatever is asked for. */
#define _GNU_SOURCE
#include "measure/samples/sample_clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/call/clock.h"
#include "measure/counters/high_file.h"
#include "measure/mpi/mpi_binding.h"
#include "measure/stack/unwind_rule.h"

static _Atomic int timer_signal, event_signal; /* 0: none; a thread's handler reads what another one gives up */
static uint64_t period_ns;
static int prefers_event;
static struct mora_sample_clock_hooks hooks;
static int (*real_sigaction)(int, const struct sigaction*, struct sigaction*);
static void (*(*real_signal)(int, void (*)(int)))(int);

__attribute__((constructor)) static void find_real(void) {
  real_sigaction = (int (*)(int, const struct sigaction*, struct sigaction*))dlsym(RTLD_NEXT, "sigaction");
  real_signal = (void (*(*)(int, void (*)(int)))(int))dlsym(RTLD_NEXT, "signal");
}

static _Atomic int files_kept;

/* It is closed, by the program or by us. */
static void give_file_up(struct mora_sample_clock* clock) {
  if (__atomic_exchange_n(&clock->event_identity, 0, __ATOMIC_RELAXED) != 0) atomic_fetch_sub(&files_kept, 1);
}

/* The descriptor is still that of the event: the program did not close it, and got the number for a file of its own. */
static int has_event_file(struct mora_sample_clock* clock) {
  const uint64_t known = __atomic_load_n(&clock->event_identity, __ATOMIC_RELAXED);
  uint64_t identity;
  if (known == 0) return 0;
  if (ioctl(clock->event_file, PERF_EVENT_IOC_ID, &identity) == 0 && identity == known) return 1;
  give_file_up(clock);
  return 0;
}

#if MORA_HAS_STACKS

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

/* Half the period to one and a half, of which none is likelier than another: then not even steps of one period meet
 * their samples at the places of the last step. */
static uint64_t next_period(struct mora_sample_clock* clock) {
  clock->chance = (clock->chance ^ mora_ticks()) * UINT64_C(0x9E3779B97F4A7C15);
  return period_ns / 2 + (clock->chance >> 32) % (period_ns + 1);
}

static void set_period(struct mora_sample_clock* clock, int file, uint64_t period) {
  if (ioctl(file, PERF_EVENT_IOC_PERIOD, &period) == 0) clock->event_period_ns = period;
}

/* Whether a signal stands for a sample. Beside an event, which looks at user code only, those of the timer do if the
 * event has been silent for longer than its period: then the kernel worked for the thread. */
static int counts(struct mora_sample_clock* clock, int number) {
  struct timespec used;
  if (!__atomic_load_n(&clock->event, __ATOMIC_RELAXED)) return number != event_signal;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
  const uint64_t now = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
  if (number != event_signal) return now > clock->event_due_ns;
  if (has_event_file(clock)) set_period(clock, clock->event_file, next_period(clock));
  clock->event_due_ns = now + clock->event_period_ns + period_ns / 8;
  return 1;
}

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)info;
  const int error = errno;
  struct mora_sample_clock* clock = hooks.own();
  if (clock && __atomic_load_n(&clock->is_on, __ATOMIC_RELAXED) && counts(clock, number)) hooks.sample(context);
  undo_interruption(((ucontext_t*)context)->uc_mcontext.gregs);
  errno = error;
}

/* Whether nobody handles the signal; then we do. */
static int take_signal(int number) {
  struct sigaction ours, before;
  if (real_sigaction(number, NULL, &before) != 0 || before.sa_handler != SIG_DFL || (before.sa_flags & SA_SIGINFO))
    return 0;
  memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&ours.sa_mask, faults[i]);
  return real_sigaction(number, &ours, NULL) == 0;
}

/* Of the calling thread. */
static int start_timer(struct mora_sample_clock* clock) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = timer_signal;
  event._sigev_un._tid = clock->thread;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &clock->timer) != 0) return 0;
  struct itimerspec times = {.it_interval = {(time_t)(period_ns / 1000000000), (long)(period_ns % 1000000000)}};
  times.it_value.tv_nsec = 1 + (long)(mora_ticks() % (period_ns < 999999999 ? period_ns : 999999999));
  if (timer_settime(clock->timer, 0, &times, NULL) == 0) return 1;
  timer_delete(clock->timer);
  return 0;
}

/* Each descriptor is one that the program cannot have. */
static int may_keep_file(void) {
  enum { most = 64 };
  return atomic_load(&files_kept) < most;
}

/* NULL: it is not allowed. */
static void* start_event(struct mora_sample_clock* clock) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = clock->event_period_ns = next_period(clock);
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.disabled = 1;
  const int low = (int)syscall(SYS_perf_event_open, &attributes, clock->thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (low < 0) return NULL;
  const int file = may_keep_file() ? mora_to_high_number(low) : low;
  const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
  const struct f_owner_ex owner = {F_OWNER_TID, clock->thread};
  void* page = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED && (fcntl(file, F_SETOWN_EX, &owner) != 0 || fcntl(file, F_SETSIG, event_signal) != 0 ||
                             fcntl(file, F_SETFL, O_ASYNC) != 0 || ioctl(file, PERF_EVENT_IOC_ENABLE, 0) != 0)) {
    munmap(page, bytes);
    page = MAP_FAILED;
  }
  clock->event_file = file;
  if (page == MAP_FAILED || file == low || ioctl(file, PERF_EVENT_IOC_ID, &clock->event_identity) != 0) {
    clock->event_identity = 0;
    if (page != MAP_FAILED) set_period(clock, file, period_ns); /* nobody will change it */
    close(file);                                                /* low numbers are the program's */
  }
  if (clock->event_identity != 0) atomic_fetch_add(&files_kept, 1);
  return page == MAP_FAILED ? NULL : page;
}

enum mora_no_samples mora_sample_clock_choose(unsigned long rate, const struct mora_sample_clock_hooks* given) {
  if (!real_sigaction || !real_signal) return MORA_NO_SIGNAL;
  period_ns = 1000000000 / rate;
  hooks = *given;
  const char* setting = getenv("MORA_SAMPLE_CLOCK");
  struct timespec tick = {0};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  prefers_event = (setting && strcmp(setting, "event") == 0) || period_ns < (uint64_t)tick.tv_nsec;
  if (!setting || strcmp(setting, "timer") != 0) event_signal = take_signal(SIGSTKFLT) ? SIGSTKFLT : 0;
  for (int number = SIGRTMAX; !timer_signal && number > SIGRTMAX - 8 && number > SIGRTMIN; number--)
    timer_signal = take_signal(number) ? number : 0;
  return timer_signal || event_signal ? 0 : MORA_NO_SIGNAL;
}

enum mora_no_samples mora_sample_clock_start(struct mora_sample_clock* clock, int is_crowded) {
  clock->thread = (pid_t)syscall(SYS_gettid);
  clock->event_due_ns = 0;
  clock->has_timer = timer_signal && start_timer(clock);
  const enum mora_no_samples lacking = !timer_signal     ? MORA_NO_SIGNAL
                                       : errno == EAGAIN ? MORA_NO_TIMER_LEFT
                                                         : MORA_NO_TIMER;
  __atomic_store_n(&clock->is_on, clock->has_timer, __ATOMIC_RELAXED);
  if (is_crowded || prefers_event || !clock->has_timer) mora_sample_clock_sharpen(clock);
  return clock->is_on ? 0 : lacking;
}

void mora_sample_clock_sharpen(struct mora_sample_clock* clock) {
  if (clock->event || !event_signal) return;
  __atomic_store_n(&clock->event, start_event(clock), __ATOMIC_RELAXED);
  __atomic_store_n(&clock->is_on, clock->event || clock->has_timer, __ATOMIC_RELAXED);
}

#else

enum mora_no_samples mora_sample_clock_choose(unsigned long rate, const struct mora_sample_clock_hooks* given) {
  (void)rate, (void)given;
  return MORA_NO_UNWINDER;
}
enum mora_no_samples mora_sample_clock_start(struct mora_sample_clock* clock, int is_crowded) {
  (void)clock, (void)is_crowded;
  return MORA_NO_UNWINDER;
}
void mora_sample_clock_sharpen(struct mora_sample_clock* clock) { (void)clock; }

#endif

static void without_timer(struct mora_sample_clock* clock) {
  if (clock->has_timer) timer_delete(clock->timer);
  clock->has_timer = 0;
  __atomic_store_n(&clock->is_on, clock->event != NULL, __ATOMIC_RELAXED);
}

/* A child that was forked has the descriptor, too, which keeps the event alive; in the child it is no event of its own.
 */
static void close_event(struct mora_sample_clock* clock, int is_own) {
  if (!has_event_file(clock)) return;
  if (is_own) ioctl(clock->event_file, PERF_EVENT_IOC_DISABLE, 0);
  close(clock->event_file);
  give_file_up(clock);
}

void mora_sample_clock_forget(struct mora_sample_clock* clock) {
  close_event(clock, 0);
  *clock = (struct mora_sample_clock){0};
}

static void without_event(struct mora_sample_clock* clock) {
  void* event = __atomic_exchange_n(&clock->event, NULL, __ATOMIC_RELAXED);
  if (event) munmap(event, (size_t)sysconf(_SC_PAGESIZE));
  if (event) close_event(clock, 1);
  __atomic_store_n(&clock->is_on, clock->has_timer, __ATOMIC_RELAXED);
}

static void with_event(struct mora_sample_clock* clock) {
  if (clock->is_on) mora_sample_clock_sharpen(clock);
}

void mora_sample_clock_stop(struct mora_sample_clock* clock) {
  without_timer(clock);
  without_event(clock);
}

/* The program sets a handler for a signal of ours, which it has then. */
static void give_up(int number) {
  if (atomic_compare_exchange_strong(&event_signal, &(int){number}, 0)) {
    hooks.of_all(without_event);
  } else if (atomic_compare_exchange_strong(&timer_signal, &(int){number}, 0)) {
    hooks.of_all(with_event);
    hooks.of_all(without_timer);
  }
}

static int is_ours(int number) { return number != 0 && (number == timer_signal || number == event_signal); }

/* It believes that signals of ours do what they do by default; that it wants them to has no effect, as a signal may be
 * on its way. */
MORA_EXPORT int sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  if (!real_sigaction) find_real();
  if (is_ours(number)) {
    if (!action || (action->sa_handler == SIG_DFL && !(action->sa_flags & SA_SIGINFO))) {
      if (before) memset(before, 0, sizeof *before);
      return 0;
    }
    give_up(number);
    const int failure = real_sigaction(number, action, NULL);
    if (before) memset(before, 0, sizeof *before);
    return failure;
  }
  return real_sigaction(number, action, before);
}

MORA_EXPORT void (*signal(int number, void (*handler)(int)))(int) {
  if (!real_signal) find_real();
  if (!is_ours(number)) return real_signal(number, handler);
  if (handler == SIG_DFL) return SIG_DFL;
  give_up(number);
  return real_signal(number, handler) == SIG_ERR ? SIG_ERR : SIG_DFL;
}
