/* Idea, cost and limits: walk.h. The wrapper's own frame is left by its rule like any other, so that wrappers need
 * neither a frame pointer nor instructions for this; the recorder's frames are nodes that are told to nobody, the roots
 * of the frames that called. Nodes are numbered in the order in which they are made, so the new ones of a walk have
 * numbers in a row. */
#define _GNU_SOURCE
#include "measure/stack/walk.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/stack/python_places.h"

uint64_t mora_stack_refused;
uint32_t mora_stack_unloads;
static struct mora_stack_memo no_memo;
static struct mora_stack_memos no_memos = {.last = {[0 ... MORA_MEMO_SETS - 1] = &no_memo}};
__thread struct mora_stack_memos* mora_stack_memos = &no_memos;

/* The linker's, of a section of that name, if there is one. */
extern const char __start_mora_parts[] __attribute__((weak, visibility("hidden")));
extern const char __stop_mora_parts[] __attribute__((weak, visibility("hidden")));

static uintptr_t library_begin, library_end;

/* Nothing is between the two at any moment in between: not what is below the end of a library that is unloaded. */
void mora_stack_end_in(uintptr_t begin, uintptr_t end) {
  __atomic_store_n(&library_end, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&library_begin, begin, __ATOMIC_RELEASE);
  __atomic_store_n(&library_end, end, __ATOMIC_RELEASE);
}

int mora_stack_ends_at(uint64_t address) {
  return (address > (uintptr_t)__start_mora_parts && address <= (uintptr_t)__stop_mora_parts) ||
         (address > __atomic_load_n(&library_begin, __ATOMIC_ACQUIRE) &&
          address <= __atomic_load_n(&library_end, __ATOMIC_RELAXED));
}

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

/* What is known of the stacks of one thread, or of those that had its place one after the other. */
struct mora_stack_walker {
  struct mora_stack_memos memos;
  struct mora_stack_memo memo[MORA_MEMO_SETS][2]; /* two for each hash */
  struct frame* frames;                           /* [0] is no frame: what `outer` points to before the first walk */
  uint32_t* table;
  struct frame* roots[root_slots]; /* by address */
  uint32_t used;
  uintptr_t stack_low, stack_high;
  uintptr_t call_address; /* frames inside of it are the recorder's */
  uint64_t news[MORA_STACK_DEEPEST + 1];
  unsigned news_count;
  uint32_t news_first;
  struct mora_python* python;
};

static __thread struct mora_stack_walker* own;
static unsigned limit;
static mora_stack_define* tell;

enum {
  frame_bytes = MORA_STACK_FRAMES * sizeof(struct frame),
  walker_bytes = frame_bytes + slots * sizeof(uint32_t) + sizeof(struct mora_stack_walker)
};

