/* Marks of the program (include/mora/mora.h): what the recorder needs of them. */
#ifndef MORA_MEASURE_USER_MARKS_H
#define MORA_MEASURE_USER_MARKS_H

#include <stdint.h>

/* Marks are recorded between these two; those before and after are counted. */
void mora_marks_start(void);
void mora_marks_stop(void);

/* NOTE records for what was counted since the last time. */
void mora_marks_write_notes(void);

/* A level of MPI_Pcontrol that is a mark: 0x0A or 0xAA, 16 bits of id, AA begins, BB ends (rule `mark-tags`,
 * docs/rules.md). */
static inline int mora_is_mark_level(int level) {
  const uint32_t number = (uint32_t)level, first = number >> 24, last = number & 0xff;
  return (first == 0x0a || first == 0xaa) && (last == 0xaa || last == 0xbb);
}

#endif
