#include "predict/message_program/message_program.h"

#include <iterator>

#include <fmt/format.h>

#include "predict/prediction/requested_replay.h"
#include "trace/mpi_function.h"

namespace mora::predict {

namespace {

/// Two operations that are one blocking call.
bool is_blocking(const MessageOperation& first, const MessageOperation& second) {
  const bool pair = (first.kind == MessageOperation::send && second.kind == MessageOperation::await_sent) ||
                    (first.kind == MessageOperation::post && second.kind == MessageOperation::await_received);
  return pair && first.peer == second.peer && first.number == second.number;
}

}  // namespace

std::uint32_t MessageProgram::number_of(std::uint64_t id, std::uint32_t from, std::uint32_t to) {
  const auto at = half_known_.find(id);
  if (at != half_known_.end()) {
    const std::uint32_t number = at->second;
    half_known_.erase(at);
    ++messages_;
    return number;
  }
  return half_known_[id] = next_[std::uint64_t{from} << 32 | to]++;
}

void MessageProgram::busy(std::uint32_t rank, Nanoseconds time) {
  auto& all = ranks_[rank];
  if (all.empty() || all.back().kind != MessageOperation::compute) all.emplace_back();
  all.back().amount += static_cast<std::uint64_t>(time);
}

void MessageProgram::send(std::uint32_t rank, std::uint64_t id, std::uint32_t to, std::uint64_t bytes) {
  const std::uint32_t number = number_of(id, rank, to);
  sent_[id] = {number, to, ranks_[rank].size()};
  ranks_[rank].push_back({MessageOperation::send, to, number, bytes});
}

void MessageProgram::await_sent(std::uint32_t rank, std::uint64_t id) {
  const auto at = sent_.find(id);
  if (at == sent_.end()) return;
  const std::uint64_t bytes = ranks_[rank][at->second.operation].amount;
  ranks_[rank].push_back({MessageOperation::await_sent, at->second.peer, at->second.number, bytes});
  sent_.erase(at);
}

void MessageProgram::post(std::uint32_t rank, std::uint64_t id, std::uint32_t from) {
  const std::uint32_t number = number_of(id, from, rank);
  posted_[id] = {number, from, ranks_[rank].size()};
  ranks_[rank].push_back({MessageOperation::post, from, number, 0});
}

void MessageProgram::await_received(std::uint32_t rank, std::uint64_t id, std::uint64_t bytes) {
  const auto at = posted_.find(id);
  if (at == posted_.end()) return;
  ranks_[rank][at->second.operation].amount = bytes;
  ranks_[rank].push_back({MessageOperation::await_received, at->second.peer, at->second.number, bytes});
  posted_.erase(at);
}

void MessageProgram::other(std::uint32_t, trace::RegionId call, Untold why) {
  if (call >= definitions_.regions.size()) {
    ++left_out_["forks and joins of threads"];
    return;
  }
  const trace::Region& region = definitions_.regions[call];
  const mpi::Function& function = trace::function_of(region);
  // All come to the end of the program, where nothing follows.
  if (function.call == mpi::CallClass::init || function.call == mpi::CallClass::finalize) return;
  constexpr std::string_view which[] = {"", " whose other end is not in the trace", ", which would be a plain send"};
  ++left_out_[fmt::format("{}{}", region.name, which[static_cast<std::size_t>(why)])];
}

Result<MessageProgram> messages_of(trace::Source& source, const PredictionRequest& request) {
  MORA_TRY(const MachineNetwork machine, MachineNetwork::make(*request.machine, request.places, request.collectives,
                                                              CostModel::machine, request.machine_file));
  MessageProgram messages(source.definitions());
  replay::ReplayOptions options;
  options.progress = request.progress;
  MORA_TRY(const replay::Replayed replayed,
           replay::replay_on(source, machine, options, program_of(source.definitions(), request), messages));
  if (!replayed.blocked.empty()) return deadlock_error(source.definitions(), replayed, request.machine_file);
  return messages;
}

// Each operation is an operation of GOAL that requires the last one that its rank waited for; one that is only begun
// is nobody's requirement until it is waited for, where an empty computation requires both.
std::string goal_text(const MessageProgram& program) {
  std::string text = fmt::format("num_ranks {}\n", program.ranks().size());
  for (std::size_t rank = 0; rank < program.ranks().size(); ++rank) {
    const auto& all = program.ranks()[rank];
    auto out = std::back_inserter(text);
    fmt::format_to(out, "\nrank {} {{\n", rank);
    std::uint64_t label = 0, last = 0;
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint64_t> begun;  // is a send, peer, number: label
    const auto require = [&](std::uint64_t earlier) {
      if (earlier != 0) fmt::format_to(out, "l{} requires l{}\n", label, earlier);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      const MessageOperation& o = all[i];
      fmt::format_to(out, "l{}: ", ++label);
      switch (o.kind) {
        case MessageOperation::compute:
          fmt::format_to(out, "calc {}\n", o.amount);
          require(last);
          last = label;
          break;
        case MessageOperation::send:
        case MessageOperation::post: {
          const bool sends = o.kind == MessageOperation::send;
          fmt::format_to(out, "{} {}b {} {} tag {}\n", sends ? "send" : "recv", o.amount, sends ? "to" : "from", o.peer,
                         o.number);
          require(last);
          if (i + 1 < all.size() && is_blocking(o, all[i + 1])) {
            last = label;
            ++i;
          } else {
            begun[{sends, o.peer, o.number}] = label;
          }
          break;
        }
        case MessageOperation::await_sent:
        case MessageOperation::await_received: {
          fmt::format_to(out, "calc 0\n");
          require(last);
          const auto at = begun.find({o.kind == MessageOperation::await_sent, o.peer, o.number});
          if (at != begun.end()) {
            require(at->second);
            begun.erase(at);
          }
          last = label;
          break;
        }
      }
    }
    text += "}\n";
  }
  return text;
}

std::string simgrid_text(const MessageProgram& program, std::uint32_t rank) {
  const auto& all = program.ranks()[rank];
  std::string text = fmt::format("{} init\n", rank);
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MessageOperation& o = all[i];
    const bool blocks = i + 1 < all.size() && is_blocking(o, all[i + 1]);
    switch (o.kind) {
      case MessageOperation::compute:
        fmt::format_to(out, "{} compute {}\n", rank, o.amount);
        break;
      case MessageOperation::send:
      case MessageOperation::post:
        fmt::format_to(out, "{} {}{} {} {} {}\n", rank, blocks ? "" : "i",
                       o.kind == MessageOperation::send ? "send" : "recv", o.peer, o.number, o.amount);
        if (blocks) ++i;
        break;
      case MessageOperation::await_sent:
        fmt::format_to(out, "{} wait {} {} {}\n", rank, rank, o.peer, o.number);
        break;
      case MessageOperation::await_received:
        fmt::format_to(out, "{} wait {} {} {}\n", rank, o.peer, rank, o.number);
        break;
    }
  }
  return text + fmt::format("{} finalize\n", rank);
}

}  // namespace mora::predict