static struct mora_stack_walker* make_walker(void) {
  char* memory = mmap(NULL, walker_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  struct mora_stack_walker* w = (struct mora_stack_walker*)(void*)(memory + frame_bytes + slots * sizeof(uint32_t));
  w->frames = (struct frame*)(void*)memory;
  w->table = (uint32_t*)(void*)(memory + frame_bytes);
  w->frames[0].outer = w->frames;
  w->frames[0].address = UINTPTR_MAX;
  for (unsigned i = 0; i < root_slots; i++) w->roots[i] = w->frames;
  for (unsigned i = 0; i < MORA_MEMO_SETS; i++) w->memos.last[i] = w->memo[i];
  w->used = 1;
  w->memos.unloads = __atomic_load_n(&mora_stack_unloads, __ATOMIC_ACQUIRE);
  return w;
}

static void forget_memos(struct mora_stack_walker* w) {
  for (unsigned set = 0; set < MORA_MEMO_SETS; set++)
    for (unsigned way = 0; way < 2; way++)
      if (w->memo[set][way].own_frame) w->memo[set][way].own_frame = NULL;
}

struct mora_stack_walker* mora_stack_start_thread(struct mora_stack_walker* earlier) {
  uintptr_t low, high;
  own = NULL;
  mora_stack_memos = &no_memos;
  if (!mora_stack_bounds(&low, &high)) return earlier;
  struct mora_stack_walker* w = earlier ? earlier : make_walker();
  if (!w) return NULL;
  w->stack_low = low;
  w->stack_high = high;
  forget_memos(w);
  mora_stack_memos = &w->memos;
  w->python = mora_python_start_thread(w->python);
  return own = w;
}

int mora_stack_start(unsigned deepest, mora_stack_define* define) {
  if (own || deepest == 0) return 0;
  limit = deepest < MORA_STACK_DEEPEST ? deepest : MORA_STACK_DEEPEST;
  tell = define;
  mora_stack_refused = 0;
  return mora_stack_start_thread(NULL) != NULL;
}

void mora_stack_stop(void) {
  if (!own) return;
  munmap(own->frames, walker_bytes);
  own = NULL;
  mora_stack_memos = &no_memos;
}

void mora_stack_code_unloaded(void) { __atomic_add_fetch(&mora_stack_unloads, 1, __ATOMIC_RELEASE); }

static void announce(struct mora_stack_walker* w) {
  if (w->news_count == 0) return;
  const uint32_t inner = w->frames[w->news_first].inner;
  tell(w->news_first, w->frames[inner].depth == 0 ? 0 : inner, w->news, w->news_count);
  w->news_count = 0;
}

static uint32_t* slot_of(const struct mora_stack_walker* w, uintptr_t address, uint32_t inner) {
  const uint64_t hash = (address ^ (uint64_t)inner << 40) * UINT64_C(0x9E3779B97F4A7C15);
  return &w->table[(hash ^ hash >> 29) * UINT64_C(0xC2B2AE3D27D4EB4F) >> 40 & (slots - 1)];
}

static struct frame* find(struct mora_stack_walker* w, uintptr_t address, const struct frame* inner) {
  struct frame* frames = w->frames;
  for (uint32_t n = *slot_of(w, address, (uint32_t)(inner - frames)); n; n = frames[n].next)
    if (frames[n].address == address && &frames[frames[n].inner] == inner) return &frames[n];
  return NULL;
}

/* A new node; NULL if the table is full. */
static struct frame* make(struct mora_stack_walker* w, uintptr_t address, const struct frame* inner, unsigned depth) {
  if (w->used == MORA_STACK_FRAMES) return NULL;
  uint32_t* slot = slot_of(w, address, (uint32_t)(inner - w->frames));
  struct frame* frame = &w->frames[w->used];
  *frame = (struct frame){.address = address,
                          .outer = w->frames,
                          .depth = depth,
                          .kind = ends,
                          .result = w->used,
                          .inner = (uint32_t)(inner - w->frames),
                          .next = *slot};
  *slot = w->used;
  if (depth > 0) {
    if (w->news_count == 0) w->news_first = w->used;
    w->news[w->news_count++] = address;
  }
  w->used++;
  return frame;
}

/* The number of the stack that is known no further than `frame`; 0 if the table is full, or not even the call is known.
 */
static uint32_t cut(struct mora_stack_walker* w, const struct frame* frame, enum mora_stack_end reason) {
  if (frame->depth == 0) return 0;
  struct frame* end = find(w, reason, frame);
  if (!end) end = make(w, reason, frame, frame->depth + 1u);
  return end ? end->result : 0;
}

/* What counts from rsp lies between rsp and the CFA. */
static int is_sane(const struct mora_unwind_rule* rule) {
  if (rule->kind & ~(unsigned)MORA_UNWIND_SAVED_RBP) return rule->kind & (MORA_UNWIND_FROM_RBP | MORA_UNWIND_LOAD_CFA);
  return rule->cfa_offset >= 8 && (!rule->kind || (rule->rbp_offset <= -16 && rule->rbp_offset >= -rule->cfa_offset));
}

static void learn(struct mora_stack_walker* w, struct frame* frame) {
  struct mora_unwind_rule rule = mora_unwind_rule_of(frame->address);
  if (frame->depth > 1 && mora_stack_ends_at(frame->address)) rule.is_outermost = 1; /* 1: it called itself */
  frame->cfa_offset = rule.cfa_offset;
  frame->rbp_offset = rule.rbp_offset;
  frame->kind = rule.kind;
  unsigned end = rule.end;
  if (!end && frame->depth >= limit) end = MORA_STACK_TOO_DEEP;
  if (!end && !is_sane(&rule)) end = MORA_STACK_NO_RULE;
  if (rule.is_outermost || end) frame->kind = ends;
  if (rule.is_outermost)
    frame->result = frame->depth ? (uint32_t)(frame - w->frames) : 0;
  else if (end)
    frame->result = cut(w, frame, end);
}

/* The frame outside of `inner` that returns to `address`, which its guess is not; NULL if the table is full. */
static __attribute__((noinline)) struct frame* turn(struct mora_stack_walker* w, struct frame* inner,
                                                    uintptr_t address) {
  if (address < smallest_address) address = MORA_STACK_INCONSISTENT;
  struct frame* frame = find(w, address, inner);
  if (!frame) {
    frame = make(w, address, inner, inner->depth == 0 && address != w->call_address ? 0 : inner->depth + 1u);
    if (!frame) return NULL;
    if (address >= smallest_address) learn(w, frame);
  }
  return inner->outer = frame;
}

static __attribute__((noinline)) struct frame* find_root(struct mora_stack_walker* w, uintptr_t address) {
  struct frame* root = find(w, address, w->frames);
  if (!root) {
    root = make(w, address, w->frames, address == w->call_address);
    if (!root) return NULL;
    learn(w, root);
  }
  return w->roots[(address >> 4) % root_slots] = root;
}

/* After code was unloaded: other code may stand at the same addresses. */
static __attribute__((noinline)) void learn_again(struct mora_stack_walker* w, uint32_t now) {
  w->memos.unloads = now;
  forget_memos(w);
  for (uint32_t n = 1, known = w->used; n < known; n++) {
    if (w->frames[n].address < smallest_address || w->frames[n].address >= MORA_STACK_PYTHON) continue;
    learn(w, &w->frames[n]);
    announce(w);
  }
}

static uintptr_t word_at(uintptr_t address) { return *(const uintptr_t*)address; }

/* A walk has read this word; a memo with too many of them is none. */
static inline void note_read(struct mora_stack_memo* memo, uintptr_t address) {
  if (memo->words == MORA_MEMO_WORDS) return;
  memo->read[memo->words].at = (const uint64_t*)address;
  memo->read[memo->words++].word = word_at(address);
}

/* The memo of a walk that has ended well, and has begun by reading the caller's return address. */
static void complete(struct mora_stack_memo* memo, const void* own_frame, const void* site, uint32_t number) {
  memo->number = number;
  while (memo->words % MORA_MEMO_AT_A_TIME && memo->words < MORA_MEMO_WORDS)
    note_read(memo, (uintptr_t)memo->read[0].at);
  if (memo->words == MORA_MEMO_WORDS) return;
  memo->site = site;
  memo->own_frame = own_frame;
}

/* One step, by the frame's kind. Rules that count from rsp were checked when they were learnt: what they read is
 * between rsp and the CFA. `rbp_at`: where rbp was saved. */
static inline uint32_t walk(struct mora_stack_walker* w, struct frame* frame, uintptr_t rsp, uintptr_t rbp_at,
                            struct mora_stack_memo* memo) {
  const uintptr_t low = rsp, top = w->stack_high - sizeof(uintptr_t);
  uintptr_t rbp = word_at(rbp_at);
  for (;;) {
    const uint32_t kind = frame->kind;
    uintptr_t cfa = rsp + (uintptr_t)frame->cfa_offset;
    if (kind > MORA_UNWIND_SAVED_RBP) {
      if (kind & ends) return frame->result;
      uintptr_t saved = rbp;
      note_read(memo, rbp_at);
      cfa = rbp + (uintptr_t)frame->cfa_offset;
      if (kind & MORA_UNWIND_LOAD_CFA) {
        if (cfa < low || cfa > top) break;
        note_read(memo, cfa);
        cfa = word_at(cfa);
      }
      if (kind & MORA_UNWIND_SAVED_RBP) saved = cfa;
      saved += (uintptr_t)frame->rbp_offset;
      if (cfa - 8 < rsp || cfa - 8 > top || saved < low || saved > top) break;
      if (kind & (MORA_UNWIND_SAVED_RBP | MORA_UNWIND_RBP_AT_RBP)) rbp = word_at(rbp_at = saved);
    } else {
      if (__builtin_expect(cfa - 8 > top, 0)) break;
      if (kind) rbp = word_at(rbp_at = cfa + (uintptr_t)frame->rbp_offset);
    }
    note_read(memo, cfa - 8);
    const uintptr_t address = word_at(cfa - 8);
    struct frame* outer = frame->outer;
    if (__builtin_expect(outer->address != address, 0)) {
      outer = turn(w, frame, address);
      if (!outer) return 0;
    }
    frame = outer;
    rsp = cfa;
  }
  memo->words = MORA_MEMO_WORDS;
  return cut(w, frame, MORA_STACK_INCONSISTENT);
}

/* On a stack that is not the thread's own only the call itself is taken: where that stack ends is not known. */
static __attribute__((noinline)) uint32_t number_elsewhere(struct mora_stack_walker* w, struct frame* frame,
                                                           uintptr_t rsp, uintptr_t rbp) {
  while (frame->depth == 0) {
    if (frame->kind & ~(unsigned)(MORA_UNWIND_SAVED_RBP | MORA_UNWIND_FROM_RBP)) return 0;
    const uintptr_t cfa = (frame->kind & MORA_UNWIND_FROM_RBP ? rbp : rsp) + (uintptr_t)frame->cfa_offset;
    if (frame->kind & MORA_UNWIND_SAVED_RBP) rbp = word_at(cfa + (uintptr_t)frame->rbp_offset);
    frame = turn(w, frame, word_at(cfa - 8));
    if (!frame) return 0;
    rsp = cfa;
  }
  return cut(w, frame, MORA_STACK_FOREIGN);
}

uint32_t mora_stack_find(const void* own_frame, const void* site) {
  struct mora_stack_walker* w = own;
  if (__builtin_expect(w == NULL, 0)) return 0;
  const uint32_t now = __atomic_load_n(&mora_stack_unloads, __ATOMIC_ACQUIRE);
  if (__builtin_expect(now != w->memos.unloads, 0)) learn_again(w, now);
  const unsigned hash = mora_stack_hash(own_frame, site);
  struct mora_stack_memo* memo = &w->memo[hash][w->memos.last[hash] == w->memo[hash]]; /* not the last one */
  w->memos.last[hash] = memo;
  if (mora_stack_is_as_in(memo, own_frame, site)) return memo->number;
  memo->own_frame = NULL;
  memo->words = 0;
  w->call_address = (uintptr_t)site;
  const uintptr_t at = (uintptr_t)own_frame, address = word_at(at + 8), rsp = at + 16;
  note_read(memo, at + 8);
  struct frame* root = w->roots[(address >> 4) % root_slots];
  if (__builtin_expect(root->address != address, 0)) root = find_root(w, address);
  uint32_t number = 0;
  if (__builtin_expect(root != NULL && !(root->kind & ends), 1)) {
    if (__builtin_expect(rsp >= w->stack_low && rsp < w->stack_high, 1)) {
      number = walk(w, root, rsp, at, memo);
      if (number) complete(memo, own_frame, site, number);
    } else {
      number = number_elsewhere(w, root, rsp, word_at(at));
    }
  }
  if (__builtin_expect(w->news_count > 0, 0)) announce(w);
  if (__builtin_expect(number == 0, 0)) __atomic_add_fetch(&mora_stack_refused, 1, __ATOMIC_RELAXED);
  return number;
}

void mora_stack_start_python(void) {
  struct mora_python* python = mora_python_start();
  if (own) own->python = python;
}

/* The node of the place outside of `inner`, which its guess is not; NULL if there is no room for it. */
static __attribute__((noinline)) struct frame* turn_in_python(struct mora_stack_walker* w, struct frame* inner,
                                                              const struct mora_python_code* code) {
  const uint64_t place = mora_python_place(code);
  if (!place) return NULL;
  struct frame* frame = find(w, place, inner);
  if (!frame) frame = make(w, place, inner, inner->depth + 1u);
  return frame ? inner->outer = frame : NULL;
}

/* Nodes of places end a stack, as its outermost native frame does: their `outer` is free for the guess. */
uint32_t mora_stack_in_python(uint32_t number) {
  struct mora_stack_walker* w = own;
  struct frame* inner = &w->frames[number];
  uint32_t result = number;
  unsigned count = 0;
  for (uintptr_t at = mora_python_innermost(MORA_PYTHON_IN_CALL); at;) {
    struct mora_python_code code;
    const int is_python = mora_python_look(at, MORA_PYTHON_IN_CALL, &code, &at);
    if (!is_python) continue;
    if (count++ == limit) {
      result = cut(w, inner, MORA_STACK_TOO_DEEP);
      break;
    }
    struct frame* outer = inner->outer;
    if (__builtin_expect(!mora_python_is_at(outer->address, &code), 0)) outer = turn_in_python(w, inner, &code);
    if (!outer) {
      result = 0;
      break;
    }
    inner = outer;
    result = inner->result;
  }
  if (__builtin_expect(w->news_count > 0, 0)) announce(w);
  if (__builtin_expect(result == 0, 0)) __atomic_add_fetch(&mora_stack_refused, 1, __ATOMIC_RELAXED);
  return result ? result : number;
}

unsigned mora_stack_addresses(uint32_t number, uint64_t* addresses, unsigned room) {
  const struct frame* frames = own->frames;
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
struct mora_stack_walker* mora_stack_start_thread(struct mora_stack_walker* earlier) {
  return earlier;
}
void mora_stack_stop(void) {}
uint32_t mora_stack_find(const void* own_frame, const void* site) {
  (void)own_frame, (void)site;
  return 0;
}
void mora_stack_code_unloaded(void) {}
void mora_stack_start_python(void) {}
uint32_t mora_stack_in_python(uint32_t number) { return number; }

#endif
