/* The part of DWARF's call frame information (DWARF 5, 6.4; .eh_frame and .eh_frame_hdr: LSB 5.0, 10.6) that the frames
 * of compiled code use: the CFA is rsp or rbp plus a number, or, in functions that align their stack, a word on the
 * stack; rbp is where it was or saved at a place relative to the CFA or to itself. The dynamic linker's own functions
 * that bind a call when it is made first (_dl_runtime_resolve) count from rbx. Any other rule ends the stack.
 *
 * _dl_find_object gives the module's .eh_frame_hdr; binary search finds the function's entry; its instructions are run
 * up to the call. Only the CFA, rbp, rbx and the return address are followed. Cost: 0.3-2 us. Tables are trusted as far
 * as they lead to table bytes; what they say about the stack is checked by the walk. */
#define _GNU_SOURCE
#include "measure/stack/unwind_rule.h"

#if MORA_HAS_STACKS
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { rbx = 3, rbp = 6, rsp = 7, return_column = 16, deepest_remembered = 8 };

enum { encoding_absent = 0xff, encoding_sorted_table = 0x3b /* signed 32 bits, relative to the header */ };

enum place_kind { same, at_cfa, at_rbp, undefined, not_understood };

struct place {
  enum place_kind kind;
  int64_t offset;
};

struct row {
  enum { cfa_register, cfa_loaded, cfa_not_understood } cfa;
  unsigned reg;
  int64_t offset;
  struct place frame, base, address; /* of rbp, rbx and the return address */
};

struct cursor {
  const uint8_t *at, *end;
};

struct entry {
  const uint8_t *initial, *initial_end, *code, *code_end;
  uint64_t code_factor;
  int64_t data_factor;
  uintptr_t begin;
  uint8_t pointer_encoding, is_signal;
};

static uint64_t take(struct cursor* c, unsigned bytes) {
  uint64_t value = 0;
  if ((size_t)(c->end - c->at) < bytes) {
    c->at = c->end;
    return 0;
  }
  memcpy(&value, c->at, bytes);
  c->at += bytes;
  return value;
}

static uint64_t take_uleb(struct cursor* c) {
  uint64_t value = 0;
  for (unsigned shift = 0; c->at < c->end; shift += 7) {
    const uint8_t byte = *c->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  return value;
}

static int64_t take_sleb(struct cursor* c) {
  uint64_t value = 0;
  unsigned shift = 0;
  while (c->at < c->end) {
    const uint8_t byte = *c->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if ((byte & 0x40) && shift < 64) value |= ~UINT64_C(0) << shift;
    break;
  }
  return (int64_t)value;
}

/* A pointer in one of the encodings of LSB 5.0, 10.5, absolute or relative to where it stands. 0: another encoding. */
static int take_pointer(struct cursor* c, uint8_t encoding, uintptr_t* value) {
  const uintptr_t here = (uintptr_t)c->at;
  switch (encoding & 0x0f) {
    case 0x00: /* absptr */
    case 0x04: /* udata8 */
    case 0x0c: /* sdata8 */
      *value = take(c, 8);
      break;
    case 0x01:
      *value = take_uleb(c);
      break;
    case 0x02:
      *value = take(c, 2);
      break;
    case 0x03:
      *value = take(c, 4);
      break;
    case 0x09:
      *value = (uintptr_t)take_sleb(c);
      break;
    case 0x0a:
      *value = (uintptr_t)(int64_t)(int16_t)take(c, 2);
      break;
    case 0x0b:
      *value = (uintptr_t)(int64_t)(int32_t)take(c, 4);
      break;
    default:
      return 0;
  }
  if ((encoding & 0x70) == 0x10) *value += here;
  return (encoding & 0x60) == 0 && !(encoding & 0x80);
}

/* The description of the function at or before `address`: NULL if the module has no sorted table. */
static const uint8_t* find_description(const uint8_t* header, uintptr_t address) {
  if (header[0] != 1 || header[3] != encoding_sorted_table || header[2] == encoding_absent) return NULL;
  struct cursor c = {header + 4, header + 64};
  uintptr_t frames = 0, count = 0;
  if (!take_pointer(&c, header[1], &frames) || !take_pointer(&c, header[2], &count) || count == 0) return NULL;
  const uint8_t* table = c.at;
  size_t low = 0, high = count;
  const int64_t wanted = (int64_t)(address - (uintptr_t)header);
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    int32_t begin = 0;
    memcpy(&begin, table + middle * 8, 4);
    if (begin <= wanted)
      low = middle;
    else
      high = middle;
  }
  int32_t description = 0;
  memcpy(&description, table + low * 8 + 4, 4);
  return header + description;
}

/* Length field and bounds of a CIE or FDE; the cursor then stands at the id. */
static struct cursor open_unit(const uint8_t* unit) {
  uint32_t length = 0;
  memcpy(&length, unit, 4);
  if (length != 0xffffffff) return (struct cursor){unit + 4, unit + 4 + length};
  uint64_t longer = 0;
  memcpy(&longer, unit + 4, 8);
  return (struct cursor){unit + 12, unit + 12 + longer};
}

static int read_common(const uint8_t* unit, struct entry* out) {
  struct cursor c = open_unit(unit);
  take(&c, 4); /* id */
  const uint64_t version = take(&c, 1);
  if (version != 1 && version != 3) return 0;
  const char* augmentation = (const char*)c.at;
  c.at += strlen(augmentation) + 1;
  out->code_factor = take_uleb(&c);
  out->data_factor = take_sleb(&c);
  const uint64_t column = version == 1 ? take(&c, 1) : take_uleb(&c);
  if (column != return_column) return 0;
  if (*augmentation != 'z') return 0;
  const uint64_t bytes = take_uleb(&c);
  const uint8_t* code = c.at + bytes;
  for (const char* letter = augmentation + 1; *letter; letter++) {
    uintptr_t ignored = 0;
    if (*letter == 'R')
      out->pointer_encoding = (uint8_t)take(&c, 1);
    else if (*letter == 'L')
      take(&c, 1);
    else if (*letter == 'S')
      out->is_signal = 1;
    else if (*letter == 'P')
      take_pointer(&c, (uint8_t)take(&c, 1) & 0x0f, &ignored);
    else
      return 0;
  }
  out->initial = code;
  out->initial_end = c.end;
  return 1;
}

static int read_entry(const uint8_t* unit, uintptr_t address, struct entry* out) {
  struct cursor c = open_unit(unit);
  const uint8_t* id_at = c.at;
  const uint64_t back = take(&c, 4);
  if (back == 0) return 0;
  memset(out, 0, sizeof *out);
  if (!read_common(id_at - back, out)) return 0;
  uintptr_t length = 0;
  if (!take_pointer(&c, out->pointer_encoding, &out->begin) ||
      !take_pointer(&c, out->pointer_encoding & 0x0f, &length) || address < out->begin ||
      address - out->begin >= length)
    return 0;
  const uint64_t augmentation = take_uleb(&c);
  out->code = c.at + augmentation;
  out->code_end = c.end;
  return 1;
}

/* rbp + n: the only place expressions that compilers write outside of signal frames. `*loads`: followed by a
 * dereference. */
static int take_rbp_expression(struct cursor* c, int64_t* offset, int* loads) {
  const uint64_t bytes = take_uleb(c);
  struct cursor e = {c->at, c->at + bytes};
  c->at += bytes;
  if (take(&e, 1) != 0x70 + rbp) return 0; /* DW_OP_breg6 */
  *offset = take_sleb(&e);
  *loads = e.at < e.end && *e.at == 0x06; /* DW_OP_deref */
  return e.at + *loads == e.end;
}

/* rsp + 8, and 8 more from some byte of 16 on: the expression that linkers write for procedure linkage tables. */
static int take_linkage_expression(struct cursor* c, uintptr_t address, int64_t* offset) {
  enum { bound = 7, literal_0 = 0x30 };
  /* breg7 8, breg16 0, lit15, and, lit<bound>, ge, lit3, shl, plus */
  uint8_t expected[] = {11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22};
  if ((size_t)(c->end - c->at) < sizeof expected) return 0;
  const uint8_t literal = expected[bound] = c->at[bound];
  if (literal < literal_0 || literal > literal_0 + 15 || memcmp(c->at, expected, sizeof expected) != 0) return 0;
  *offset = (address & 15) >= (uintptr_t)(literal - literal_0) ? 16 : 8;
  c->at += sizeof expected;
  return 1;
}

