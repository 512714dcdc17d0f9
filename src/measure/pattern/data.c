#include "measure/pattern/data.h"

struct content {
  uint64_t types, n_sent, n_received, word, whose; /* whose: thread << 1 | there is a word */
};

/* Contents that were written before, each at the one place that its hash gives (a direct-mapped cache): a content that
 * was displaced by another one is written again, under a new number. */
enum { places = 512 };
static struct {
  struct content content;
  uint32_t number; /* 0: empty */
} known[places];
static uint32_t numbers;

static inline uint32_t place_of(const struct content* c) {
  const uint64_t sum =
      c->word + (c->types << 21 | c->types >> 43) + c->n_sent * 0x9e375 + c->n_received * 0x85ebc6b + (c->whose << 40);
  return (uint32_t)((sum ^ sum >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % places;
}

static inline int is_same(const struct content* a, const struct content* b) {
  return ((a->types ^ b->types) | (a->n_sent ^ b->n_sent) | (a->n_received ^ b->n_received) | (a->word ^ b->word) |
          (a->whose ^ b->whose)) == 0;
}

static void write(const struct content* c, uint64_t number, unsigned function) {
  uint64_t* record = mora_journal_small(mora_self.journal);
  record[1] = number;
  record[2] = 0;
  record[3] = c->whose >> 1;
  record[4] = c->types;
  record[5] = c->n_sent;
  record[6] = c->n_received;
  record[7] = c->word;
  mora_journal_publish(mora_self.journal, record, c->whose & 1 ? 8 : 7, function, MORA_SHAPE_DATA, 0);
}

static inline void take(struct mora_call* call, const struct content* c) {
  const uint32_t place = place_of(c);
  if (__builtin_expect(known[place].number == 0 || !is_same(&known[place].content, c), 0)) {
    known[place].content = *c;
    known[place].number = ++numbers;
    write(c, numbers, 0);
  }
  call->begin = call->end = known[place].number;
}

static inline struct content content_of(uint32_t sent, int64_t n_sent, uint32_t received, int64_t n_received) {
  return (struct content){(uint64_t)sent | (uint64_t)received << 32, (uint64_t)n_sent, (uint64_t)n_received, 0,
                          (uint64_t)mora_self.thread->number << 1};
}

void mora_write_data(struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received, int64_t n_received) {
  const struct content c = content_of(sent, n_sent, received, n_received);
  take(call, &c);
}

void mora_write_data_with(struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received, int64_t n_received,
                          uint64_t word) {
  struct content c = content_of(sent, n_sent, received, n_received);
  c.word = word;
  c.whose |= 1;
  take(call, &c);
}

/* A call of another thread than 0 says at least whose it is. */
void mora_threads_returned(struct mora_call* call) {
  mora_threads_lock_now();
  if (mora_self.thread->number != 0 && !call->silent) mora_write_data(call, 0, MORA_NO_COUNT, 0, MORA_NO_COUNT);
}

void mora_write_data_of_element(const struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received,
                                int64_t n_received, const uint64_t* word) {
  struct content c = content_of(sent, n_sent, received, n_received);
  c.word = word ? *word : 0;
  c.whose |= word != 0;
  write(&c, 0, call->function);
}
