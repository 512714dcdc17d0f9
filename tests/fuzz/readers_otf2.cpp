// Our layer above libotf2, without libotf2's file parsing (which crashes on hostile files: probe.h). The bytes are a
// list of definitions, then a list of events for every location, each with whatever references: one byte says which
// record, the following ones its values. A value is one byte below 0xF0, or behind 0xFF eight bytes, else a special
// one.
#include <cstring>
#include <string>
#include <vector>

#include "broken_promise.h"
#include "promised_stream.h"
#include "readers.h"
#include "trace/readers/otf2/definitions/archive_definitions.h"
#include "trace/readers/otf2/location_reader.h"

namespace mora::fuzz {
namespace {

using namespace trace;
using namespace trace::otf2;

class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool more() const { return at_ < bytes_.size(); }
  std::uint8_t byte() { return more() ? static_cast<std::uint8_t>(bytes_[at_++]) : 0; }
  std::uint64_t value() {
    const std::uint8_t first = byte();
    if (first < 0xF0) return first;
    switch (first) {
      case 0xF0:
        return UINT64_MAX;
      case 0xF1:
        return UINT32_MAX;
      case 0xF2:
        return std::uint64_t{1} << 63;
      case 0xF3:
        return std::uint64_t{1} << 32;
      case 0xF4:
        return (std::uint64_t{1} << 63) - 1;
      case 0xF5:
        return 1 << 20;
      default: {
        std::uint64_t wide = 0;
        for (int i = 0; i < 8; ++i) wide = wide << 8 | byte();
        return wide;
      }
    }
  }
  std::uint32_t ref() { return static_cast<std::uint32_t>(value()); }
  std::vector<std::uint64_t> list() {
    std::vector<std::uint64_t> values(byte() % 16);
    for (auto& v : values) v = value();
    return values;
  }
  std::string text() {
    static const char* const names[] = {"",
                                        "MPI_Send",
                                        "MPI_Win_fence",
                                        "MPI_Ibarrier",
                                        "MPI_Fetch_and_op",
                                        "node",
                                        "MPI_Win_lock_all",
                                        "MPI_Win_flush",
                                        "mora:rma_end",
                                        "mora:assert",
                                        "mora:recvd",
                                        "MPI_Win_test",
                                        "MPI_Accumulate",
                                        "main",
                                        "app.c",
                                        "MPI_Win_flush_local_all"};
    return names[byte() % std::size(names)];
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

constexpr std::uint8_t first_event = 0x40;

DefinitionRecords definitions(Bytes& in) {
  DefinitionRecords r;
  const auto count = [&](bool is_new) { r.duplicates += is_new ? 0 : 1; };
  while (in.more()) {
    switch (in.byte() % (first_event / 2)) {
      case 0:
        return r;
      case 1:
        r.resolution = in.value();
        r.origin = in.value();
        r.length = in.value();
        r.has_clock = r.resolution > 0;
        break;
      case 2: {
        const auto self = in.ref();
        count(r.strings.add(self, in.text()));
        break;
      }
      case 3: {
        const auto self = in.ref();
        LocationRecord l;
        l.name = in.ref();
        l.type = in.byte();
        l.events = in.value();
        l.group = in.ref();
        count(r.locations.add(self, l));
        break;
      }
      case 4: {
        const auto self = in.ref();
        ProcessRecord p;
        p.type = in.byte();
        p.node = in.ref();
        p.creator = in.ref();
        count(r.processes.add(self, p));
        break;
      }
      case 5: {
        const auto self = in.ref();
        TreeNodeRecord n;
        n.name = in.ref();
        n.kind = in.ref();
        n.parent = in.ref();
        count(r.nodes.add(self, n));
        break;
      }
      case 6: {
        const auto self = in.ref();
        RegionRecord region;
        region.name = in.ref();
        region.description = in.ref();
        region.file = in.ref();
        region.line = in.ref();
        region.role = in.byte();
        region.paradigm = in.byte();
        count(r.regions.add(self, region));
        break;
      }
      case 7: {
        GroupRecord g;
        g.ref = in.ref();
        g.name = in.ref();
        g.type = in.byte();
        g.paradigm = in.byte();
        g.members = in.list();
        r.groups.push_back(g);
        break;
      }
      case 8: {
        const auto self = in.ref();
        CommRecord c;
        c.name = in.ref();
        c.group = in.ref();
        c.remote = in.ref();
        c.parent = in.ref();
        count(r.comms.add(self, c));
        break;
      }
      case 9: {
        const auto self = in.ref();
        WindowRecord w;
        w.name = in.ref();
        w.comm = in.ref();
        count(r.windows.add(self, w));
        break;
      }
      case 10: {
        const auto self = in.ref();
        count(r.attributes.add(self, in.ref()));
        break;
      }
      case 11: {
        const auto self = in.ref();
        MetricMemberRecord m;
        m.name = in.ref();
        m.unit = in.ref();
        count(r.metric_members.add(self, m));
        break;
      }
      case 12: {
        const auto self = in.ref();
        std::vector<OTF2_MetricMemberRef> members;
        for (const auto member : in.list()) members.push_back(static_cast<OTF2_MetricMemberRef>(member));
        count(r.metric_classes.add(self, members));
        break;
      }
      case 13: {
        const auto self = in.ref();
        count(r.metric_instances.add(self, in.ref()));
        break;
      }
      case 14: {
        const auto self = in.ref();
        ParameterRecord p;
        p.name = in.ref();
        p.type = in.byte() % 3;
        count(r.parameters.add(self, p));
        break;
      }
      case 15: {
        const auto self = in.ref();
        count(r.files.add(self, in.ref()));
        break;
      }
      case 16: {
        const auto self = in.ref();
        IoHandleRecord h;
        h.name = in.ref();
        h.file = in.ref();
        h.comm = in.ref();
        count(r.handles.add(self, h));
        break;
      }
      case 17: {
        const auto self = in.ref();
        ContextRecord context;
        context.region = in.ref();
        context.parent = in.ref();
        count(r.contexts.add(self, context));
        break;
      }
      default:
        break;
    }
  }
  return r;
}

constexpr EventKind request_kinds[] = {EventKind::send_complete, EventKind::receive_request, EventKind::cancelled};
constexpr EventKind message_kinds[] = {EventKind::send, EventKind::receive, EventKind::send_request,
                                       EventKind::receive_complete};
constexpr EventKind plain_kinds[] = {EventKind::program_begin,    EventKind::program_end,
                                     EventKind::recording_off,    EventKind::recording_on,
                                     EventKind::collective_begin, EventKind::rma_collective_begin};

/// One record. Stamps mostly grow; some jump.
void event(Bytes& in, LocationReader& r, std::uint64_t& stamp) {
  const std::uint8_t type = in.byte();
  const std::uint8_t step = in.byte();
  stamp = step < 0xF0 ? stamp + step : in.value();
  const auto t = stamp;
  switch (type % 32) {
    case 0:
      return r.enter(t, in.value());
    case 1:
      return r.leave(t, in.value());
    case 2: {
      const EventKind kind = message_kinds[in.byte() % std::size(message_kinds)];
      const auto peer = in.ref();
      const auto comm = in.value();
      return r.message(kind, t, peer, comm, in.ref(), in.value(), in.value());
    }
    case 3: {
      const EventKind kind = request_kinds[in.byte() % std::size(request_kinds)];
      return r.request(kind, t, in.value());
    }
    case 4:
      return r.plain(plain_kinds[in.byte() % std::size(plain_kinds)], t);
    case 5:
      return r.flush_buffer(t, in.value());
    case 6: {
      const EventKind kind = in.byte() % 2 == 0 ? EventKind::collective_end : EventKind::collective_complete;
      const auto op = in.byte();
      const auto comm = in.value();
      const auto root = in.ref();
      return r.collective_end(kind, t, nullptr, op, comm, root, in.value(), in.value(), in.value());
    }
    case 7:
      return r.collective_request(t, in.value());
    case 8: {
      const EventKind kind = in.byte() % 2 == 0 ? EventKind::window_create : EventKind::window_free;
      return r.window_event(kind, t, in.value());
    }
    case 9: {
      const auto op = in.byte();
      const auto window = in.value();
      const auto root = in.ref();
      const auto sent = in.value();
      return r.rma_collective_end(t, nullptr, op, window, root, sent, in.value());
    }
    case 10: {
      const auto level = in.byte();
      const auto window = in.value();
      return r.group_sync(t, nullptr, level, window, in.value());
    }
    case 11: {
      const auto flags = in.byte();
      const EventKind kind = flags % 2 == 0 ? EventKind::lock_request : EventKind::lock_release;
      const auto window = in.value();
      return r.lock(kind, t, window, in.ref(), (flags & 2) != 0, (flags & 4) != 0, nullptr);
    }
    case 12: {
      const bool put = in.byte() % 2 == 0;
      const auto window = in.value();
      const auto remote = in.ref();
      return r.transfer(put ? EventKind::put : EventKind::get, t, nullptr, window, remote, in.value(), in.value(),
                        in.value(), put ? RmaOperation::put : RmaOperation::get);
    }
    case 13: {
      const auto kind = in.byte();
      const auto window = in.value();
      const auto remote = in.ref();
      return r.atomic(t, nullptr, window, remote, kind, in.value(), in.value(), in.value());
    }
    case 14: {
      const auto window = in.value();
      return r.rma_complete(t, window, in.value());
    }
    case 15: {
      const auto window = in.value();
      return r.rma_sync(t, window, in.ref());
    }
    case 16: {
      const auto threads = in.ref();
      return r.fork(t, threads, in.value());
    }
    case 17:
      return r.join(t, in.value());
    case 18: {
      const EventKind kind = in.byte() % 2 == 0 ? EventKind::acquire : EventKind::release;
      return r.thread_lock(kind, t, in.value());
    }
    case 19: {
      const auto what = in.byte() % 4;
      const auto handle = in.value();
      const auto bytes = in.value();
      return what < 2 ? r.io_begin(t, handle, what == 1, bytes, in.value()) : r.io_end(t, handle, bytes, in.value());
    }
    case 20: {
      const auto metric = in.value();
      const auto values = in.list();
      std::vector<OTF2_Type> types;
      std::vector<OTF2_MetricValue> raw;
      for (const auto v : values) {
        constexpr OTF2_Type known[] = {OTF2_TYPE_INT64, OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_NONE};
        types.push_back(known[v % 4]);
        OTF2_MetricValue one{};
        one.unsigned_int = v;
        raw.push_back(one);
      }
      return r.metric(t, metric, static_cast<std::uint8_t>(values.size()), types.data(), raw.data());
    }
    case 21: {
      const auto parameter = in.value();
      return r.number_parameter(t, parameter, trace::metric_value(in.value()));
    }
    case 22: {
      const auto parameter = in.value();
      return r.text_parameter(t, parameter, in.value());
    }
    case 23: {
      const auto record = static_cast<UserRecord>(in.byte() % (static_cast<unsigned>(UserRecord::sample) + 1));
      const auto kind = in.byte();
      const auto what = in.value();
      const std::uint32_t name = kind % 5 == 0   ? r.comm_name(what)
                                 : kind % 5 == 1 ? r.handle_name(what)
                                 : kind % 5 == 2 ? r.file_name(what)
                                 : kind % 5 == 3 ? r.context_name(what)
                                                 : r.window_name(what);
      return r.user(record, t, name, in.value());
    }
    case 24:
      return r.enter_context(t, in.value());
    case 25:
      return r.leave_context(t, in.value());
    default:
      return;
  }
}

}  // namespace

bool read_otf2_records(std::span<const std::byte> bytes) {
  Bytes in(bytes);
  const ArchiveDefinitions d = resolve(definitions(in));
  require(d.trace.locations.size() == d.event_counts.size(), "every location has a count");
  for (CommId comm = 0; comm < d.trace.communicators.size(); ++comm) {
    std::size_t steps = 0;
    for (CommId at = comm; at != no_id; at = d.trace.communicators[at].parent)
      require(++steps <= d.trace.communicators.size(), "no communicator is its own ancestor");
    for (const std::uint32_t rank : d.trace.communicators[comm].members)
      require(rank < d.trace.world_size, "members are ranks of the world");
  }
  for (std::size_t l = 1; l < d.trace.locations.size(); ++l) {
    const Location &a = d.trace.locations[l - 1], &b = d.trace.locations[l];
    require(std::pair(a.rank, a.thread) < std::pair(b.rank, b.thread), "locations stand by rank and thread");
  }
  bool any = false;
  DataQuality quality;
  for (LocationId l = 0; l < d.trace.locations.size(); ++l) {
    PromisedStream stream(d.trace);
    std::vector<ClockOffset> offsets;
    for (const auto offset : in.list()) offsets.push_back({offset, static_cast<std::int64_t>(in.value())});
    LocationReader reader(d, l, Clock(d.resolution, d.origin, offsets), stream);
    std::uint64_t stamp = d.origin;
    const std::size_t events = in.value() % 4096;
    for (std::size_t i = 0; i < events && in.more(); ++i) event(in, reader, stamp);
    reader.finish(in.byte() % 2 == 0, reader.delivered(), quality);
    stream.end();
    any = any || reader.delivered() > 0;
  }
  return any;
}

}  // namespace mora::fuzz
