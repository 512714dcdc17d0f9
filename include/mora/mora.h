/* Marks: which part of the program runs now. For C and C++; Fortran has mora.F90 and mora_f.h.
 *
 *     MORA_INTERVAL_BEGIN(step);    …    MORA_INTERVAL_END(step);      a part of the program, with a number of its own
 *     MORA_SEQUENTIAL_BEGIN();      …    MORA_SEQUENTIAL_END();        computation that every process repeats
 *     MORA_REPLICATED_BEGIN(r);     …    MORA_REPLICATED_END();        computation that r processes repeat each
 *     MORA_REGION_BEGIN("solve");   …    MORA_REGION_END("solve");     a part with a name
 *     mora_phase_begin(name);       …    mora_phase_end(name);         the same with a name made at run time
 *
 * and in C++, to the end of the block: MORA_INTERVAL(step); MORA_SEQUENTIAL(); MORA_REPLICATED(r);
 * MORA_REGION("solve"); `mora pattern` reports by phase.
 *
 * Marks nest; an end belongs to the innermost begin of the same kind, number and name. Numbers are 0 or more. File and
 * line of the begin tell intervals apart. `mora record` sees the marks; without it they do nothing: there is no library
 * to link, and a mark costs two loads and a branch. Arguments are always evaluated, so that the program does the same
 * with and without Mora. MORA_DISABLE, defined before this file is included, leaves the arguments only.
 *
 * Computation that a dry run (`mora pattern dryrun`: ranks run without their partners, received data are not real) may
 * leave out:
 *
 *     MORA_SKIP_BEGIN               …    MORA_SKIP_END
 *
 * is a block that is skipped in a dry run and runs everywhere else; mora_dry_run() is 1 in a dry run and else 0. What
 * the program sends, and to whom, must not depend on what is skipped.
 *
 * Only the thread that called MPI_Init is recorded, between MPI_Init and MPI_Finalize; other marks are counted.
 */
#ifndef MORA_MORA_H
#define MORA_MORA_H

#if defined(__GNUC__) && defined(__linux__) && !defined(MORA_DISABLE)
#define MORA_ENABLED 1
#else
#define MORA_ENABLED 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum mora_mark_kind {
  MORA_INTERVAL_MARK = 1,
  MORA_SEQUENTIAL_MARK = 2,
  MORA_REPLICATED_MARK = 3,
  MORA_REGION_MARK = 4,
  MORA_PHASE_MARK = 5
};

/* One mark in the source. Static: the recorder keeps the number it gave to it in it. Later versions append only. */
struct mora_mark {
  unsigned version; /* 1 */
  unsigned kind;    /* enum mora_mark_kind */
  const char* file;
  const char* name; /* of a region or phase, else null */
  unsigned line;
  unsigned number; /* 0 until the recorder has seen it */
};

/* `argument`: the interval's number, or how many processes do the same; else 0. Thread-safe, never fails; not
 * async-signal-safe. */
typedef void (*mora_mark_function)(struct mora_mark* mark, int argument);

/* The same for a mark without a place of its own in memory. */
typedef void (*mora_mark_at_function)(unsigned kind, int argument, const char* file, unsigned long file_bytes,
                                      unsigned line, const char* name, unsigned long name_bytes);

#if MORA_ENABLED
/* The recorder's functions; without it they are missing, and a mark costs one test of an address. */
#if defined(__PIC__) || defined(__PIE__)
extern void mora_mark_begin(struct mora_mark* mark, int argument) __attribute__((weak, visibility("default")));
extern void mora_mark_end(struct mora_mark* mark, int argument) __attribute__((weak, visibility("default")));
static __inline__ mora_mark_function mora_begin_function_(void) { return mora_mark_begin; }
static __inline__ mora_mark_function mora_end_function_(void) { return mora_mark_end; }
extern void mora_mark_begin_at(unsigned kind, int argument, const char* file, unsigned long file_bytes, unsigned line,
                               const char* name, unsigned long name_bytes) __attribute__((weak, visibility("default")));
extern void mora_mark_end_at(unsigned kind, int argument, const char* file, unsigned long file_bytes, unsigned line,
                             const char* name, unsigned long name_bytes) __attribute__((weak, visibility("default")));
