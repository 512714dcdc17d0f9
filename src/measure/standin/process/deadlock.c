/* Idea: a process that sleeps says which events it has seen, and to whom it looks. Only a process that does not sleep
 * can give others events. So if all sleep, all their events are seen, and nothing of that changes between two looks,
 * nothing ever will. Then all are woken once, and answer what they wait for. Each waits for at most one rank that is
 * known, so that the way from one to the next ends in a circle, at a process that looks to nobody, or at one that has
 * ended. */
#include "measure/standin/process/deadlock.h"

#include <stdio.h>
#include <string.h>

#include "measure/standin/core/exchange.h"
#include "mpi/function_table.h"

enum { MOST_TOLD = 16 };

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

static const char* call_of(const struct standin_progress* one) {
  const char* name = one->function ? mora_function_name(one->function) : NULL;
  return name ? name : "MPI";
}

static const struct standin_progress* of_rank(struct standin_progress* const* living, int n, int rank) {
  for (int i = 0; i < n; i++)
    if (living[i]->rank == rank) return living[i];
  return NULL;
}

void standin_describe_deadlock(struct standin_progress* const* living, int n, char* sentence, int room) {
  int used = 0;
  sentence[0] = '\0';
  for (int start = 0; start < n; start++) {
    /* twice as fast around a circle as the other: they meet in it */
    const struct standin_progress *slow = living[start], *fast = slow;
    do {
      slow = of_rank(living, n, slow->waits_for);
      fast = of_rank(living, n, fast->waits_for);
      if (fast) fast = of_rank(living, n, fast->waits_for);
    } while (fast && fast != slow);
    if (!fast) continue;
    const struct standin_progress* first = slow;
    for (const struct standin_progress* one = of_rank(living, n, slow->waits_for); one != slow;
         one = of_rank(living, n, one->waits_for))
      if (one->rank < first->rank) first = one;
    const struct standin_progress* one = first;
    int told = 0;
    used = snprintf(sentence, (size_t)room, "deadlock:");
    do {
      if (used < room && told < MOST_TOLD)
        used += snprintf(sentence + used, (size_t)(room - used), "%s rank %d in %s waits for rank %d", told ? "," : "",
                         one->rank, call_of(one), one->waits_for);
      told++;
      one = of_rank(living, n, one->waits_for);
    } while (one != first);
    if (used < room && told > MOST_TOLD)
      snprintf(sentence + used, (size_t)(room - used), ", and %d more", told - MOST_TOLD);
    return;
  }
  for (int i = 0; i < n; i++)
    if (living[i]->waits_for >= 0 && !of_rank(living, n, living[i]->waits_for)) {
      snprintf(sentence, (size_t)room, "deadlock: rank %d in %s waits for rank %d, which has ended", living[i]->rank,
               call_of(living[i]), living[i]->waits_for);
      return;
    }
}
