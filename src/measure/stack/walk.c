/* Idea, cost and limits: walk.h. The wrapper's own frame is left by its rule like any other, so that wrappers need
 * neither a frame pointer nor instructions for this; the recorder's frames are nodes that are told to nobody, the roots
 * of the frames that called. Nodes are numbered in the order in which they are made, so the new ones of a walk have
 * numbers in a row. */
#define _GNU_SOURCE
#include "measure/stack/walk.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

uint64_t mora_stack_refused;

#if MORA_HAS_STACKS

struct frame {
  uintptr_t address;
  struct frame* outer; /* to which a walk came last from here; never NULL */
  int64_t cfa_offset, rbp_offset;
  uint32_t kind;   /* bits of mora_unwind_kind, or `ends` */
  uint32_t depth;  /* 0: the recorder's own */
  uint32_t result; /* with `ends`: the number of the stack */
  uint32_t inner;
  uint32_t next; /* with the same hash */
};

enum { ends = 128, /* above every kind */ slots = 2 * MORA_STACK_FRAMES, root_slots = 256, smallest_address = 4096 };

static struct frame* frames; /* [0] is no frame: what `outer` points to before the first walk */
static uint32_t* table;
static struct frame* roots[root_slots]; /* by address */
static uint32_t used;
static unsigned limit;
static uintptr_t stack_low, stack_high;
static mora_stack_define* tell;
static uint32_t unloads, unloads_seen;
static uintptr_t call_address; /* frames inside of it are the recorder's */

static uint64_t news[MORA_STACK_DEEPEST + 1];
static unsigned news_count;
static uint32_t news_first;

