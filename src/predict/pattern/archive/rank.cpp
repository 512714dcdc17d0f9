/// One rank's calls as bytes, and back. In reading nothing is trusted: every index is checked, loops refer to earlier
/// loops only and never unfold to more than 2^62 calls.
#include "predict/pattern/archive/bytes.h"

#include <algorithm>

namespace mora::predict::archive {
namespace {

constexpr std::uint64_t longest = std::uint64_t{1} << 62;

std::uint64_t peer_number(std::int32_t peer, std::int64_t base) {
  if (peer < 0) return static_cast<std::uint64_t>(-peer - 1);  // none, any, root here: 0, 1, 2
  const std::int64_t difference = peer - base;
  return 3 + (static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63));
}

std::int32_t peer_of(ByteReader& in, std::int64_t base) {
  const std::uint64_t n = in.number();
  if (n < 3) return -static_cast<std::int32_t>(n) - 1;
  const std::uint64_t folded = n - 3;
  const std::int64_t difference = static_cast<std::int64_t>(folded >> 1) ^ -static_cast<std::int64_t>(folded & 1);
  std::int64_t peer = 0;
  if (__builtin_add_overflow(base, difference, &peer) || peer < 0) in.fail();  // a rank: no other names come this way
  return in.narrow_signed(peer);
}

void write_id(std::uint32_t id, ByteWriter& out) { out.number(id == no_id ? 0 : std::uint64_t{id} + 1); }

using Writer = RankBytes<ByteWriter>;
using Reader = RankBytes<ByteReader>;

void write_payload(const Payload& payload, Field field, Writer& out) {
  out.field(field).signed_number(payload.count);
  write_id(payload.type, out(column_type));
}

Payload read_payload(Reader& in, Field field, const Definitions& definitions) {
  Payload payload;
  payload.count = in.field(field).signed_number();
  payload.type = in(column_type).id(definitions.datatypes.size());
  return payload;
}

bool failed(const Reader& in) {
  return std::any_of(in.columns().begin(), in.columns().end(),
                     [](const ByteReader& column) { return column.failed(); });
}

std::uint32_t fields_of(const Call& c) {
  const Call d;
  std::uint32_t fields = 0;
  const auto mark = [&](bool differs, Field field) {
    if (differs) fields |= field;
  };
  mark(c.in_place || c.posted_any_source || c.posted_any_tag, field_flags);
  mark(c.thread != d.thread, field_thread);
  mark(c.communicator != d.communicator, field_communicator);
  mark(c.peer != d.peer, field_peer);
  mark(c.tag != d.tag, field_tag);
  mark(c.peer2 != d.peer2, field_peer2);
  mark(c.tag2 != d.tag2, field_tag2);
  mark(!(c.sent == d.sent), field_sent);
  mark(!(c.received == d.received), field_received);
  mark(c.bytes_received != d.bytes_received, field_bytes_received);
  mark(c.sent_vector != d.sent_vector, field_sent_vector);
  mark(c.received_vector != d.received_vector, field_received_vector);
  mark(c.completions != d.completions, field_completions);
  mark(c.argument != d.argument, field_argument);
  return fields;
}

void write_call(const Call& c, std::uint32_t rank, const Definitions& definitions, Writer& out) {
  const std::uint32_t fields = fields_of(c);
  const std::int64_t base = has_relative_peer(c.operation) ? rank : 0;
  out(column_operation).number(static_cast<std::uint64_t>(c.operation));
  out(column_fields).number(fields);
  const auto number = [&](Field field, std::uint64_t value) {
    if (fields & field) out.field(field).number(value);
  };
  const auto id = [&](Field field, std::uint32_t value) {
    if (fields & field) write_id(value, out.field(field));
  };
  number(field_flags, (c.in_place ? 1u : 0u) | (c.posted_any_source ? 2u : 0u) | (c.posted_any_tag ? 4u : 0u));
  number(field_thread, c.thread);
  id(field_communicator, c.communicator);
  number(field_peer, peer_number(c.peer, base));
  if (fields & field_tag) out.field(field_tag).signed_number(c.tag);
  number(field_peer2, peer_number(c.peer2, base));
  if (fields & field_tag2) out.field(field_tag2).signed_number(c.tag2);
  if (fields & field_sent) write_payload(c.sent, field_sent, out);
  if (fields & field_received) write_payload(c.received, field_received, out);
  const std::uint64_t asked = bytes_of(c.received, definitions);
  if (!out.by_columns())
    number(field_bytes_received, c.bytes_received);
  else if (fields & field_bytes_received)
    out.field(field_bytes_received).signed_number(static_cast<std::int64_t>(c.bytes_received - asked));
  id(field_sent_vector, c.sent_vector);
  id(field_received_vector, c.received_vector);
  id(field_completions, c.completions);
  id(field_argument, c.argument);
}

Call read_call(Reader& in, const Definitions& definitions, const RankTrace& rank) {
  Call c;
  ByteReader& operations = in(column_operation);
  const std::uint64_t operation = operations.number();
  if (operation >= mpi::operation_count) {
    operations.fail();
    return c;
  }
  c.operation = static_cast<Operation>(operation);
  const std::int64_t base = has_relative_peer(c.operation) ? rank.rank : 0;
  const std::uint64_t fields = in(column_fields).number();
  if (fields >= std::uint64_t{2} * field_argument) operations.fail();
  if (fields & field_flags) {
    const std::uint64_t flags = in.field(field_flags).number();
    if (flags > 7) operations.fail();
    c.in_place = flags & 1;
    c.posted_any_source = flags & 2;
    c.posted_any_tag = flags & 4;
  }
  const auto id = [&](Field field, std::uint32_t& value, std::size_t limit) {
    if (fields & field) value = in.field(field).id(limit);
  };
  const auto small = [&](Field field, std::int32_t& value) {
    ByteReader& column = in.field(field);
    if (fields & field) value = column.narrow_signed(column.signed_number());
  };
  if (fields & field_thread) c.thread = in.field(field_thread).narrow<std::uint16_t>(in.field(field_thread).number());
  id(field_communicator, c.communicator, definitions.communicators.size());
  if (fields & field_peer) c.peer = peer_of(in.field(field_peer), base);
  small(field_tag, c.tag);
  if (fields & field_peer2) c.peer2 = peer_of(in.field(field_peer2), base);
  small(field_tag2, c.tag2);
  if (fields & field_sent) c.sent = read_payload(in, field_sent, definitions);
  if (fields & field_received) c.received = read_payload(in, field_received, definitions);
  if (fields & field_bytes_received) {
    ByteReader& bytes = in.field(field_bytes_received);
    c.bytes_received = in.by_columns()
                           ? bytes_of(c.received, definitions) + static_cast<std::uint64_t>(bytes.signed_number())
                           : bytes.number();
  }
  id(field_sent_vector, c.sent_vector, rank.vectors.size());
  id(field_received_vector, c.received_vector, rank.vectors.size());
  id(field_completions, c.completions, rank.completions.size());
  id(field_argument, c.argument, no_id);
  const auto limit = info(c.operation).kind == OperationClass::phase          ? definitions.phases.size()
                     : info(c.operation).kind == OperationClass::communicator ? definitions.communicators.size()
                                                                              : std::size_t{no_id};
  if (c.argument != no_id && c.argument >= limit) operations.fail();
  return c;
}

/// By columns, a call is 0 if it is the one after those that were named so, else its index + 1.
class CallNames {
 public:
  std::uint64_t of(std::uint32_t index) {
    if (index != next_) return std::uint64_t{index} + 1;
    ++next_;
    return 0;
  }
  std::uint64_t index(std::uint64_t name) { return name == 0 ? next_++ : name - 1; }

