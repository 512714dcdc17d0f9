/* Folding records into a profile. Cost: a look-up in an index of 2 KiB and eight additions a record. */
#include "journal/profile.h"

#include <string.h>

enum {
  head_words = sizeof(struct mora_record) / 8,
  profile_words = head_words + sizeof(struct mora_amounts) / 8,
  note_words = head_words + 2
};

static uint64_t* first_of(const struct mora_journal* journal) { return (uint64_t*)(journal->live + 1); }
static unsigned words_of(const uint64_t* record) { return (unsigned)(*record >> 32) & 0xffff; }

static void mark_folded(uint64_t* record) {
  __atomic_store_n(record, (*record & ~UINT64_C(0xffff)) | MORA_SHAPE_FOLDED << 8, __ATOMIC_RELEASE);
}

/* Fills the first part from `rest` on. */
static void fill_up(struct mora_journal* journal, struct mora_profile* profile) {
  const uint64_t words = (uint64_t)(profile->newest - profile->rest);
  if (words == 0) return;
  memset(profile->rest + 1, 0, (head_words - 1) * sizeof *profile->rest);
  __atomic_store_n(profile->rest, journal->generation | MORA_WORD0(0, words, 0, MORA_SHAPE_FOLDED, 0),
                   __ATOMIC_RELEASE);
}

static void begin_first_part(struct mora_journal* journal, struct mora_profile* profile) {
  profile->rest = first_of(journal);
  profile->kept = 0;
  memset(profile->index, 0, sizeof profile->index);
  fill_up(journal, profile);
}

void mora_profile_start(struct mora_journal* journal, struct mora_profile* profile) {
  uint64_t* first = first_of(journal);
  journal->profile = profile;
  const uint32_t bytes =
      journal->chunk_bytes < MORA_PROFILE_CHUNK_BYTES ? journal->chunk_bytes : MORA_PROFILE_CHUNK_BYTES;
  profile->newest = first + bytes / sizeof *first / 16 * 9;
  *profile->newest = 0;
  begin_first_part(journal, profile);
  journal->next = profile->newest;
}

/* A new record in the first part, all but its word 0; NULL: there is no room. What is behind it is filled first, then
 * the record becomes valid: publish. */
static uint64_t* reserve(const struct mora_profile* profile, unsigned words) {
  const uint64_t left = (uint64_t)(profile->newest - profile->rest);
  return left == words || left >= words + head_words ? profile->rest : NULL;
}

static void publish(struct mora_journal* journal, uint64_t* record, unsigned words, unsigned function, unsigned shape,
                    unsigned flags) {
  struct mora_profile* profile = journal->profile;
  profile->rest = record + words;
  fill_up(journal, profile);
  profile->kept++;
  __atomic_store_n(record, journal->generation | MORA_WORD0(0, words, function, shape, flags), __ATOMIC_RELEASE);
}

/* 0: there is no room. */
static int copy(struct mora_journal* journal, const uint64_t* record) {
  const unsigned words = words_of(record);
  uint64_t* place = reserve(journal->profile, words);
  if (!place) return 0;
  /* where the filler will begin is not part of the record */
  memcpy(place + 1, record + 1, (words - 1) * sizeof *record);
  publish(journal, place, words, (unsigned)(*record >> 16) & 0xffff, (unsigned)(*record >> 8) & 0xff,
          (unsigned)*record & 0xff);
  return 1;
}

