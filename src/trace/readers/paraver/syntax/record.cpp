#include "trace/readers/paraver/syntax/record.h"

#include <algorithm>

namespace mora::trace::paraver {
namespace {

bool take_time(Fields& fields, std::int64_t tick, Nanoseconds& time) {
  return fields.take(time) && !__builtin_mul_overflow(time, tick, &time);
}

bool take_object(Fields& fields, Object& object) {
  std::uint64_t cpu = 0;
  return fields.take(cpu) && fields.take(object.application) && fields.take(object.task) && fields.take(object.thread);
}

bool take_state(Fields& fields, std::int64_t tick, Record& r) {
  return take_object(fields, r.object) && take_time(fields, tick, r.time) && take_time(fields, tick, r.end) &&
         fields.take(r.state) && fields.done();
}

bool take_events(Fields& fields, std::int64_t tick, Record& r) {
  if (!take_object(fields, r.object) || !take_time(fields, tick, r.time) || fields.done()) return false;
  while (!fields.done()) {
    Record::Pair pair;
    if (!fields.take(pair.type) || !fields.take(pair.value)) return false;
    r.pairs.push_back(pair);
  }
  return true;
}

bool take_message(Fields& fields, std::int64_t tick, Record& r) {
  Nanoseconds physical_send = 0, physical_receive = 0;
  Number tag;
  if (!take_object(fields, r.object) || !take_time(fields, tick, r.time) || !take_time(fields, tick, physical_send) ||
      !take_object(fields, r.receiver) || !take_time(fields, tick, r.posted) ||
      !take_time(fields, tick, physical_receive) || !fields.take(r.bytes) || !fields.take(tag) || !fields.done())
    return false;
  // Tags are int; Extrae prints them unsigned.
  const bool fits = tag.negative ? tag.as_signed() >= INT32_MIN : tag.bits <= UINT32_MAX;
  r.tag = static_cast<std::int32_t>(tag.bits);
  // A message is received when it has arrived and the receive was posted; some writers leave one of both times at 0.
  r.end = std::max(r.posted, physical_receive);
  return fits;
}

bool take_members(Fields& fields, Record& r) {
  while (!fields.done()) {
    std::uint64_t member = 0;
    if (!fields.take(member)) return false;
    r.members.push_back(member);
  }
  return true;
}

bool take_communicator(Fields& fields, Record& r) {
  std::uint64_t count = 0;
  return fields.take(r.object.application) && fields.take(r.id) && fields.take(count) && take_members(fields, r) &&
         r.members.size() == count;
}

bool take_intercommunicator(Fields& fields, Record& r) {
  return fields.take(r.object.application) && fields.take(r.id) && take_members(fields, r) && r.members.size() == 4;
}

}  // namespace

void parse_record(std::string_view line, std::int64_t tick, Record& r) {
  r.pairs.clear();
  r.members.clear();
  r.kind = Record::Kind::nothing;
  if (line.empty() || line[0] == '#') return;
  r.kind = Record::Kind::unknown;
  if (line.size() < 2 || line[1] != ':') {
    r.kind = Record::Kind::damaged;
    return;
  }
  Fields fields(line.substr(2));
  bool whole = true;
  switch (line[0]) {
    case '1':
      r.kind = Record::Kind::state;
      whole = take_state(fields, tick, r);
      break;
    case '2':
      r.kind = Record::Kind::events;
      whole = take_events(fields, tick, r);
      break;
    case '3':
      r.kind = Record::Kind::message;
      whole = take_message(fields, tick, r);
      break;
    case 'c':
      r.kind = Record::Kind::communicator;
      whole = take_communicator(fields, r);
      break;
    case 'i':
      r.kind = Record::Kind::intercommunicator;
      whole = take_intercommunicator(fields, r);
      break;
    default:
      break;
  }
  if (!whole) r.kind = Record::Kind::damaged;
}

}  // namespace mora::trace::paraver
