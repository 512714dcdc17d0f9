/* Stacks of calls that were walked before, so that a call like an earlier one is not walked again.
 *
 * A walk is decided by the words that it reads from the stack (return addresses, and saved frame pointers where a rule
 * counts from rbp): the first one stands at a place that the caller's frame gives, each next one at a place that those
 * before it give. A memo holds these places and words. Where the frame is the same and all words are still there, a
 * walk would read them again in the same order and end at the same number: that follows by induction over the frames,
 * so the number is exact, not likely. Rules of addresses change only when code is unloaded; then all memos are void.
 *
 * Cost: four instructions a word. Memory: 1 KiB a memo, touched when used. A memo is the thread's own. */
#ifndef MORA_MEASURE_STACK_MEMO_H
#define MORA_MEASURE_STACK_MEMO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MORA_MEMO_WORDS = 62, MORA_MEMO_AT_A_TIME = 4, MORA_MEMO_SETS = 64 };

struct mora_stack_read {
  const uint64_t* at;
  uint64_t word;
};

struct mora_stack_memo {
  const void* own_frame; /* NULL: empty */
  const void* site;
  uint32_t number;
  uint32_t words; /* a multiple of MORA_MEMO_AT_A_TIME; not 0 but in an empty one */
  struct mora_stack_read read[MORA_MEMO_WORDS];
};

struct mora_stack_memos {
  struct mora_stack_memo* last[MORA_MEMO_SETS]; /* of those with the same hash the one that was right last */
  uint32_t unloads;                             /* mora_stack_unloads when they were made */
};

/* Of the calling thread; never NULL. */
extern __attribute__((visibility("hidden"))) __thread struct mora_stack_memos* mora_stack_memos;
/* How often code was unloaded. */
extern __attribute__((visibility("hidden"))) uint32_t mora_stack_unloads;

static inline unsigned mora_stack_hash(const void* own_frame, const void* site) {
  return (unsigned)((uintptr_t)own_frame / 16 + (uintptr_t)site) % MORA_MEMO_SETS;
}

/* Whether the stack is the memo's. */
static inline int mora_stack_is_as_in(const struct mora_stack_memo* memo, const void* own_frame, const void* site) {
  if (__builtin_expect(memo->own_frame != own_frame || memo->site != site, 0)) return 0;
  const struct mora_stack_read *read = memo->read, *end = read + memo->words;
  do {
    if (__builtin_expect(((*read[0].at ^ read[0].word) | (*read[1].at ^ read[1].word) | (*read[2].at ^ read[2].word) |
                          (*read[3].at ^ read[3].word)) != 0,
                         0))
      return 0;
    read += MORA_MEMO_AT_A_TIME;
  } while (read != end);
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif
