#include "trace/readers/paje/layout.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <tuple>

namespace mora::trace::paje {
namespace {

constexpr std::uint32_t largest_rank = 1U << 20;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool has_word(const std::string& lower_text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower_text.find(word) != std::string::npos; });
}

/// What a container's type name says of it.
struct Meaning {
  bool is_process = false, is_program = false, is_thread = false, is_host = false;
  explicit Meaning(const std::string& type_name) {
    const std::string name = lower(type_name);
    is_thread = has_word(name, {"thread", "worker"});
    is_host = has_word(name, {"host", "machine"}) || name == "node";
    is_process = !is_thread && has_word(name, {"process", "rank", "mpi"});
    is_program = !is_thread && has_word(name, {"program"});
  }
};

}  // namespace

std::optional<LinkedMessages::Place> place_in_name(std::string_view name) {
  const std::string text = lower(name);
  std::string_view rest = text;
  LinkedMessages::Place place;
  const auto drop = [&](std::string_view word) {
    if (rest.substr(0, word.size()) != word) return false;
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" -_#:"), rest.size()));
    return true;
  };
  const bool mpi = drop("mpi");
  if (!drop("rank") && !drop("process") && !drop("p") && !mpi) return std::nullopt;
  const auto number = [&](std::uint32_t& value) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return error == std::errc{} && value < largest_rank;
  };
  if (!number(place.rank)) return std::nullopt;
  if (rest.empty()) return place;
  if (!drop("thread") || !number(place.thread) || !rest.empty()) return std::nullopt;
  return place;
}

void Survey::note(std::uint32_t container, std::uint32_t type) {
  if (!by_key_.try_emplace({container, type}, static_cast<std::uint32_t>(time_lines_.size())).second) return;
  time_lines_.push_back({container, type, no_id, 0});
}

void Survey::on_record(const Record& record) {
  last_ = std::max(last_, record.time);
  switch (record.name) {
    case EventName::set_state:
    case EventName::push_state:
      return note(record.container, record.type);
    case EventName::new_event:
      return note(record.container, no_id);
    case EventName::start_link:
    case EventName::end_link: {
      if (record.is_transfer) return transfer(record);
      if (!record.is_message) return;
      note(record.container, no_id);
      LinkedMessages::Half half;
      half.is_send = record.name == EventName::start_link;
      half.order = messages_.size();
      half.place = record.container;
      half.has_bytes = record.size.has_value();
      half.bytes = record.size.value_or(0);
      half.has_tag = record.tag.has_value();
      half.tag = record.tag.value_or(0);
      std::string key(record.key);
      key += '\0';
      key += std::to_string(record.type) + " " + std::to_string(record.owner);
      messages_.add(key, half);
      return;
    }
    default:
      return;
  }
}

void Survey::transfer(const Record& record) {
  note(record.container, no_id);
  const std::string key(record.key);
  if (record.name == EventName::start_link) {
    open_transfers_[key] = transfers_.size();
    Transfer& t = transfers_.emplace_back();
    t.gets = record.value == "get";
    t.from = record.container;
    t.bytes = record.size.value_or(0);
    return;
  }
  const auto open = open_transfers_.find(key);
  if (open == open_transfers_.end()) return;  // the second pass counts it
  Transfer& t = transfers_[open->second];
  t.to = record.container;
  t.end = record.time;
  t.has_end = true;
  open_transfers_.erase(open);
}

std::uint32_t Survey::time_line(std::uint32_t container, std::uint32_t type) const {
  const auto found = by_key_.find({container, type});
  return found == by_key_.end() ? no_id : found->second;
}

/// Where a container's time lines go: its rank, and its place among the threads of that rank.
struct Survey::Seat {
  std::uint32_t rank = no_id;
  std::pair<bool, std::uint32_t> order;
  std::uint32_t process = 0;
};

/// Ranks and threads from the names of the containers, if all names tell them.
bool Survey::seats_by_name(const Interpreter& interpreter, std::vector<Seat>& seats) const {
  std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
  for (const TimeLine& line : time_lines_) {
    Seat& seat = seats[line.container];
    if (seat.rank != no_id) continue;
    const auto place = place_in_name(interpreter.containers()[line.container].name);
    if (!place || !taken.insert({place->rank, place->thread}).second) return false;
    seat = {place->rank, {false, place->thread}, line.container};
  }
  // A rank far beyond the number of processes would cost memory for nothing.
  return taken.empty() || taken.rbegin()->first < 4096 + 8 * taken.size();
}

