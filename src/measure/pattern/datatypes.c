#include "measure/pattern/datatypes.h"

#include <string.h>

#include "measure/call/sink.h"
#include "measure/pattern/contiguity.h"

enum { contiguous_bit = 1, predefined_bit = 2, code_contiguous = 100, code_other = 101 };

static struct mora_map by_handle; /* → number */
static uint32_t defined;
struct mora_type_last mora_type_last;

/* The codes of MinI's text traces (Kotomatas 2018, Table 3.2). Any other type has the code of its contiguity only. */
static int code_in_table(MPI_Datatype type) {
  const struct {
    MPI_Datatype type;
    int code;
  } table[] = {{MPI_DOUBLE_PRECISION, 0},
               {MPI_DOUBLE, 0},
               {MPI_INTEGER, 1},
               {MPI_INT, 1},
               {MPI_CHARACTER, 2},
               {MPI_CHAR, 2},
               {MPI_SHORT, 3},
               {MPI_LONG, 4},
               {MPI_REAL, 5},
               {MPI_FLOAT, 5},
               {MPI_BYTE, 6}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].type == type && type != MPI_DATATYPE_NULL) return table[i].code;
  return -1;
}

static const char* combiner_name(int combiner) {
  switch (combiner) {
    case MPI_COMBINER_DUP:
      return "dup";
    case MPI_COMBINER_CONTIGUOUS:
      return "contiguous";
    case MPI_COMBINER_VECTOR:
      return "vector";
    case MPI_COMBINER_HVECTOR:
      return "hvector";
    case MPI_COMBINER_INDEXED:
      return "indexed";
    case MPI_COMBINER_HINDEXED:
      return "hindexed";
    case MPI_COMBINER_INDEXED_BLOCK:
      return "indexed_block";
    case MPI_COMBINER_HINDEXED_BLOCK:
      return "hindexed_block";
    case MPI_COMBINER_STRUCT:
      return "struct";
    case MPI_COMBINER_SUBARRAY:
      return "subarray";
    case MPI_COMBINER_DARRAY:
      return "darray";
    case MPI_COMBINER_RESIZED:
      return "resized";
    default:
      return "derived";
  }
}

static void define(MPI_Datatype type, uint32_t id) {
  struct mora_type_shape shape = mora_type_shape(type);
  int code = shape.predefined ? code_in_table(type) : -1;
  if (code < 0) code = shape.contiguous ? code_contiguous : code_other;
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0;
  if (PMPI_Type_get_name(type, name, &length) != MPI_SUCCESS) length = 0;
  name[length >= 0 && length < MPI_MAX_OBJECT_NAME ? length : 0] = 0;
  const char* text = name[0] ? name : combiner_name(shape.combiner);
  const size_t bytes = strlen(text);
  const unsigned words = 8 + (unsigned)((bytes + 7) / 8);
  uint64_t* record = mora_journal_big(mora_self.journal, words);
  mora_fill_fact(record, id);
  record[4] = (uint64_t)shape.size;
  record[5] = (uint64_t)shape.extent;
  record[6] = mora_pair(code, (shape.contiguous ? contiguous_bit : 0) | (shape.predefined ? predefined_bit : 0));
  record[7] = mora_pair((int32_t)bytes, 0);
  record[words - 1] = 0;
  memcpy(record + 8, text, bytes);
  mora_publish_fact(record, words, MORA_SHAPE_DEFINE_TYPE);
}

uint32_t mora_type_search(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return 0;
  const uint64_t key = MORA_KEY(type);
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  if (!slot) {
    const uint32_t id = defined + 1;
    if (!mora_map_set(&by_handle, key, id)) return 0;
    defined = id;
    define(type, id);
    slot = mora_map_find(&by_handle, key);
  }
  mora_type_last.key = key;
  mora_type_last.id = (uint32_t)slot->value;
  return mora_type_last.id;
}

uint32_t mora_type_known(MPI_Datatype type) {
  const struct mora_map_slot* slot = type == MPI_DATATYPE_NULL ? NULL : mora_map_find(&by_handle, MORA_KEY(type));
  return slot ? (uint32_t)slot->value : 0;
}

void mora_type_forget(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return;
  mora_map_remove(&by_handle, MORA_KEY(type));
  if (mora_type_last.key == MORA_KEY(type)) mora_type_last.key = 0;
}
