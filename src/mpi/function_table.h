/* The table of MPI functions for the recorder and the dry run's MPI, in C: numbers (functions.h), names, and what the
 * recorder asks. Needs no MPI. Everything else asks function.h.
 *
 * A function's id is its position in functions.txt, from 1, and the same for both MPI flavours. Id 0 is no function.
 * All functions are pure and thread-safe. The text is owned by the table.
 */
#ifndef MORA_MPI_FUNCTION_TABLE_H
#define MORA_MPI_FUNCTION_TABLE_H

#ifdef __cplusplus
extern "C" {
#endif

enum mora_function_trait {
  MORA_TRAIT_QUERY = 1,      /* a cheap local question: recorded only with MORA_RECORD_QUERIES=1 */
  MORA_TRAIT_PERSISTENT = 2, /* MPI_Barrier_init and the like: the request is made here and started later */
  MORA_TRAIT_TRACKED = 4,    /* its hook keeps the tables of handles right: it runs while recording is off, too */
  MORA_TRAIT_COMPLETES = 8   /* MPI_Wait…, MPI_Test…: completes requests */
};

/* "MPI_Send"; NULL if no function has this id. */
const char* mora_function_name(unsigned id);

/* Of enum mora_function_trait, added up; 0 if no function has this id. */
unsigned mora_function_traits(unsigned id);

/* Ids run from 1 to this number, inclusive. */
unsigned mora_function_count(void);

#ifdef __cplusplus
}
#endif

#endif