extern int mora_dry_run(void) __attribute__((weak, visibility("default")));
static __inline__ mora_mark_at_function mora_begin_at_function_(void) { return mora_mark_begin_at; }
static __inline__ mora_mark_at_function mora_end_at_function_(void) { return mora_mark_end_at; }
static __inline__ int mora_is_dry_run_(void) { return mora_dry_run ? mora_dry_run() : 0; }
#else
/* In code at fixed addresses the linker resolves a missing weak function to 0 for good: look it up at run time. */
extern void* mora_find_(void* scope, const char* name) __asm__("dlsym") __attribute__((weak, visibility("default")));
typedef void (*mora_any_function_)(void);
static __inline__ mora_any_function_ mora_look_up_(mora_any_function_* function, int* known, const char* name) {
  if (!__atomic_load_n(known, __ATOMIC_ACQUIRE)) {
    void* found = mora_find_ ? mora_find_((void*)0, name) : (void*)0;
    __atomic_store_n((void**)function, found, __ATOMIC_RELAXED);
    __atomic_store_n(known, 1, __ATOMIC_RELEASE);
  }
  return *function;
}
static __inline__ mora_mark_function mora_begin_function_(void) {
  static mora_any_function_ function;
  static int known;
  return (mora_mark_function)mora_look_up_(&function, &known, "mora_mark_begin");
}
static __inline__ mora_mark_function mora_end_function_(void) {
  static mora_any_function_ function;
  static int known;
  return (mora_mark_function)mora_look_up_(&function, &known, "mora_mark_end");
}
static __inline__ mora_mark_at_function mora_begin_at_function_(void) {
  static mora_any_function_ function;
  static int known;
  return (mora_mark_at_function)mora_look_up_(&function, &known, "mora_mark_begin_at");
}
static __inline__ mora_mark_at_function mora_end_at_function_(void) {
  static mora_any_function_ function;
  static int known;
  return (mora_mark_at_function)mora_look_up_(&function, &known, "mora_mark_end_at");
}
static __inline__ int mora_is_dry_run_(void) {
  static mora_any_function_ function;
  static int known;
  int (*const asked)(void) = (int (*)(void))mora_look_up_(&function, &known, "mora_dry_run");
  return asked ? asked() : 0;
}
#endif
static __inline__ void mora_phase_begin(const char* name) {
  const mora_mark_at_function call = mora_begin_at_function_();
  if (__builtin_expect(call != 0, 0)) call(MORA_PHASE_MARK, 0, "", 0, 0, name, __builtin_strlen(name));
}
static __inline__ void mora_phase_end(const char* name) {
  const mora_mark_at_function call = mora_end_at_function_();
  if (__builtin_expect(call != 0, 0)) call(MORA_PHASE_MARK, 0, "", 0, 0, name, __builtin_strlen(name));
}
#else
static __inline__ void mora_phase_begin(const char* name) { (void)name; }
static __inline__ void mora_phase_end(const char* name) { (void)name; }
static __inline__ int mora_is_dry_run_(void) { return 0; }
#endif
#define mora_dry_run() mora_is_dry_run_() /* the function itself may be missing */

#ifdef __cplusplus
}
#endif

#if MORA_ENABLED
#define MORA_MARK_(which, kind, name, argument)                                        \
  do {                                                                                 \
    static struct mora_mark mora_here_ = {1, kind, __FILE__, name, __LINE__, 0};       \
    const int mora_argument_ = (argument);                                             \
    const mora_mark_function mora_call_ = mora_##which##_function_();                  \
    if (__builtin_expect(mora_call_ != 0, 0)) mora_call_(&mora_here_, mora_argument_); \
  } while (0)
#else
#define MORA_MARK_(which, kind, name, argument) ((void)(argument))
#endif

#define MORA_SKIP_BEGIN \
  {                     \
    if (!mora_dry_run()) { /* two braces: an `else` behind the end is the program's own */
#define MORA_SKIP_END \
  }                   \
  }

#define MORA_INTERVAL_BEGIN(id) MORA_MARK_(begin, MORA_INTERVAL_MARK, 0, id)
#define MORA_INTERVAL_END(id) MORA_MARK_(end, MORA_INTERVAL_MARK, 0, id)
#define MORA_SEQUENTIAL_BEGIN() MORA_MARK_(begin, MORA_SEQUENTIAL_MARK, 0, 0)
#define MORA_SEQUENTIAL_END() MORA_MARK_(end, MORA_SEQUENTIAL_MARK, 0, 0)
#define MORA_REPLICATED_BEGIN(processes) MORA_MARK_(begin, MORA_REPLICATED_MARK, 0, processes)
#define MORA_REPLICATED_END() MORA_MARK_(end, MORA_REPLICATED_MARK, 0, 0)
#define MORA_REGION_BEGIN(name) MORA_MARK_(begin, MORA_REGION_MARK, "" name "", 0) /* a string literal */
#define MORA_REGION_END(name) MORA_MARK_(end, MORA_REGION_MARK, "" name "", 0)

#ifdef __cplusplus
#if MORA_ENABLED
namespace mora {
/* Marks from here to the end of the block, also when an exception leaves it. */
class MarkedScope {
 public:
  MarkedScope(mora_mark* mark, int argument) : mark_(mark), argument_(argument) {
    if (const mora_mark_function begin = mora_begin_function_()) begin(mark_, argument_);
  }
  ~MarkedScope() {
    if (const mora_mark_function end = mora_end_function_()) end(mark_, argument_);
  }

 private:
  MarkedScope(const MarkedScope&);
  void operator=(const MarkedScope&);
  mora_mark* mark_;
  int argument_;
};
}  // namespace mora
#define MORA_SCOPE_NUMBERED_(kind, name, argument, n)                         \
  static mora_mark mora_here_##n##_ = {1, kind, __FILE__, name, __LINE__, 0}; \
  const ::mora::MarkedScope mora_scope_##n##_(&mora_here_##n##_, argument)
#define MORA_SCOPE_EXPANDED_(kind, name, argument, n) MORA_SCOPE_NUMBERED_(kind, name, argument, n)
#define MORA_SCOPE_(kind, name, argument) MORA_SCOPE_EXPANDED_(kind, name, argument, __COUNTER__)
#else
#define MORA_SCOPE_(kind, name, argument) ((void)(argument))
#endif
#define MORA_INTERVAL(id) MORA_SCOPE_(MORA_INTERVAL_MARK, 0, id)
#define MORA_SEQUENTIAL() MORA_SCOPE_(MORA_SEQUENTIAL_MARK, 0, 0)
#define MORA_REPLICATED(processes) MORA_SCOPE_(MORA_REPLICATED_MARK, 0, processes)
#define MORA_REGION(name) MORA_SCOPE_(MORA_REGION_MARK, "" name "", 0)
#endif

#endif
