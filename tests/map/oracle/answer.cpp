/// Answers requests to mpirun as Mora places them, for comparing with what mpirun says: a request a line on the
/// standard input, an answer a line.
///
///     TOPOLOGY \t WORDS \t NAME=TEXT \t …       words separated by blanks, '' is an empty one; in TEXT "\n" is the
///                                                end of a line; GRANTED=n0 4 n1 2 is what a resource manager granted
///     refused KIND                               or the same form as real_mpirun.py's answer_text
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "base/text/rank_words.h"
#include "predict/placement/openmpi/openmpi_placement.h"
#include "predict/placement/openmpi/picture.h"

namespace {

using namespace mora::predict::openmpi;  // NOLINT: a program of one page

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
      continue;
    }
    const char next = text[++at];
    plain += next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
  }
  return plain;
}

std::string threads_text(const std::vector<std::uint32_t>& threads, const Topology* topology) {
  if (threads.empty()) return "-";
  return topology != nullptr && threads.size() == topology->whole().size() ? "*" : mora::ranges_text(threads);
}

std::string answer(const OpenMpiRequest& request) {
  const auto placed = place_openmpi(request);
  if (!placed) return fmt::format("refused {}: {}", placed.error().why, placed.error().what);
  const Topology* const topology = request.topology ? &*request.topology : nullptr;
  std::string text = fmt::format("{}/{}/{}", placed->mapping, placed->ranking, placed->binding);
  for (const NodePlace& node : placed->nodes) {
    fmt::format_to(std::back_inserter(text), " | {} {} {} ", node.name, node.slots, node.max_slots);
    bool first = true;
    for (const std::uint32_t rank : node.ranks) {
      const RankPlace& place = placed->ranks[rank];
      fmt::format_to(std::back_inserter(text), "{}{}:{}:{}", first ? "" : " ", rank,
                     place.locale == "node" ? "*" : threads_text(place.locale_hwthreads, topology),
                     threads_text(place.hwthreads, topology));
      first = false;
    }
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  const bool one_process = count > 1 && std::string(arguments[1]) == "--one-process";
  std::map<std::string, Topology> topologies;
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::vector<std::string> fields = fields_of(line);
    OpenMpiRequest request;
    request.one_process_binds = one_process;
    if (!fields[0].empty()) {
      if (topologies.count(fields[0]) == 0) {
        auto topology = load_topology(fields[0]);
        if (!topology) {
          std::cout << "no topology: " << topology.error().text() << '\n';
          continue;
        }
        topologies.emplace(fields[0], std::move(*topology));
      }
      request.topology = topologies.at(fields[0]);
    }
    if (fields.size() > 1) {
      std::istringstream words(fields[1]);
      for (std::string word; words >> word;) request.words.push_back(word == "''" ? std::string() : word);
    }
    for (std::size_t f = 2; f < fields.size(); ++f) {
      const std::size_t equals = fields[f].find('=');
      if (fields[f].starts_with("GRANTED=")) {
        std::istringstream nodes(fields[f].substr(equals + 1));
        std::string name;
        for (std::uint32_t slots = 0; nodes >> name >> slots;) request.granted.push_back({name, slots, 0});
        continue;
      }
      if (equals != std::string::npos)
        request.files[fields[f].substr(0, equals)] = unescaped(fields[f].substr(equals + 1));
    }
    std::cout << answer(request) << '\n';
  }
  return 0;
}