 private:
  std::uint32_t next_ = 0;
};

void write_items(const std::vector<Sequence::Item>& items, CallNames& names, Writer& out) {
  out(column_loop_length).number(items.size());
  for (const auto& item : items) {
    const std::uint64_t name = item.is_loop || !out.by_columns() ? item.index : names.of(item.index);
    out(column_items).number(name << 2 | (item.is_loop ? 2u : 0u) | (item.times > 1 ? 1u : 0u));
    if (item.times > 1) out(column_times).number(item.times);
  }
}

bool read_items(Reader& in, std::size_t calls, const std::vector<std::uint64_t>& lengths, CallNames& names,
                std::vector<Sequence::Item>& items, std::uint64_t& length) {
  ByteReader& words = in(column_items);
  const std::size_t n = in(column_loop_length).count(words);
  items.reserve(n);
  length = 0;
  for (std::size_t i = 0; i < n && !words.failed(); ++i) {
    const std::uint64_t word = words.number();
    Sequence::Item item;
    item.is_loop = word & 2;
    item.times = word & 1 ? in(column_times).number() : 1;
    item.index = words.narrow<std::uint32_t>(item.is_loop || !in.by_columns() ? word >> 2 : names.index(word >> 2));
    if (item.index >= (item.is_loop ? lengths.size() : calls) || item.times == 0) return false;
    const std::uint64_t once = item.is_loop ? lengths[item.index] : 1;
    if (item.times > longest / once) return false;
    length += item.times * once;
    if (length > longest) return false;
    items.push_back(item);
  }
  return !failed(in);
}

}  // namespace