static void set_place(struct row* row, uint64_t reg, enum place_kind kind, int64_t offset) {
  const struct place place = {kind, offset};
  if (reg == rbp) row->frame = place;
  if (reg == rbx) row->base = place;
  if (reg == return_column) row->address = place;
}

static void restore(struct row* row, uint64_t reg, const struct row* initial) {
  if (reg == rbp) row->frame = initial->frame;
  if (reg == rbx) row->base = initial->base;
  if (reg == return_column) row->address = initial->address;
}

static void skip(struct cursor* c, uint64_t bytes) {
  c->at = bytes <= (uint64_t)(c->end - c->at) ? c->at + bytes : c->end;
}

/* Instructions of DWARF 5, 6.4.2, until they are about addresses beyond `address`. 0: one that is not known. */
static int run(const struct entry* e, struct cursor c, uintptr_t address, struct row* row, const struct row* initial) {
  struct row remembered[deepest_remembered];
  unsigned depth = 0;
  uintptr_t location = e->begin;
  int64_t offset = 0;
  int loads = 0;
  while (c.at < c.end) {
    const uint8_t op = *c.at++;
    const unsigned low = op & 0x3f;
    uint64_t reg = low;
    switch (op & 0xc0) {
      case 0x40: /* advance_loc */
        location += low * e->code_factor;
        if (location > address) return 1;
        continue;
      case 0x80: /* offset */
        set_place(row, reg, at_cfa, (int64_t)take_uleb(&c) * e->data_factor);
        continue;
      case 0xc0: /* restore */
        restore(row, reg, initial);
        continue;
      default:
        break;
    }
    switch (op) {
      case 0x00: /* nop */
        break;
      case 0x01: /* set_loc */
        if (!take_pointer(&c, e->pointer_encoding, &location)) return 0;
        if (location > address) return 1;
        break;
      case 0x02: /* advance_loc1, 2, 4 */
      case 0x03:
      case 0x04:
        location += take(&c, 1u << (op - 2)) * e->code_factor;
        if (location > address) return 1;
        break;
      case 0x05: /* offset_extended */
        reg = take_uleb(&c);
        set_place(row, reg, at_cfa, (int64_t)take_uleb(&c) * e->data_factor);
        break;
      case 0x06: /* restore_extended */
        restore(row, take_uleb(&c), initial);
        break;
      case 0x07: /* undefined */
        set_place(row, take_uleb(&c), undefined, 0);
        break;
      case 0x08: /* same_value */
        set_place(row, take_uleb(&c), same, 0);
        break;
      case 0x09: /* register */
        set_place(row, take_uleb(&c), not_understood, 0);
        take_uleb(&c);
        break;
      case 0x0a: /* remember_state */
        if (depth == deepest_remembered) return 0;
        remembered[depth++] = *row;
        break;
      case 0x0b: /* restore_state */
        if (depth == 0) return 0;
        *row = remembered[--depth];
        break;
      case 0x0c: /* def_cfa */
        row->cfa = cfa_register;
        row->reg = (unsigned)take_uleb(&c);
        row->offset = (int64_t)take_uleb(&c);
        break;
      case 0x0d: /* def_cfa_register */
        row->cfa = cfa_register;
        row->reg = (unsigned)take_uleb(&c);
        break;
      case 0x0e: /* def_cfa_offset */
        row->offset = (int64_t)take_uleb(&c);
        break;
      case 0x0f: /* def_cfa_expression */
        if (take_linkage_expression(&c, address, &row->offset)) {
          row->cfa = cfa_register;
          row->reg = rsp;
          break;
        }
        row->cfa = take_rbp_expression(&c, &offset, &loads) && loads ? cfa_loaded : cfa_not_understood;
        row->offset = offset;
        break;
      case 0x10: /* expression */
        reg = take_uleb(&c);
        if (take_rbp_expression(&c, &offset, &loads) && !loads)
          set_place(row, reg, at_rbp, offset);
        else
          set_place(row, reg, not_understood, 0);
        break;
      case 0x11: /* offset_extended_sf */
        reg = take_uleb(&c);
        set_place(row, reg, at_cfa, take_sleb(&c) * e->data_factor);
        break;
      case 0x12: /* def_cfa_sf */
        row->cfa = cfa_register;
        row->reg = (unsigned)take_uleb(&c);
        row->offset = take_sleb(&c) * e->data_factor;
        break;
      case 0x13: /* def_cfa_offset_sf */
        row->offset = take_sleb(&c) * e->data_factor;
        break;
      case 0x14: /* val_offset */
      case 0x15: /* val_offset_sf */
        set_place(row, take_uleb(&c), not_understood, 0);
        take_uleb(&c); /* as long as a signed one */
        break;
      case 0x16: /* val_expression */
        set_place(row, take_uleb(&c), not_understood, 0);
        skip(&c, take_uleb(&c));
        break;
      case 0x2e: /* GNU_args_size */
        take_uleb(&c);
        break;
      default:
        return 0;
    }
  }
  return 1;
}