/// Ranks and threads from the types and the nesting of containers. A container that has states, links or events is a
/// thread if its type is called so, or if it lies below a process (a container whose type is called process, rank, MPI
/// or program, or one that has states itself); else it is a process. Ranks: from the names of the processes if all of
/// them tell one, else in the order of creation.
void Survey::seats_by_type(const Interpreter& interpreter, std::vector<Seat>& seats) const {
  const auto& containers = interpreter.containers();
  std::vector<Meaning> meaning;
  for (const Type& type : interpreter.types()) meaning.emplace_back(type.name);
  std::vector<bool> carries(containers.size());
  for (const TimeLine& line : time_lines_) carries[line.container] = true;

  // The innermost process around each container (parents stand before their children).
  std::vector<std::uint32_t> around(containers.size(), no_id);
  std::map<std::uint32_t, std::uint32_t> rank_of;  // processes, in the order of creation
  for (std::uint32_t c = 0; c < containers.size(); ++c) {
    const std::uint32_t parent = containers[c].parent;
    const Meaning& own = meaning[containers[c].type];
    const Meaning& above = meaning[containers[parent].type];
    const bool is_below_process = parent != 0 && (above.is_process || above.is_program);
    around[c] = is_below_process ? parent : around[parent];
    if (!carries[c]) continue;
    const bool is_thread =
        c != 0 && parent != 0 && (own.is_thread || (!own.is_process && (carries[parent] || is_below_process)));
    Seat& seat = seats[c];
    seat.process = !is_thread ? c : around[c] != no_id ? around[c] : parent;
    seat.order = {is_thread, c};
    rank_of[seat.process] = 0;
  }
  // Ranks by name if all processes have one, else in the order of creation.
  std::set<std::uint32_t> named;
  for (auto& [process, rank] : rank_of) {
    const auto place = place_in_name(containers[process].name);
    if (!place || !named.insert(place->rank).second) break;
    rank = place->rank;
  }
  if (named.size() != rank_of.size() || (!named.empty() && *named.rbegin() >= 4096 + 8 * named.size())) {
    std::uint32_t next = 0;
    for (auto& [process, rank] : rank_of) rank = next++;
  }
  for (std::uint32_t c = 0; c < containers.size(); ++c) {
    if (carries[c]) seats[c].rank = rank_of[seats[c].process];
  }
}

Result<void> Survey::lay_out(const Interpreter& interpreter) {
  const auto& containers = interpreter.containers();
  std::vector<Seat> seats(containers.size());
  if (!seats_by_name(interpreter, seats)) {
    seats.assign(containers.size(), Seat{});
    seats_by_type(interpreter, seats);
  }
  std::vector<bool> has_states(containers.size()), is_seated(containers.size());
  for (const TimeLine& line : time_lines_) {
    if (line.type != no_id) has_states[line.container] = true;
  }
  // Threads: first the containers of a rank, then what other state types they have. Lines without states serve only
  // containers that have no other.
  using Key = std::tuple<std::uint32_t, bool, std::pair<bool, std::uint32_t>, std::uint32_t>;
  std::vector<Key> order;
  for (std::uint32_t l = 0; l < time_lines_.size(); ++l) {
    const std::uint32_t c = time_lines_[l].container;
    if (time_lines_[l].type == no_id && has_states[c]) continue;
    order.emplace_back(seats[c].rank, is_seated[c], seats[c].order, l);
    is_seated[c] = true;
  }
  std::sort(order.begin(), order.end());
  first_line_.assign(containers.size(), no_id);
  std::uint32_t threads = 0;
  std::uint32_t rank_before = no_id;
  for (const auto& [rank, is_other, seat_order, l] : order) {
    TimeLine& line = time_lines_[l];
    const Seat& seat = seats[line.container];
    if (rank != rank_before) threads = 0;
    rank_before = line.rank = rank;
    line.thread = threads++;
    if (first_line_[line.container] == no_id) first_line_[line.container] = l;
    if (first_line_[seat.process] == no_id) first_line_[seat.process] = l;
    if (hosts_.size() <= rank) hosts_.resize(rank + 1);
    const std::uint32_t host = containers[seat.process].parent;
    if (host != 0 && Meaning(interpreter.types()[containers[host].type].name).is_host)
      hosts_[rank] = containers[host].name;
  }
  std::vector<LinkedMessages::Place> places(containers.size());
  for (std::uint32_t c = 0; c < containers.size(); ++c) {
    if (first_line_[c] != no_id) places[c] = {time_lines_[first_line_[c]].rank, time_lines_[first_line_[c]].thread};
  }
  return messages_.link(places, 0);
}

}  // namespace mora::trace::paje