void write_rank(const RankTrace& rank, const Definitions& definitions, Writer& out) {
  ByteWriter& head = out(column_rank);
  head.number(rank.rank);
  head.number(rank.complete ? 1 : 0);
  head.number(rank.dropped_tests);
  head.number(rank.vectors.size());
  for (const auto& vector : rank.vectors) {
    out(column_vector_length).number(vector.size());
    for (const auto bytes : vector) out(column_vector).number(bytes);
  }
  head.number(rank.completions.size());
  for (const auto& list : rank.completions) {
    out(column_list_length).number(list.size());
    for (const auto& c : list) {
      const bool plain = c.source == peer_none && c.tag == tag_any && c.bytes == 0;
      out(column_completion).number((plain ? 0u : 1u) | (c.cancelled ? 2u : 0u));
      write_id(c.age, out(column_age));
      if (plain) continue;
      out(column_source).number(peer_number(c.source, rank.rank));
      out(column_completed_tag).signed_number(c.tag);
      out(column_arrived).number(c.bytes);
    }
  }
  head.number(rank.calls.size());
  for (const auto& call : rank.calls) write_call(call, rank.rank, definitions, out);
  head.number(rank.order.loops.size());
  CallNames names;
  for (const auto& loop : rank.order.loops) write_items(loop.body, names, out);
  write_items(rank.order.items, names, out);
}

bool read_rank(Reader& in, const Definitions& definitions, RankTrace& rank) {
  ByteReader& head = in(column_rank);
  rank.rank = head.narrow<std::uint32_t>(head.number());
  if (rank.rank >= definitions.world_size) return false;
  rank.complete = head.number() == 1;
  rank.dropped_tests = head.number();
  rank.vectors.resize(head.count(in(column_vector_length)));
  for (auto& vector : rank.vectors) {
    vector.resize(in(column_vector_length).count(in(column_vector)));
    for (auto& bytes : vector) bytes = in(column_vector).number();
  }
  rank.completions.resize(head.count(in(column_list_length)));
  for (auto& list : rank.completions) {
    list.resize(in(column_list_length).count(in(column_completion)));
    for (auto& c : list) {
      const std::uint64_t flags = in(column_completion).number();
      if (flags > 3) return false;
      c.cancelled = flags & 2;
      c.age = in(column_age).id(no_id);
      if (!(flags & 1)) continue;
      c.source = peer_of(in(column_source), rank.rank);
      c.tag = in(column_completed_tag).narrow_signed(in(column_completed_tag).signed_number());
      c.bytes = in(column_arrived).number();
    }
  }
  const std::size_t calls = head.count(in(column_operation));
  rank.calls.reserve(calls);
  for (std::size_t i = 0; i < calls && !in(column_operation).failed(); ++i)
    rank.calls.push_back(read_call(in, definitions, rank));
  if (failed(in)) return false;
  const std::size_t loops = head.count(in(column_loop_length));
  std::vector<std::uint64_t> lengths;
  CallNames names;
  for (std::size_t i = 0; i < loops && !head.failed(); ++i) {
    Sequence::Loop loop;
    std::uint64_t length = 0;
    if (!read_items(in, rank.calls.size(), lengths, names, loop.body, length) || length == 0) return false;
    lengths.push_back(length);
    rank.order.loops.push_back(std::move(loop));
  }
  std::uint64_t length = 0;
  return !failed(in) && read_items(in, rank.calls.size(), lengths, names, rank.order.items, length);
}

}  // namespace mora::predict::archive