/* The sums of a key; NULL: there is no room for them. */
static struct mora_amounts* sums_of(struct mora_journal* journal, unsigned function, uint64_t site) {
  struct mora_profile* profile = journal->profile;
  uint64_t* first = first_of(journal);
  const uint64_t key = (uint64_t)function << 48 | site;
  unsigned at = (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
  for (; profile->index[at]; at = (at + 1) % MORA_PROFILE_PLACES) {
    uint64_t* record = first + (profile->index[at] - 1);
    if (record[2] == site && ((*record >> 16) & 0xffff) == function) return (struct mora_amounts*)(record + head_words);
  }
  if (profile->is_full && function != 0 && site != 0) return sums_of(journal, function, 0);
  uint64_t* record = reserve(profile, profile_words);
  if (!record) return NULL;
  struct mora_amounts* sums = (struct mora_amounts*)(record + head_words);
  record[1] = record[3] = 0;
  record[2] = site;
  *sums = (struct mora_amounts){.least = UINT64_MAX};
  profile->index[at] = (uint16_t)(record - first + 1);
  publish(journal, record, profile_words, function, MORA_SHAPE_PROFILE, 0);
  return sums;
}

/* Takes a record into the first part; 0: there is no room. */
static int take(struct mora_journal* journal, const uint64_t* record) {
  const unsigned function = (unsigned)(*record >> 16) & 0xffff, shape = (unsigned)(*record >> 8) & 0xff;
  const unsigned flags = (unsigned)*record & 0xff;
  const uint64_t duration = (record[2] >> 48 << 32) | (record[3] >> 32);
  struct mora_amounts more = {1, duration, duration, duration, 0, 0, 0, 0, 1};
  uint64_t site = record[2] & UINT64_C(0xffffffffffff);
  if (function != 0) {
    more = mora_profile_amounts(shape, flags, duration, record + head_words, words_of(record) - head_words);
  } else if (shape == MORA_SHAPE_OVERHEAD) {
    site = MORA_PROFILE_RECORDER;
  } else if (shape == MORA_SHAPE_CORE) {
    site = MORA_PROFILE_READINGS;
  } else if (shape == MORA_SHAPE_RECORDING) {
    site = MORA_PROFILE_OFF;
    more.ticks = (int32_t)record[head_words] != 0 ? record[1] : 0 - record[1];
  } else {
    const int is_kept =
        shape == MORA_SHAPE_CLOCK || shape == MORA_SHAPE_CLOCK_OFFSET || shape == MORA_SHAPE_NOTE ||
        shape == MORA_SHAPE_PROCESSORS || shape == MORA_SHAPE_USAGE || shape == MORA_SHAPE_DEFINE_FUNCTION ||
        ((shape == MORA_SHAPE_DEFINE_STACK || shape == MORA_SHAPE_DEFINE_PLACE) && !journal->profile->is_full);
    return !is_kept || copy(journal, record);
  }
  if (more.visits == 0 && more.bytes_sent == 0 && more.bytes_received == 0) return 1;
  struct mora_amounts* sums = sums_of(journal, function, site);
  if (!sums) return 0;
  mora_profile_add(sums, &more);
  return 1;
}

/* The first part is appended to the file and begins anew. */
static int renew_first_part(struct mora_journal* journal) {
  struct mora_profile* profile = journal->profile;
  const int failure = mora_journal_append(journal, profile->newest);
  if (failure) return failure;
  profile->appended += profile->kept + (profile->rest < profile->newest);
  const uint32_t after = (uint32_t)(uint16_t)(journal->generation >> 48) + 1;
  const uint32_t generation = (uint16_t)after == 0 ? 1 : after;
  journal->generation = (uint64_t)(uint16_t)generation << 48;
  for (uint64_t* record = profile->newest; record < journal->next; record += words_of(record))
    *record = (*record & ~UINT64_C(0) >> 16) | journal->generation;
  journal->live->first_record = profile->appended;
  begin_first_part(journal, profile);
  __atomic_store_n(&journal->live->generation, generation, __ATOMIC_RELEASE);
  if (++profile->images != MORA_PROFILE_IMAGES) return 0;
  profile->is_full = 1;
  uint64_t* note = reserve(profile, note_words);
  note[1] = note[2] = note[3] = 0;
  note[4] = MORA_NOTE_PROFILE_FULL;
  note[5] = 1;
  publish(journal, note, note_words, 0, MORA_SHAPE_NOTE, 0);
  return 0;
}

int mora_profile_fold(struct mora_journal* journal) {
  struct mora_profile* profile = journal->profile;
  for (uint64_t* record = profile->newest; record < journal->next; record += words_of(record)) {
    if (((*record >> 8) & 0xff) == MORA_SHAPE_FOLDED) continue;
    if (!take(journal, record)) {
      const int failure = renew_first_part(journal);
      if (failure) return failure;
      take(journal, record); /* an empty first part takes any */
    }
    mark_folded(record);
  }
  *profile->newest = 0;
  journal->next = profile->newest;
  return 0;
}
