/// One rank's calls as bytes, and back. In reading nothing is trusted: every index is checked, loops refer to earlier
/// loops only and never unfold to more than 2^62 calls.
#include "predict/pattern/archive_bytes.h"

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

void write_payload(const Payload& payload, ByteWriter& out) {
  out.signed_number(payload.count);
  write_id(payload.type, out);
}

Payload read_payload(ByteReader& in, const Definitions& definitions) {
  Payload payload;
  payload.count = in.signed_number();
  payload.type = in.id(definitions.datatypes.size());
  return payload;
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

void write_call(const Call& c, std::uint32_t rank, ByteWriter& out) {
  const std::uint32_t fields = fields_of(c);
  const std::int64_t base = has_relative_peer(c.operation) ? rank : 0;
  out.number(static_cast<std::uint64_t>(c.operation));
  out.number(fields);
  if (fields & field_flags)
    out.number((c.in_place ? 1u : 0u) | (c.posted_any_source ? 2u : 0u) | (c.posted_any_tag ? 4u : 0u));
  if (fields & field_thread) out.number(c.thread);
  if (fields & field_communicator) write_id(c.communicator, out);
  if (fields & field_peer) out.number(peer_number(c.peer, base));
  if (fields & field_tag) out.signed_number(c.tag);
  if (fields & field_peer2) out.number(peer_number(c.peer2, base));
  if (fields & field_tag2) out.signed_number(c.tag2);
  if (fields & field_sent) write_payload(c.sent, out);
  if (fields & field_received) write_payload(c.received, out);
  if (fields & field_bytes_received) out.number(c.bytes_received);
  if (fields & field_sent_vector) write_id(c.sent_vector, out);
  if (fields & field_received_vector) write_id(c.received_vector, out);
  if (fields & field_completions) write_id(c.completions, out);
  if (fields & field_argument) write_id(c.argument, out);
}

Call read_call(ByteReader& in, const Definitions& definitions, const RankTrace& rank) {
  Call c;
  const std::uint64_t operation = in.number();
  if (operation >= mpi::operation_count) {
    in.fail();
    return c;
  }
  c.operation = static_cast<Operation>(operation);
  const std::int64_t base = has_relative_peer(c.operation) ? rank.rank : 0;
  const std::uint64_t fields = in.number();
  if (fields >= std::uint64_t{2} * field_argument) in.fail();
  if (fields & field_flags) {
    const std::uint64_t flags = in.number();
    if (flags > 7) in.fail();
    c.in_place = flags & 1;
    c.posted_any_source = flags & 2;
    c.posted_any_tag = flags & 4;
  }
  if (fields & field_thread) c.thread = in.narrow<std::uint16_t>(in.number());
  if (fields & field_communicator) c.communicator = in.id(definitions.communicators.size());
  if (fields & field_peer) c.peer = peer_of(in, base);
  if (fields & field_tag) c.tag = in.narrow_signed(in.signed_number());
  if (fields & field_peer2) c.peer2 = peer_of(in, base);
  if (fields & field_tag2) c.tag2 = in.narrow_signed(in.signed_number());
  if (fields & field_sent) c.sent = read_payload(in, definitions);
  if (fields & field_received) c.received = read_payload(in, definitions);
  if (fields & field_bytes_received) c.bytes_received = in.number();
  if (fields & field_sent_vector) c.sent_vector = in.id(rank.vectors.size());
  if (fields & field_received_vector) c.received_vector = in.id(rank.vectors.size());
  if (fields & field_completions) c.completions = in.id(rank.completions.size());
  if (fields & field_argument) c.argument = in.id(no_id);
  const auto limit = info(c.operation).kind == OperationClass::phase          ? definitions.phases.size()
                     : info(c.operation).kind == OperationClass::communicator ? definitions.communicators.size()
                                                                              : std::size_t{no_id};
  if (c.argument != no_id && c.argument >= limit) in.fail();
  return c;
}

void write_items(const std::vector<Sequence::Item>& items, ByteWriter& out) {
  out.number(items.size());
  for (const auto& item : items) {
    out.number(std::uint64_t{item.index} << 2 | (item.is_loop ? 2u : 0u) | (item.times > 1 ? 1u : 0u));
    if (item.times > 1) out.number(item.times);
  }
}

bool read_items(ByteReader& in, std::size_t calls, const std::vector<std::uint64_t>& lengths,
                std::vector<Sequence::Item>& items, std::uint64_t& length) {
  const std::size_t n = in.count();
  items.reserve(n);
  length = 0;
  for (std::size_t i = 0; i < n && !in.failed(); ++i) {
    const std::uint64_t word = in.number();
    Sequence::Item item;
    item.is_loop = word & 2;
    item.times = word & 1 ? in.number() : 1;
    item.index = in.narrow<std::uint32_t>(word >> 2);
    if (item.index >= (item.is_loop ? lengths.size() : calls) || item.times == 0) return false;
    const std::uint64_t once = item.is_loop ? lengths[item.index] : 1;
    if (item.times > longest / once) return false;
    length += item.times * once;
    if (length > longest) return false;
    items.push_back(item);
  }
  return !in.failed();
}

}  // namespace

