// trace.messages(), trace.transfers(), trace.collectives(): one row for each of them, as columns.
//
// One pass over the view's columns without the GIL; who belongs to whom is what the index says (forward and backward
// pointers), so no pairing happens here. Times are seconds (float64) by the trace's clock, NaN where an end is missing;
// numbers of events are 0 there, ids that are unknown -1. Cost: O(events); memory: the columns that are returned.

#include <fmt/format.h>

#include <algorithm>

#include "python/bindings.h"
#include "python/frame_columns.h"
#include "python/trace/errors.h"

namespace py = pybind11;

namespace mora::python {
namespace {

using trace::EventColumns;
using trace::EventDetail;
using T = trace::EarlType;

constexpr std::uint64_t most_nodes = 16384;

std::int32_t rank_of(const trace::Definitions& d, std::uint32_t location) {
  return static_cast<std::int32_t>(d.locations[location].rank);
}

py::dict message_rows(TraceCore& core) {
  return frame_of(core, [](const FrameInput& in, py::dict& out) {
    const EventColumns& c = in.columns;
    std::vector<std::uint32_t> send, recv;
    std::vector<std::int32_t> src, dest, tag, comm;
    std::vector<double> send_time, recv_time;
    std::vector<std::int64_t> bytes;
    {
      py::gil_scoped_release unlocked;
      for (std::uint64_t i = 0; i < c.size; ++i) {
        const bool sends = c.type[i] == T::send;
        if (!sends && c.type[i] != T::recv) continue;
        const EventDetail row = c.detail_of(i);
        if (!sends && (row.link != 0 || c.forward[i] != 0)) continue;  // its SEND's row
        const std::uint32_t here = static_cast<std::uint32_t>(i + 1), other = sends ? c.forward[i] : 0;
        const std::int32_t peer = static_cast<std::int32_t>(row.peer);
        send.push_back(sends ? here : 0);
        recv.push_back(sends ? other : here);
        src.push_back(sends ? rank_of(in.definitions, c.location[i]) : peer);
        dest.push_back(sends ? peer : rank_of(in.definitions, c.location[i]));
        send_time.push_back(sends ? in.seconds_at(here) : no_time);
        recv_time.push_back(in.seconds_at(sends ? other : here));
        // The receiver's length is right in every format (docs/user/python.md).
        bytes.push_back(static_cast<std::int64_t>(other != 0 ? c.detail_of(other - 1).bytes : row.bytes));
        tag.push_back(static_cast<std::int32_t>(row.kind));
        comm.push_back(static_cast<std::int32_t>(row.comm));
      }
    }
    put(out, "send", send, "recv", recv, "src", src, "dest", dest, "send_time", send_time, "recv_time", recv_time,
        "bytes", bytes, "tag", tag, "com", comm);
  });
}

/// 0 put, 1 get, 2 atomic: indices in the categories of mora/_trace/frames.py.
py::dict transfer_rows(TraceCore& core) {
  return frame_of(core, [](const FrameInput& in, py::dict& out) {
    const EventColumns& c = in.columns;
    std::vector<std::uint8_t> kind;
    std::vector<std::uint32_t> start, end;
    std::vector<std::int32_t> origin, target, src, dest, window;
    std::vector<double> asked, begin, finish;
    std::vector<std::int64_t> sent, received;
    std::vector<std::uint64_t> rmaid;
    {
      py::gil_scoped_release unlocked;
      for (std::uint64_t i = 0; i < c.size; ++i) {
        const T type = c.type[i];
        if (type != T::put_1ts && type != T::get_1ts && type != T::atomic_1ts) continue;
        const EventDetail row = c.detail_of(i);
        const bool gets = type == T::get_1ts;  // stands at the target, where the data come from
        const std::int32_t here = rank_of(in.definitions, c.location[i]), peer = static_cast<std::int32_t>(row.peer);
        const auto number = static_cast<std::uint32_t>(i + 1);
        kind.push_back(gets ? 1 : type == T::put_1ts ? 0 : 2);
        start.push_back(number);
        end.push_back(c.forward[i]);
        origin.push_back(gets ? peer : here);
        target.push_back(gets ? here : peer);
        src.push_back(here);
        dest.push_back(peer);
        window.push_back(static_cast<std::int32_t>(row.window));
        rmaid.push_back(row.id);
        asked.push_back(in.seconds_at(gets && row.link != 0 ? row.link : number));
        begin.push_back(in.seconds_at(number));
        finish.push_back(in.seconds_at(c.forward[i]));
        sent.push_back(static_cast<std::int64_t>(row.bytes));
        received.push_back(c.forward[i] == 0 ? 0 : static_cast<std::int64_t>(c.detail_of(c.forward[i] - 1).received));
      }
    }
    put(out, "kind", kind, "start", start, "end", end, "origin", origin, "target", target, "src", src, "dest", dest,
        "win", window, "rmaid", rmaid, "asked_time", asked, "start_time", begin, "end_time", finish, "bytes", sent,
        "received", received);
  });
}

py::dict collective_rows(TraceCore& core) {
  return frame_of(core, [](const FrameInput& in, py::dict& out) {
    const EventColumns& c = in.columns;
    std::vector<std::uint8_t> operation;
    std::vector<std::uint32_t> first, members;
    std::vector<std::int32_t> comm, window, root, region;
    std::vector<double> first_enter, last_enter, first_exit, last_exit;
    std::vector<std::int64_t> sent, received;
    {
      py::gil_scoped_release unlocked;
      for (std::uint64_t i = 0; i < c.size; ++i) {
        if ((c.type[i] != T::mpicexit && c.type[i] != T::mpiwcexit) || c.detail_of(i).link != 0) continue;
        const EventDetail row = c.detail_of(i);
        std::uint32_t count = 0;
        Nanoseconds early = INT64_MAX, late = INT64_MIN, last = 0;
        std::uint64_t all_sent = 0, all_received = 0;
        for (std::uint64_t p = i + 1; p != 0; p = c.forward[p - 1]) {
          ++count;
          const EventDetail member = c.detail_of(p - 1);
          all_sent += member.bytes;
          all_received += member.received;
          last = c.time[p - 1];
          if (c.enter[p - 1] == 0) continue;
          early = std::min(early, c.time[c.enter[p - 1] - 1]);
          late = std::max(late, c.time[c.enter[p - 1] - 1]);
        }
        const bool entered = early != INT64_MAX;
        first.push_back(static_cast<std::uint32_t>(i + 1));
        operation.push_back(row.collective);
        region.push_back(c.enter[i] == 0 ? -1 : static_cast<std::int32_t>(c.region(c.enter[i] - 1)));
        comm.push_back(static_cast<std::int32_t>(row.comm));
        window.push_back(static_cast<std::int32_t>(row.window));
        root.push_back(c.type[i] == T::mpicexit ? static_cast<std::int32_t>(row.peer) : -1);
        members.push_back(count);
        first_enter.push_back(entered ? seconds(early, in.shift) : no_time);
        last_enter.push_back(entered ? seconds(late, in.shift) : no_time);
        first_exit.push_back(in.seconds_at(i + 1));
        last_exit.push_back(seconds(last, in.shift));
        sent.push_back(static_cast<std::int64_t>(all_sent));
        received.push_back(static_cast<std::int64_t>(all_received));
      }
    }
    put(out, "collective", operation, "region", region, "com", comm, "win", window, "root", root, "members", members,
        "first_enter", first_enter, "last_enter", last_enter, "first_exit", first_exit, "last_exit", last_exit, "sent",
        sent, "received", received, "first", first);
  });
}

py::array comm_matrix(TraceCore& core, bool counts) {
  py::array result;
  frame_of(core, [&](const FrameInput& in, py::dict&) {
    const EventColumns& c = in.columns;
    const std::uint64_t nodes = in.nodes;
    if (nodes > most_nodes)
      throw_usage_error(fmt::format("a matrix of {} x {} nodes is too large", nodes, nodes), "",
                        "sum up the columns src, dest and bytes of trace.messages()");
    std::vector<std::int64_t> cells(nodes * nodes, 0);
    {
      py::gil_scoped_release unlocked;
      for (std::uint64_t i = 0; i < c.size; ++i) {
        // Of a message that was received its RECV, which says how long it was.
        const bool receives = c.type[i] == T::recv;
        if (!receives && (c.type[i] != T::send || c.forward[i] != 0)) continue;
        const EventDetail row = c.detail_of(i);
        if (row.peer >= nodes || (receives && row.link == 0 && c.forward[i] == 0)) continue;
        const std::uint64_t here = in.definitions.locations[c.location[i]].rank;
        cells[receives ? row.peer * nodes + here : here * nodes + row.peer] +=
            counts ? 1 : static_cast<std::int64_t>(row.bytes);
      }
    }
    result = array_of(std::move(cells)).reshape({static_cast<py::ssize_t>(nodes), static_cast<py::ssize_t>(nodes)});
  });
  return result;
}

/// (edges [bins + 1], counts [bins]) of the messages' bytes; bounds as NumPy's histogram() has them.
py::tuple message_histogram(TraceCore& core, std::uint64_t bins) {
  py::array edges, counts;
  frame_of(core, [&](const FrameInput& in, py::dict&) {
    const EventColumns& c = in.columns;
    std::vector<std::uint64_t> bytes;
    std::vector<double> bounds;
    std::vector<std::int64_t> heights(bins, 0);
    {
      py::gil_scoped_release unlocked;
      for (std::uint64_t i = 0; i < c.size; ++i) {
        // Of a message that was received its RECV.
        if (c.type[i] == T::recv || (c.type[i] == T::send && c.forward[i] == 0)) bytes.push_back(c.detail_of(i).bytes);
      }
      const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
      const std::uint64_t low = bytes.empty() ? 0 : *least, span = bytes.empty() ? 1 : *most - low;
      const double from = span == 0 ? static_cast<double>(low) - 0.5 : static_cast<double>(low);
      const double width = (span == 0 ? 1.0 : static_cast<double>(span)) / static_cast<double>(bins);
      for (std::uint64_t bin = 0; bin <= bins; ++bin) bounds.push_back(from + width * static_cast<double>(bin));
      for (const std::uint64_t value : bytes) {
        const auto at = span == 0
                            ? bins / 2
                            : static_cast<std::uint64_t>(static_cast<unsigned __int128>(value - low) * bins / span);
        ++heights[std::min(at, bins - 1)];
      }
    }
    edges = array_of(std::move(bounds));
    counts = array_of(std::move(heights));
  });
  return py::make_tuple(edges, counts);
}

}  // namespace

void bind_frames(TraceClass& trace) {
  trace.def("message_rows", message_rows);
  trace.def("transfer_rows", transfer_rows);
  trace.def("collective_rows", collective_rows);
  trace.def("comm_matrix", comm_matrix);
  trace.def("message_histogram", message_histogram);
}

}  // namespace mora::python