static int fits(int64_t value, int64_t limit) { return value > -limit && value < limit; }

struct mora_unwind_rule mora_unwind_rule_of(uintptr_t return_address) {
  struct mora_unwind_rule rule = {.end = MORA_STACK_NO_TABLE};
  const uintptr_t address = return_address - 1; /* inside the call */
  struct dl_find_object module;
  if (_dl_find_object((void*)address, &module) != 0 || !module.dlfo_eh_frame) return rule;
  const uint8_t* description = find_description(module.dlfo_eh_frame, address);
  struct entry e;
  if (!description || !read_entry(description, address, &e)) return rule;
  rule.end = MORA_STACK_SIGNAL;
  if (e.is_signal) return rule;

  rule.end = MORA_STACK_NO_RULE;
  struct row row = {cfa_not_understood, 0, 0, {same, 0}, {same, 0}, {not_understood, 0}};
  if (!run(&e, (struct cursor){e.initial, e.initial_end}, UINTPTR_MAX, &row, &row)) return rule;
  const struct row initial = row;
  if (!run(&e, (struct cursor){e.code, e.code_end}, address, &row, &initial)) return rule;
  if (row.address.kind == undefined) {
    rule.end = MORA_STACK_COMPLETE;
    rule.is_outermost = 1;
    return rule;
  }
  if (row.address.kind != at_cfa || row.address.offset != -8 || !fits(row.offset, INT32_MAX) ||
      !fits(row.frame.offset, INT16_MAX) || row.frame.kind == not_understood)
    return rule;
  if (row.cfa == cfa_loaded)
    rule.kind = MORA_UNWIND_LOAD_CFA;
  else if (row.cfa == cfa_register && row.reg == rbp)
    rule.kind = MORA_UNWIND_FROM_RBP;
  else if (row.cfa == cfa_register && row.reg == rbx)
    rule.is_from_rbx = 1;
  else if (row.cfa != cfa_register || row.reg != rsp)
    return rule;
  rule.cfa_offset = (int32_t)row.offset;
  rule.rbp_offset = (int16_t)row.frame.offset;
  if (row.frame.kind == at_cfa) rule.kind |= MORA_UNWIND_SAVED_RBP;
  if (row.frame.kind == at_rbp) rule.kind |= MORA_UNWIND_RBP_AT_RBP;
  if (row.base.kind == at_cfa && fits(row.base.offset, INT16_MAX)) rule.rbx_offset = (int16_t)row.base.offset;
  if (!rule.is_from_rbx) rule.end = MORA_STACK_COMPLETE;
  return rule;
}

int mora_stack_bounds(uintptr_t* low, uintptr_t* high) {
  pthread_attr_t attributes;
  void* begin = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  const int failure = pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  *low = (uintptr_t)begin;
  *high = *low + size;
  return failure == 0;
}

#else

struct mora_unwind_rule mora_unwind_rule_of(uintptr_t return_address) {
  (void)return_address;
  return (struct mora_unwind_rule){.end = MORA_STACK_NO_TABLE};
}

#endif
