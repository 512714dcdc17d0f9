/* Names and groups of the functions in prototypes.txt. Needs no MPI: the converter links it too (mora_mpi_functions).
 *
 * A function's id is its position in prototypes.txt, from 1, and the same for both MPI flavours. Id 0 is no function.
 * All functions are pure and thread-safe. The text is owned by the table.
 */
#ifndef MORA_MEASURE_MPI_FUNCTION_TABLE_H
#define MORA_MEASURE_MPI_FUNCTION_TABLE_H

#ifdef __cplusplus
extern "C" {
#endif

enum mora_function_group {
  MORA_GROUP_NONE = 0, /* not a function */
  MORA_GROUP_P2P,
  MORA_GROUP_COLLECTIVE,
  MORA_GROUP_RMA,
  MORA_GROUP_COMM,
  MORA_GROUP_GROUP,
  MORA_GROUP_WIN,
  MORA_GROUP_REQUEST,
  MORA_GROUP_TYPE,
  MORA_GROUP_TOPOLOGY,
  MORA_GROUP_IO,
  MORA_GROUP_ENV,
  MORA_GROUP_QUERY, /* cheap local questions: recorded only with MORA_RECORD_QUERIES=1 */
  MORA_GROUP_ATTRIBUTE,
  MORA_GROUP_INFO
};

/* "MPI_Send"; NULL if no function has this id. */
const char* mora_function_name(unsigned id);

/* MORA_GROUP_NONE if no function has this id. */
enum mora_function_group mora_function_group_of(unsigned id);

/* Ids run from 1 to this number, inclusive. */
unsigned mora_function_count(void);

#ifdef __cplusplus
}
#endif

#endif
