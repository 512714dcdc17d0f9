/* Phases of programs that were written for MinI (Kotomatas 2018, 3.3.3): its two functions, in C and in Fortran's
 * spellings. Phases of mora.h come as marks. */
#include <stddef.h>
#include <string.h>

#include "measure/user/marks.h"
#include "mora/mora.h"

#define MORA_EXPORT __attribute__((visibility("default")))

MORA_EXPORT void mini_annotate_phase_start(const char* name);
MORA_EXPORT void mini_annotate_phase_end(const char* name);
MORA_EXPORT void mini_annotate_phase_start_(const char* name, size_t bytes);
MORA_EXPORT void mini_annotate_phase_end_(const char* name, size_t bytes);

void mini_annotate_phase_start(const char* name) {
  mora_mark_begin_at(MORA_PHASE_MARK, 0, "", 0, 0, name ? name : "", name ? strlen(name) : 0);
}

void mini_annotate_phase_end(const char* name) {
  mora_mark_end_at(MORA_PHASE_MARK, 0, "", 0, 0, name ? name : "", name ? strlen(name) : 0);
}

void mini_annotate_phase_start_(const char* name, size_t bytes) {
  mora_mark_begin_at(MORA_PHASE_MARK, 0, "", 0, 0, name, bytes);
}

void mini_annotate_phase_end_(const char* name, size_t bytes) {
  mora_mark_end_at(MORA_PHASE_MARK, 0, "", 0, 0, name, bytes);
}

#define SPELLINGS(lower, upper)                                                                  \
  MORA_EXPORT void lower##__(const char* name, size_t bytes) __attribute__((alias(#lower "_"))); \
  MORA_EXPORT void upper(const char* name, size_t bytes) __attribute__((alias(#lower "_")));
SPELLINGS(mini_annotate_phase_start, MINI_ANNOTATE_PHASE_START)
SPELLINGS(mini_annotate_phase_end, MINI_ANNOTATE_PHASE_END)
