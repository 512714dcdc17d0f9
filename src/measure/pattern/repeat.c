/* Abbreviated records: a call's record that equals an earlier one, but for the numbers of requests, is written as a
 * REPEAT of two words (journal/format.h): a tenth of the bytes, and writing bytes is what recording costs. */
#include "journal/request_words.h"
#include "measure/call/sink.h"
#include "measure/handles/request_table.h"

/* Records that were written before, each at the one place that its hash gives (a direct-mapped cache). Two records are
 * taken to be equal if 64 bits of hash are and their place is: the probability that any of 10^10 calls is mistaken for
 * another one is 5e-10. Cost: one multiplication for two words, one look-up. */
enum { places = 1024 };
static struct {
  uint64_t hash;
  uint32_t serial; /* 0: empty */
} written[places];
static uint32_t serials;

static inline uint64_t mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Numbers of requests count from the newest one; 1 stands for none. */
static inline void make_relative(uint64_t* payload, unsigned words, struct mora_request_words in) {
  for (unsigned i = in.first; i < words; i += in.step)
    payload[i] = payload[i] ? payload[i] - mora_self.thread->numbers->requests : 1;
}

static inline void make_absolute(uint64_t* payload, unsigned words, struct mora_request_words in) {
  for (unsigned i = in.first; i < words; i += in.step)
    payload[i] = payload[i] == 1 ? 0 : payload[i] + mora_self.thread->numbers->requests;
}

/* Odd random numbers, one for each of the first words, so that the products do not depend on each other. */
static const uint64_t salt[] = {
    UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db), UINT64_C(0x8ebc6af09c88c6e3),
    UINT64_C(0x589965cc75374cc3), UINT64_C(0x1d8e4e27c47d124f), UINT64_C(0xeb44accab455d165),
    UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f), UINT64_C(0x165667b19e3779f9),
    UINT64_C(0x27d4eb2f165667c5), UINT64_C(0xff51afd7ed558ccd), UINT64_C(0xc4ceb9fe1a85ec53)};
enum { salted = sizeof salt / sizeof *salt };

static inline uint64_t hash_of(const uint64_t* record, unsigned words, uint64_t head) {
  uint64_t hash = mix(head ^ salt[0], record[1] ^ salt[1]) + mix(record[2] ^ salt[2], record[3] ^ salt[3]);
  unsigned i = 4;
  for (; i + 1 < words && i < salted; i += 2) hash += mix(record[i] ^ salt[i], record[i + 1] ^ salt[i + 1]);
  for (; i + 1 < words; i += 2) hash = mix(hash ^ record[i] ^ salt[0], record[i + 1] ^ salt[1]);
  if (i < words) hash += mix(record[i] ^ salt[2], salt[5]);
  return mix(hash ^ salt[3], salt[4]);
}

/* Makes the record a REPEAT, or one that can be repeated; what is then to be published. */
struct published {
  unsigned words, function, shape, flags;
};

__attribute__((always_inline)) static inline struct published prepare(uint64_t* record, struct published as) {
  const struct mora_request_words in = mora_request_words_of(as.shape, as.words - 4);
  make_relative(record + 4, as.words - 4, in);
  const uint64_t hash = hash_of(record, as.words, MORA_WORD0(0, as.words, as.function, as.shape, as.flags));
  const uint32_t place = (uint32_t)hash % places;
  const uint64_t counter = (uint32_t)mora_self.thread->numbers->requests;
  if (__builtin_expect(written[place].hash == hash && written[place].serial != 0, 1)) {
    record[1] = counter | (uint64_t)written[place].serial << 32;
    return (struct published){2, place, MORA_SHAPE_REPEAT, 0};
  }
  make_absolute(record + 4, as.words - 4, in);
  if (++serials == 0) serials = 1;
  written[place].hash = hash;
  written[place].serial = serials;
  record[1] |= counter << 32;
  record[2] |= (uint64_t)(place + 1) << 48;
  record[3] |= (uint64_t)serials << 32;
  return as;
}

void mora_publish_pattern(uint64_t* record, unsigned words, unsigned function, unsigned shape, unsigned flags) {
  const struct published p = prepare(record, (struct published){words, function, shape, flags});
  mora_journal_publish(mora_self.journal, record, p.words, p.function, p.shape, p.flags);
}

void mora_publish_pattern_held(uint64_t* record, unsigned words, unsigned function, unsigned shape, unsigned flags) {
  const struct published p = prepare(record, (struct published){words, function, shape, flags});
  mora_journal_publish_held(mora_self.journal, record, p.words, p.function, p.shape, p.flags);
}
