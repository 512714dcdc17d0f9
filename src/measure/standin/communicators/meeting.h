/* Meetings: a collective call as a place in shared memory, to which each member brings what it gives and from which
 * each takes what is for it. What a member gives is stored once, in parts; who takes waits for those that it takes
 * from, or for all. Nobody passes on what is another's, so a call that was only started needs no further action.
 *
 * The meetings of a communicator are a list, and each member knows the last one that it came to. A member has left a
 * meeting when it has taken what is for it, and is past it when it has also come to the next: what was given is freed
 * when all have left, the meeting when all are past it. */
#ifndef MORA_MEASURE_STANDIN_COMMUNICATORS_MEETING_H
#define MORA_MEASURE_STANDIN_COMMUNICATORS_MEETING_H

#include <stddef.h>
#include <stdint.h>

#include "measure/standin/core/standin.h"

struct standin_meeting;

/* What one member gives: n parts, part i at bytes + ends[i - 1]. */
struct standin_gift {
  int n;
  uint64_t ends[];
};

/* `parts` sizes. Fill it with standin_gift_part before it is brought. */
struct standin_gift* standin_gift_new(int parts, const size_t* sizes);
/* A part; of a gift of one part that one, whatever `part` says. */
char* standin_gift_part(struct standin_gift* gift, int part, size_t* bytes);

/* How many members a meeting of this communicator has, and their numbers: of this process, of a rank of its own group,
 * and of a peer (of the remote group, if there is one). */
int standin_members(const struct standin_comm* comm);
int standin_number_of_own(const struct standin_comm* comm, int rank);
int standin_number_of_peer(const struct standin_comm* comm, int rank);
int standin_world_rank_of(const struct standin_comm* comm, int number);

/* Comes to the next meeting of the communicator with a gift (taken over; NULL: nothing). `wakes`: others may wait for
 * this member alone. *is_last: all have come now. Stops the process if others make another call there. */
struct standin_meeting* standin_meet(struct standin_comm* comm, struct standin_gift* gift, int wakes, int* is_last);
int standin_all_have_come(const struct standin_comm* comm, const struct standin_meeting* meeting);
int standin_has_come(const struct standin_meeting* meeting, int number);
/* NULL: it gave nothing, or has not come. */
struct standin_gift* standin_gift_of(const struct standin_meeting* meeting, int number);
/* The result that the last one makes of all gifts (taken over), and what the others see of it. */
void standin_set_result(const struct standin_comm* comm, struct standin_meeting* meeting, struct standin_gift* result);
struct standin_gift* standin_result(const struct standin_meeting* meeting);
/* Every member calls it once, after it has taken what is for it. */
void standin_part_from(const struct standin_comm* comm, struct standin_meeting* meeting);
/* The communicator is freed: this process comes to no further meeting. */
void standin_no_more_meetings(struct standin_comm* comm);

#endif
