/// Nodes and slots: hostfiles, --host, granted nodes, relative names (+n, +e), default slots. The pool holds all known
/// nodes, the one of mpirun first; hostfile and --host then choose from it and limit slots. Source: Open MPI 4.1,
/// orte/util/hostfile and orte/util/dash_host, mpirun(1). Cost: linear in nodes. Rules `hostfile-errors`,
/// `hostfiles-and-names` (docs/rules.md).
#include "predict/placement/openmpi/words/hosts.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/file.h"
#include "predict/placement/openmpi/words/host_tokens.h"
#include "predict/placement/openmpi/words/refusal.h"
#include "predict/placement/openmpi/words/spelling.h"

namespace mora::predict::openmpi {

namespace {

using Kind = HostToken::Kind;

bool is_address(std::string_view name) {
  return std::count(name.begin(), name.end(), '.') == 3 &&
         name.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool names_slots(std::string_view word) { return word == "slots" || word == "cpu" || word == "count"; }

bool names_max_slots(std::string_view word) {
  static const std::set<std::string_view> spellings = {"slots-max", "slots_max", "max-slots", "max_slots",
                                                       "cpu-max",   "cpu_max",   "max-cpu",   "max_cpu",
                                                       "count-max", "count_max", "max-count", "max_count"};
  return spellings.count(word) != 0;
}

bool names_user(std::string_view word) { return word == "username" || word == "user-name" || word == "user_name"; }

/// Words that mpirun knows and that have no meaning in this place.
bool is_reserved(std::string_view word) {
  static const std::set<std::string_view> words = {"rank",
                                                   "slot",
                                                   "boards",
                                                   "sockets",
                                                   "sockets_per_board",
                                                   "sockets-per-board",
                                                   "cores",
                                                   "cores_per_socket",
                                                   "cores-per-socket",
                                                   "cpu_set",
                                                   "cpu-set"};
  return words.count(word) != 0;
}

bool is_keyword(std::string_view word) {
  return names_slots(word) || names_max_slots(word) || names_user(word) || word == "port" || is_reserved(word);
}

class HostReader {
 public:
  HostReader(std::string_view text, std::string file, std::string_view head_node)
      : tokens_(host_tokens(text, HostText::hostfile)), file_(std::move(file)), head_node_(head_node) {}

  Result<std::vector<Host>> read() {
    while (now().kind != Kind::end) {
      const HostToken& token = now();
      if (token.kind == Kind::newline) {
        ++at_;
      } else if (token.kind == Kind::word && token.text == "rank") {
        MORA_CHECK_OK(read_rank_line());
      } else if ((token.kind == Kind::word && !is_keyword(token.text)) || token.kind == Kind::number) {
        MORA_CHECK_OK(read_line());
      } else if (token.kind == Kind::relative) {
        return fail(ErrorKind::unreadable,
                    fmt::format("'{}' names nodes of an allocation, and there is none", token.text), place(token),
                    "relative names (+n, +e) in a hostfile need an allocation of a resource manager");
      } else {
        return bad_token(file_, token, "expected the name of a node");
      }
    }
    return std::move(hosts_);
  }

 private:
  const HostToken& now() const { return tokens_[at_]; }
  std::string place(const HostToken& token) const { return fmt::format("{}:{}:{}", file_, token.line, token.column); }

  /// The node of "user@node.site"; a name that stands for this machine becomes the head node's.
  Result<std::string> node_name(const HostToken& token) const {
    const std::vector<std::string> parts = split(token.text, '@');
    if (parts.empty() || parts.size() > 2) return bad_token(file_, token, "expected the name of a node, or user@node");
    const std::string name = short_name(parts.back());
    return is_here(name, head_node_) ? std::string(head_node_) : name;
  }

  Host& host(const std::string& name, bool& is_new, std::uint32_t line) {
    const auto [known, inserted] = position_.emplace(name, hosts_.size());
    is_new = inserted;
    if (!inserted) return hosts_[known->second];
    hosts_.push_back({name, 1, 0, false, is_here(name, head_node_), line});
    return hosts_.back();
  }

  Result<void> read_rank_line() {
    while (now().kind != Kind::equals) {
      if (now().kind == Kind::end) return bad_token(file_, now(), "expected rank N=NODE");
      ++at_;
    }
    ++at_;
    if (now().kind != Kind::word && now().kind != Kind::number)
      return bad_token(file_, now(), "expected the name of a node");
    MORA_TRY(const std::string name, node_name(now()));
    bool is_new = false;
    Host& node = host(name, is_new, now().line);
    if (!is_new) ++node.slots;
    node.slots_given = true;
    while (now().kind != Kind::newline && now().kind != Kind::end) ++at_;
    return {};
  }

  Result<std::int64_t> value() {
    const HostToken key = now();
    ++at_;
    if (now().kind != Kind::equals)
      return bad_token(file_, now(), fmt::format("expected '=' and a number after {}", key.text));
    ++at_;
    if (now().kind != Kind::number) return bad_token(file_, now(), "expected a whole number");
    return leading_number(tokens_[at_++].text);
  }

  Result<void> read_line() {
    MORA_TRY(const std::string name, node_name(now()));
    bool is_new = false;
    Host& node = host(name, is_new, now().line);
    if (!is_new) {
      ++node.slots;
      node.slots_given = true;
    }
    ++at_;
    bool max_told = false;
    while (now().kind != Kind::newline && now().kind != Kind::end) {
      const HostToken token = now();
      if (token.kind == Kind::word && names_slots(token.text)) {
        MORA_TRY(const std::int64_t slots, value());
        if (node.slots_given) {
          return fail(ErrorKind::unreadable, fmt::format("the slots of {} are given twice", name), place(token),
                      "a node is named once for each slot, or once with slots=N");
        }
        node.slots = slots;
        node.slots_given = true;
        if (node.max_slots != 0) node.max_slots = std::max(node.max_slots, slots);
      } else if (token.kind == Kind::word && names_max_slots(token.text)) {
        MORA_TRY(const std::int64_t most, value());
        if (most < node.slots) {
          return fail(ErrorKind::unreadable, "max-slots is less than slots", place(token),
                      fmt::format("{} has {} slots", name, node.slots));
        }
        max_told = max_told || node.max_slots != most;
        node.max_slots = most;
      } else if (token.kind == Kind::word && names_user(token.text)) {
        ++at_;
        if (now().kind == Kind::equals) ++at_;
        if (now().kind == Kind::word) ++at_;
      } else if (token.kind == Kind::word && token.text == "port") {
        MORA_CHECK_OK(value());
      } else if ((token.kind == Kind::word && !is_reserved(token.text)) || token.kind == Kind::number) {
        ++at_;
      } else {
        return bad_token(file_, token, "expected slots=N, max-slots=N or the end of the line");
      }
    }
    if (max_told && !node.slots_given) {
      node.slots = node.max_slots;
      node.slots_given = true;
    }
    return {};
  }

  std::vector<HostToken> tokens_;
  std::string file_, head_node_;
  std::size_t at_ = 0;
  std::vector<Host> hosts_;
  std::unordered_map<std::string, std::size_t> position_;  ///< of a name in hosts_
};

/// Nodes named by position: "+n2", and by being idle: "+e", "+e:3". `here_granted`: +n0 is the node of mpirun.
Result<void> resolve_relative(const std::string& word, std::string_view first_word, const std::vector<Host>& pool,
                              bool here_granted, std::vector<std::string>& names) {
  const char kind = word.size() > 1 ? static_cast<char>(std::tolower(static_cast<unsigned char>(word[1]))) : ' ';
  if (kind == 'e') {
    // every node is idle before the job, also mpirun's own; that is removed later if the job may not use it
    std::size_t count = pool.size();
    if (const std::size_t colon = word.find(':'); colon != std::string::npos) {
      count = std::strtoul(word.c_str() + colon + 1, nullptr, 10);
    } else if (first_word.size() > 2) {  // mpirun looks for the number in the first word of the list
      count = std::strtoul(std::string(first_word.substr(2)).c_str(), nullptr, 10);
    }
    for (std::size_t node = 0; node < std::min(count, pool.size()); ++node) names.push_back(pool[node].name);
    return {};
  }
  if (kind != 'n' || word.size() == 2)
    return refuse("wrong host", fmt::format("'{}' does not name a node by its position", word), "+n2, +e or +e:3");
  const std::int64_t index = leading_number(word.substr(2)) + (here_granted ? 0 : 1);
  if (index < 0 || index >= static_cast<std::int64_t>(pool.size())) {
    return refuse("no hosts", fmt::format("there is no node {}", word),
                  fmt::format("there are {}", pool.size() - (here_granted ? 0 : 1)));
  }
  names.push_back(pool[static_cast<std::size_t>(index)].name);
  return {};
}

/// --host as nodes to be allocated. A node that stands twice gets the sum.
std::vector<Host> hosts_of_option(const std::string& text, std::string_view head_node) {
  std::vector<Host> hosts;
  std::unordered_map<std::string, std::size_t> position;  // of a name in hosts
  std::int64_t slots = 0;  // mpirun keeps the number of an entry for those behind it, as far as it is less than zero
  for (const std::string& word : split(text, ',')) {
    if (word.front() == '+') continue;
    const std::size_t colon = word.find(':');
    bool given = false;
    if (colon != std::string::npos) {
      const std::string count = word.substr(colon + 1);
      given = !(count.starts_with('*') || count == "auto");
      slots = given ? leading_number(count) : -1;
    }
    std::string name = word.substr(0, colon);
    name = is_here(name, head_node) ? std::string(head_node) : short_name(name);
    if (const auto [known, is_new] = position.emplace(name, hosts.size()); !is_new) {
      Host& host = hosts[known->second];
      host.slots += given ? slots : 1;
      host.slots_given = host.slots_given || !given || slots > 0;
      continue;
    }
    Host host{name, 1, 0, true, is_here(name, head_node), 0};
    if (given) {
      host.slots = slots;
      host.slots_given = slots >= 0;
    } else if (slots < 0) {
      host.slots = 0;
      host.slots_given = false;
    }
    hosts.push_back(std::move(host));
  }
  return hosts;
}

Result<std::optional<std::int64_t>> default_slots(const Command& command, const Policies& policies,
                                                  const std::optional<Topology>& topology) {
  const std::string by = command.default_slots.value_or(policies.default_slots_are_threads ? "hwthreads" : "cores");
  const auto count = [&](Level level) -> std::optional<std::int64_t> {
    if (!topology) return std::nullopt;
    return static_cast<std::int64_t>(topology->at(level).size());
  };
  if (by == "cores") return count(Level::core);
  if (by == "sockets") return count(Level::package);
  if (by == "numas") return count(Level::numa);
  if (by == "hwthreads") return count(Level::hwthread);
  return leading_number(by);
}

/// The nodes that hostfiles or --host name, with relative names resolved.
Result<std::vector<Host>> asked_hosts(const OpenMpiRequest& request, const Command& command,
                                      const Allocation& allocation) {
  if (!command.hosts) {
    MORA_TRY(const std::string text, file_text(request, command.hostfiles.front()));
    return read_host_entries(text, command.hostfiles.front(), request.head_node);
  }
  std::string resolved;
  const std::vector<std::string> words = split(*command.hosts, ',');
  for (const std::string& word : words) {
    std::vector<std::string> names = {word};
    if (word.front() == '+') {
      names.clear();
      MORA_CHECK_OK(resolve_relative(word, words.front(), allocation.pool, allocation.here_granted, names));
    }
    for (const std::string& name : names) resolved += (resolved.empty() ? "" : ",") + name;
  }
  return hosts_of_option(resolved, request.head_node);
}

}  // namespace

bool is_here(std::string_view name, std::string_view head_node) {
  return name == head_node || short_name(head_node) == name || lower(name) == "localhost" ||
         (is_address(name) && name.starts_with("127."));
}

std::string short_name(std::string_view name) {
  return std::string(is_address(name) ? name : name.substr(0, name.find('.')));
}

Result<std::vector<Host>> read_host_entries(std::string_view text, const std::string& file,
                                            std::string_view head_node) {
  return HostReader(text, file, head_node).read();
}

Result<std::string> file_text(const OpenMpiRequest& request, const std::string& name) {
  if (const auto given = request.files.find(name); given != request.files.end()) return given->second;
  return read_file(name);
}

Result<Allocation> allocate(const OpenMpiRequest& request, const Command& command, const Policies& policies) {
  Allocation allocation;
  std::vector<Host> named;
  const auto from_file = [&](const std::string& name) -> Result<void> {
    MORA_TRY(const std::string text, file_text(request, name));
    MORA_TRY(named, read_host_entries(text, name, request.head_node));
    return {};
  };
  const bool granted = !request.granted.empty();
  for (const OpenMpiRequest::Granted& node : request.granted) {
    named.push_back({node.name, node.slots, node.max_slots, true, is_here(node.name, request.head_node), 0});
  }
  if (named.empty() && command.rankfile) MORA_CHECK_OK(from_file(*command.rankfile));
  if (named.empty() && command.hosts) named = hosts_of_option(*command.hosts, request.head_node);
  if (named.empty() && !command.hostfiles.empty()) MORA_CHECK_OK(from_file(command.hostfiles.front()));
  if (named.empty() && command.default_hostfile) MORA_CHECK_OK(from_file(*command.default_hostfile));
  if (named.empty()) named.push_back({request.head_node, 1, 0, false, true, 0});

  allocation.pool.push_back({request.head_node, 0, 0, false, true, 0});
  for (Host& host : named) {
    if (host.here) {
      allocation.here_granted = true;
      allocation.pool.front() = host;
      allocation.pool.front().name = request.head_node;
    } else {
      allocation.pool.push_back(std::move(host));
    }
  }
  MORA_TRY(const std::optional<std::int64_t> slots, default_slots(command, policies, request.topology));
  for (Host& host : allocation.pool) {
    if (!host.slots_given && slots) {
      host.slots = *slots;
      host.slots_given = true;
    }
  }

  std::vector<std::uint32_t> known;
  for (std::uint32_t node = allocation.here_granted ? 0 : 1; node < allocation.pool.size(); ++node)
    known.push_back(node);
  if (command.hosts || !command.hostfiles.empty()) {
    MORA_TRY(const std::vector<Host> asked, asked_hosts(request, command, allocation));
    if (asked.empty()) return refuse("no hosts", "no node is named");
    std::unordered_map<std::string, const Host*> by_name;
    for (const Host& host : asked) by_name.emplace(host.name, &host);
    for (std::uint32_t node = 0; node < allocation.pool.size(); ++node) {
      Host& host = allocation.pool[node];
      const auto found = by_name.find(host.name);
      if (found == by_name.end()) continue;
      // a part of what was granted, also if the number is none; hostfiles cannot take a part
      if (granted && command.hosts) host.slots = std::min(host.slots, found->second->slots);
      allocation.usable.push_back(node);
    }
  } else {
    allocation.usable = known;
  }

  allocation.counted = allocation.usable;
  if (!allocation.here_granted) std::erase(allocation.counted, 0U);
  std::erase_if(allocation.usable, [&](std::uint32_t node) {
    if (node == 0 && (!allocation.here_granted || policies.mapping.no_local)) return true;
    return allocation.pool[node].slots <= 0 && allocation.pool[node].slots_given && !policies.mapping.oversubscribe;
  });
  if (allocation.usable.empty()) return refuse("no hosts", "no node is left that the job may use");
  for (const std::uint32_t node : allocation.usable) {
    if (!allocation.pool[node].slots_given) {
      return fail(ErrorKind::usage, fmt::format("the slots of node {} are not known", allocation.pool[node].name), {},
                  "where they are not given mpirun takes the number of cores, which is known from the topology only",
                  "give the topology, or slots=N in the hostfile");
    }
  }
  return allocation;
}

Result<std::vector<SequenceEntry>> read_sequence(const OpenMpiRequest& request, const Command& command,
                                                 const Allocation& allocation) {
  std::vector<SequenceEntry> entries;
  if (command.hosts) {
    const std::vector<std::string> words = split(*command.hosts, ',');
    for (const std::string& word : words) {
      std::vector<std::string> names;
      if (word.front() == '+') {
        MORA_CHECK_OK(resolve_relative(word, words.front(), allocation.pool, allocation.here_granted, names));
      } else {
        const std::string name = word.substr(0, word.find(':'));
        names.push_back(is_here(name, request.head_node) ? request.head_node : name);
      }
      for (const std::string& name : names) entries.push_back({name, {}, {}});
    }
    return entries;
  }
  const std::optional<std::string> file =
      !command.hostfiles.empty() ? command.hostfiles.front() : command.default_hostfile;
  if (!file) return refuse("no hosts", "a sequential map needs a hostfile or --host");
  MORA_TRY(const std::string text, file_text(request, *file));
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    // mpirun cuts off the last character of a line, which is not always its end
    if (end == text.size() && !line.empty()) line.pop_back();
    at = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = line.find(' ');
    std::string cpus = blank == std::string::npos ? std::string() : line.substr(blank + 1);
    while (cpus.size() > 1 && std::isspace(static_cast<unsigned char>(cpus.back())) != 0) cpus.pop_back();
    entries.push_back({short_name(line.substr(0, blank)), cpus, fmt::format("{}:{}:1", *file, number)});
  }
  return entries;
}

}  // namespace mora::predict::openmpi
