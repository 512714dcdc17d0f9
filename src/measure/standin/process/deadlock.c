/* Idea: a process that sleeps says which events it has seen, and to whom it looks. Only a process that does not sleep
 * can give others events. So if all sleep, all their events are seen, and nothing of that changes between two looks,
 * nothing ever will. Then all are woken once, and answer what they wait for. */
#include "measure/standin/process/deadlock.h"

#include "measure/standin/core/exchange.h"

/* 1: it sleeps and has seen all. *sum: changes with what it does. */
static int sleeps(const struct standin_progress* one, uint64_t* sum) {
  if (!__atomic_load_n(&one->waiting, __ATOMIC_SEQ_CST) || one->threads) return 0;
  const uint32_t events = standin_events_of(one->rank);
  *sum += events + (one->calls << 20);
  return events == __atomic_load_n(&one->seen, __ATOMIC_SEQ_CST);
}

int standin_is_deadlock(struct standin_progress* const* living, int n, double now) {
  static double since, asked;
  static uint64_t before;
  if (asked > 0) {
    int answered = 1;
    for (int i = 0; i < n; i++) answered &= __atomic_load_n(&living[i]->answered, __ATOMIC_ACQUIRE) != 0;
    return answered || now - asked > 5;
  }
  uint64_t sum = 0;
  int all = n > 0;
  for (int i = 0; i < n && all; i++) all = sleeps(living[i], &sum);
  if (!all || since == 0 || sum != before) {
    before = sum;
    since = all ? now : 0;
    return 0;
  }
  if (now - since < 1) return 0;
  asked = now;
  __atomic_store_n(&standin_shared->stuck, 1, __ATOMIC_SEQ_CST);
  standin_wake_all();
  return 0;
}