int mora_stack_start(unsigned deepest, mora_stack_define* define) {
  const size_t bytes = MORA_STACK_FRAMES * sizeof *frames, table_bytes = slots * sizeof *table;
  if (frames || deepest == 0 || !mora_stack_bounds(&stack_low, &stack_high)) return 0;
  char* memory =
      mmap(NULL, bytes + table_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return 0;
  frames = (struct frame*)memory;
  table = (uint32_t*)(memory + bytes);
  frames[0].outer = frames;
  frames[0].address = UINTPTR_MAX;
  for (unsigned i = 0; i < root_slots; i++) roots[i] = frames;
  used = 1;
  limit = deepest < MORA_STACK_DEEPEST ? deepest : MORA_STACK_DEEPEST;
  tell = define;
  news_count = 0;
  mora_stack_refused = 0;
  return 1;
}

void mora_stack_stop(void) {
  if (!frames) return;
  munmap(frames, MORA_STACK_FRAMES * sizeof *frames + slots * sizeof *table);
  frames = NULL;
}

void mora_stack_code_unloaded(void) { __atomic_add_fetch(&unloads, 1, __ATOMIC_RELEASE); }

static void announce(void) {
  if (news_count == 0) return;
  const uint32_t inner = frames[news_first].inner;
  tell(news_first, frames[inner].depth == 0 ? 0 : inner, news, news_count);
  news_count = 0;
}

static uint32_t* slot_of(uintptr_t address, uint32_t inner) {
  const uint64_t hash = (address ^ (uint64_t)inner << 40) * UINT64_C(0x9E3779B97F4A7C15);
  return &table[(hash ^ hash >> 29) * UINT64_C(0xC2B2AE3D27D4EB4F) >> 40 & (slots - 1)];
}

static struct frame* find(uintptr_t address, const struct frame* inner) {
  for (uint32_t n = *slot_of(address, (uint32_t)(inner - frames)); n; n = frames[n].next)
    if (frames[n].address == address && &frames[frames[n].inner] == inner) return &frames[n];
  return NULL;
}

/* A new node; NULL if the table is full. */
static struct frame* make(uintptr_t address, const struct frame* inner, unsigned depth) {
  if (used == MORA_STACK_FRAMES) return NULL;
  uint32_t* slot = slot_of(address, (uint32_t)(inner - frames));
  struct frame* frame = &frames[used];
  *frame = (struct frame){.address = address,
                          .outer = frames,
                          .depth = depth,
                          .kind = ends,
                          .result = used,
                          .inner = (uint32_t)(inner - frames),
                          .next = *slot};
  *slot = used;
  if (depth > 0) {
    if (news_count == 0) news_first = used;
    news[news_count++] = address;
  }
  used++;
  return frame;
}

/* The number of the stack that is known no further than `frame`; 0 if the table is full, or not even the call is known.
 */
static uint32_t cut(const struct frame* frame, enum mora_stack_end reason) {
  if (frame->depth == 0) return 0;
  struct frame* end = find(reason, frame);
  if (!end) end = make(reason, frame, frame->depth + 1u);
  return end ? end->result : 0;
}

/* What counts from rsp lies between rsp and the CFA. */
static int is_sane(const struct mora_unwind_rule* rule) {
  if (rule->kind & ~(unsigned)MORA_UNWIND_SAVED_RBP) return rule->kind & (MORA_UNWIND_FROM_RBP | MORA_UNWIND_LOAD_CFA);
  return rule->cfa_offset >= 8 && (!rule->kind || (rule->rbp_offset <= -16 && rule->rbp_offset >= -rule->cfa_offset));
}

static void learn(struct frame* frame) {
  const struct mora_unwind_rule rule = mora_unwind_rule_of(frame->address);
  frame->cfa_offset = rule.cfa_offset;
  frame->rbp_offset = rule.rbp_offset;
  frame->kind = rule.kind;
  unsigned end = rule.end;
  if (!end && frame->depth >= limit) end = MORA_STACK_TOO_DEEP;
  if (!end && !is_sane(&rule)) end = MORA_STACK_NO_RULE;
  if (rule.is_outermost || end) frame->kind = ends;
  if (rule.is_outermost)
    frame->result = frame->depth ? (uint32_t)(frame - frames) : 0;
  else if (end)
    frame->result = cut(frame, end);
}

/* The frame outside of `inner` that returns to `address`, which its guess is not; NULL if the table is full. */
static __attribute__((noinline)) struct frame* turn(struct frame* inner, uintptr_t address) {
  if (address < smallest_address) address = MORA_STACK_INCONSISTENT;
  struct frame* frame = find(address, inner);
  if (!frame) {
    frame = make(address, inner, inner->depth == 0 && address != call_address ? 0 : inner->depth + 1u);
    if (!frame) return NULL;
    if (address >= smallest_address) learn(frame);
  }
  return inner->outer = frame;
}

static __attribute__((noinline)) struct frame* find_root(uintptr_t address) {
  struct frame* root = find(address, frames);
  if (!root) {
    root = make(address, frames, address == call_address);
    if (!root) return NULL;
    learn(root);
  }
  return roots[(address >> 4) % root_slots] = root;
}

/* After code was unloaded: other code may stand at the same addresses. */
static __attribute__((noinline)) void learn_again(uint32_t now) {
  unloads_seen = now;
  for (uint32_t n = 1, known = used; n < known; n++) {
    if (frames[n].address < smallest_address) continue;
    learn(&frames[n]);
    announce();
  }
}

static uintptr_t word_at(uintptr_t address) { return *(const uintptr_t*)address; }

/* One step, by the frame's kind. Rules that count from rsp were checked when they were learnt: what they read is
 * between rsp and the CFA. */
static inline uint32_t walk(struct frame* frame, uintptr_t rsp, uintptr_t rbp) {
  const uintptr_t low = rsp, top = stack_high - sizeof(uintptr_t);
  for (;;) {
    const uint32_t kind = frame->kind;
    uintptr_t cfa = rsp + (uintptr_t)frame->cfa_offset;
    if (kind > MORA_UNWIND_SAVED_RBP) {
      if (kind & ends) return frame->result;
      uintptr_t saved = rbp;
      cfa = rbp + (uintptr_t)frame->cfa_offset;
      if (kind & MORA_UNWIND_LOAD_CFA) {
        if (cfa < low || cfa > top) break;
        cfa = word_at(cfa);
      }
      if (kind & MORA_UNWIND_SAVED_RBP) saved = cfa;
      saved += (uintptr_t)frame->rbp_offset;
      if (cfa - 8 < rsp || cfa - 8 > top || saved < low || saved > top) break;
      if (kind & (MORA_UNWIND_SAVED_RBP | MORA_UNWIND_RBP_AT_RBP)) rbp = word_at(saved);
    } else {
      if (__builtin_expect(cfa - 8 > top, 0)) break;
      if (kind) rbp = word_at(cfa + (uintptr_t)frame->rbp_offset);
    }
    const uintptr_t address = word_at(cfa - 8);
    struct frame* outer = frame->outer;
    if (__builtin_expect(outer->address != address, 0)) {
      outer = turn(frame, address);
      if (!outer) return 0;
    }
    frame = outer;
    rsp = cfa;
  }
  return cut(frame, MORA_STACK_INCONSISTENT);
}

/* On a stack that is not the thread's own only the call itself is taken: where that stack ends is not known. */
static __attribute__((noinline)) uint32_t number_elsewhere(struct frame* frame, uintptr_t rsp, uintptr_t rbp) {
  while (frame->depth == 0) {
    if (frame->kind & ~(unsigned)(MORA_UNWIND_SAVED_RBP | MORA_UNWIND_FROM_RBP)) return 0;
    const uintptr_t cfa = (frame->kind & MORA_UNWIND_FROM_RBP ? rbp : rsp) + (uintptr_t)frame->cfa_offset;
    if (frame->kind & MORA_UNWIND_SAVED_RBP) rbp = word_at(cfa + (uintptr_t)frame->rbp_offset);
    frame = turn(frame, word_at(cfa - 8));
    if (!frame) return 0;
    rsp = cfa;
  }
  return cut(frame, MORA_STACK_FOREIGN);
}

uint32_t mora_stack_number(const void* own_frame, const void* site) {
  call_address = (uintptr_t)site;
  const uintptr_t* own = own_frame;
  const uintptr_t rbp = own[0], address = own[1], rsp = (uintptr_t)(own + 2);
  const uint32_t now = __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);
  if (__builtin_expect(now != unloads_seen, 0)) learn_again(now);
  struct frame* root = roots[(address >> 4) % root_slots];
  if (__builtin_expect(root->address != address, 0)) root = find_root(address);
  uint32_t number = 0;
  if (__builtin_expect(root != NULL && !(root->kind & ends), 1))
    number = __builtin_expect(rsp >= stack_low && rsp < stack_high, 1) ? walk(root, rsp, rbp)
                                                                       : number_elsewhere(root, rsp, rbp);
  if (__builtin_expect(news_count > 0, 0)) announce();
  if (__builtin_expect(number == 0, 0)) mora_stack_refused++;
  return number;
}

unsigned mora_stack_addresses(uint32_t number, uint64_t* addresses, unsigned room) {
  const unsigned count = frames[number].depth;
  for (unsigned i = count; i > 0 && i <= room; number = frames[number].inner) addresses[--i] = frames[number].address;
  return count <= room ? count : 0;
}

#else

unsigned mora_stack_addresses(uint32_t number, uint64_t* addresses, unsigned room) {
  (void)number, (void)addresses, (void)room;
  return 0;
}
int mora_stack_start(unsigned deepest, mora_stack_define* define) {
  (void)deepest, (void)define;
  return 0;
}
void mora_stack_stop(void) {}
uint32_t mora_stack_number(const void* own_frame, const void* site) {
  (void)own_frame, (void)site;
  return 0;
}
void mora_stack_code_unloaded(void) {}

#endif