void write_rank(const RankTrace& rank, ByteWriter& out) {
  out.number(rank.rank);
  out.number(rank.complete ? 1 : 0);
  out.number(rank.dropped_tests);
  out.number(rank.vectors.size());
  for (const auto& vector : rank.vectors) {
    out.number(vector.size());
    for (const auto bytes : vector) out.number(bytes);
  }
  out.number(rank.completions.size());
  for (const auto& list : rank.completions) {
    out.number(list.size());
    for (const auto& c : list) {
      const bool plain = c.source == peer_none && c.tag == tag_any && c.bytes == 0;
      out.number((plain ? 0u : 1u) | (c.cancelled ? 2u : 0u));
      write_id(c.age, out);
      if (plain) continue;
      out.number(peer_number(c.source, rank.rank));
      out.signed_number(c.tag);
      out.number(c.bytes);
    }
  }
  out.number(rank.calls.size());
  for (const auto& call : rank.calls) write_call(call, rank.rank, out);
  out.number(rank.order.loops.size());
  for (const auto& loop : rank.order.loops) write_items(loop.body, out);
  write_items(rank.order.items, out);
}

bool read_rank(ByteReader& in, const Definitions& definitions, RankTrace& rank) {
  rank.rank = in.narrow<std::uint32_t>(in.number());
  if (rank.rank >= definitions.world_size) return false;
  rank.complete = in.number() == 1;
  rank.dropped_tests = in.number();
  rank.vectors.resize(in.count());
  for (auto& vector : rank.vectors) {
    vector.resize(in.count());
    for (auto& bytes : vector) bytes = in.number();
  }
  rank.completions.resize(in.count());
  for (auto& list : rank.completions) {
    list.resize(in.count());
    for (auto& c : list) {
      const std::uint64_t flags = in.number();
      if (flags > 3) return false;
      c.cancelled = flags & 2;
      c.age = in.id(no_id);
      if (!(flags & 1)) continue;
      c.source = peer_of(in, rank.rank);
      c.tag = in.narrow_signed(in.signed_number());
      c.bytes = in.number();
    }
  }
  const std::size_t calls = in.count();
  rank.calls.reserve(calls);
  for (std::size_t i = 0; i < calls && !in.failed(); ++i) rank.calls.push_back(read_call(in, definitions, rank));
  const std::size_t loops = in.count();
  std::vector<std::uint64_t> lengths;
  for (std::size_t i = 0; i < loops && !in.failed(); ++i) {
    Sequence::Loop loop;
    std::uint64_t length = 0;
    if (!read_items(in, rank.calls.size(), lengths, loop.body, length) || length == 0) return false;
    lengths.push_back(length);
    rank.order.loops.push_back(std::move(loop));
  }
  std::uint64_t length = 0;
  return !in.failed() && read_items(in, rank.calls.size(), lengths, rank.order.items, length);
}

}  // namespace mora::predict::archive
