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

std::uint32_t rank_in_name(std::string_view name) {
  const std::string text = lower(name);
  std::string_view rest = text;
  const auto drop = [&](std::string_view word) {
    if (rest.substr(0, word.size()) != word) return false;
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" -_#:"), rest.size()));
    return true;
  };
  const bool mpi = drop("mpi");
  if (!drop("rank") && !drop("process") && !drop("p") && !mpi) return no_id;
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
  if (error != std::errc{} || end != rest.data() + rest.size() || rank >= largest_rank) return no_id;
  return rank;
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

std::uint32_t Survey::time_line(std::uint32_t container, std::uint32_t type) const {
  const auto found = by_key_.find({container, type});
  return found == by_key_.end() ? no_id : found->second;
}

void Survey::lay_out(const Interpreter& interpreter) {
  const auto& containers = interpreter.containers();
  const auto& types = interpreter.types();
  std::vector<Meaning> meaning;
  for (const Type& type : types) meaning.emplace_back(type.name);

  // Lines without states serve only containers that have no other.
  std::vector<bool> has_states(containers.size()), carries(containers.size());
  for (const TimeLine& line : time_lines_) {
    carries[line.container] = true;
    if (line.type != no_id) has_states[line.container] = true;
  }
  // The innermost process around each container (parents stand before their children).
  std::vector<std::uint32_t> around(containers.size(), no_id);
  for (std::uint32_t c = 1; c < containers.size(); ++c) {
    const std::uint32_t parent = containers[c].parent;
    const Meaning& m = meaning[containers[parent].type];
    around[c] = parent != 0 && (m.is_process || m.is_program) ? parent : around[parent];
  }
  // The process of each container that carries something.
  std::vector<std::uint32_t> process(containers.size(), no_id);
  std::vector<std::uint32_t> processes;
  std::vector<bool> is_known(containers.size());
  for (std::uint32_t c = 0; c < containers.size(); ++c) {
    if (!carries[c]) continue;
    const std::uint32_t parent = containers[c].parent;
    const Meaning& own = meaning[containers[c].type];
    const Meaning& above = meaning[containers[parent].type];
    const bool is_thread =
        parent != 0 && (own.is_thread || (!own.is_process && (carries[parent] || above.is_process || above.is_program)));
    process[c] = !is_thread ? c : around[c] != no_id ? around[c] : parent;
    if (!is_known[process[c]]) processes.push_back(process[c]);
    is_known[process[c]] = true;
  }
  // Ranks: by name if all names agree, else in the order of creation.
  std::sort(processes.begin(), processes.end());
  std::map<std::uint32_t, std::uint32_t> rank_of;
  std::set<std::uint32_t> named;
  for (const std::uint32_t p : processes) {
    const std::uint32_t rank = rank_in_name(containers[p].name);
    if (rank == no_id || !named.insert(rank).second) break;
    rank_of[p] = rank;
  }
  // A rank far beyond the number of processes would cost memory for nothing.
  if (rank_of.size() != processes.size() || (!named.empty() && *named.rbegin() >= 4096 + 8 * processes.size())) {
    rank_of.clear();
    for (const std::uint32_t p : processes) rank_of[p] = static_cast<std::uint32_t>(rank_of.size());
  }
  // Threads in the order of their containers (a process's own lines first), then of their first state.
  std::vector<std::uint32_t> order;
  for (std::uint32_t l = 0; l < time_lines_.size(); ++l) {
    if (time_lines_[l].type != no_id || !has_states[time_lines_[l].container]) order.push_back(l);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = time_lines_[a].container;
    const std::uint32_t y = time_lines_[b].container;
    return std::tuple(process[x], x != process[x], x) < std::tuple(process[y], y != process[y], y);
  });
  first_line_.assign(containers.size(), no_id);
  std::map<std::uint32_t, std::uint32_t> threads;
  for (const std::uint32_t l : order) {
    TimeLine& line = time_lines_[l];
    const std::uint32_t p = process[line.container];
    line.rank = rank_of[p];
    line.thread = threads[p]++;
    if (first_line_[line.container] == no_id) first_line_[line.container] = l;
    if (first_line_[p] == no_id) first_line_[p] = l;
    if (hosts_.size() <= line.rank) hosts_.resize(line.rank + 1);
    const std::uint32_t host = containers[p].parent;
    if (host != 0 && meaning[containers[host].type].is_host) hosts_[line.rank] = containers[host].name;
  }
  std::vector<LinkedMessages::Place> places(containers.size());
  for (std::uint32_t c = 0; c < containers.size(); ++c) {
    if (first_line_[c] != no_id) places[c] = {time_lines_[first_line_[c]].rank, time_lines_[first_line_[c]].thread};
  }
  messages_.link(places);
}

}  // namespace mora::trace::paje
