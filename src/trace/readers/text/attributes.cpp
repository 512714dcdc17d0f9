#include "trace/readers/text/attributes.h"

#include <algorithm>

#include "base/numbers/read_number.h"
#include "trace/assertion.h"

namespace mora::trace::text {
namespace {

const std::map<std::string_view, Key>& key_names() {
  static const std::map<std::string_view, Key> names = {
      {"to", Key::to},           {"from", Key::from},
      {"bytes", Key::bytes},     {"sent", Key::sent},
      {"recvd", Key::recvd},     {"tag", Key::tag},
      {"rtag", Key::rtag},       {"comm", Key::comm},
      {"req", Key::req},         {"root", Key::root},
      {"counts", Key::counts},   {"win", Key::window},
      {"group", Key::group},     {"assert", Key::assertion},
      {"synex", Key::synex},     {"id", Key::id},
      {"end", Key::end},         {"file", Key::file},
      {"threads", Key::threads}, {"dests", Key::dests},
      {"sources", Key::sources}, {"operation", Key::operation},
      {"offset", Key::offset},   {"extent", Key::extent},
      {"level", Key::level},     {"polls", Key::polls},
      {"op", Key::reduction},    {"team", Key::team},
  };
  return names;
}

std::string allowed_names(const std::vector<Key>& allowed) {
  std::string text;
  for (const auto& [name, key] : key_names()) {
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) continue;
    text += (text.empty() ? "" : ", ") + std::string(name);
  }
  if (std::find(allowed.begin(), allowed.end(), Key::interval) != allowed.end()) text += "id";
  if (std::find(allowed.begin(), allowed.end(), Key::lock) != allowed.end()) text += ", shared, exclusive";
  if (std::find(allowed.begin(), allowed.end(), Key::cancelled) != allowed.end()) text += ", cancelled";
  if (std::find(allowed.begin(), allowed.end(), Key::local) != allowed.end()) text += ", local";
  if (std::find(allowed.begin(), allowed.end(), Key::collective) != allowed.end()) text += ", collective";
  return text;
}

bool parse_rank(std::string_view text, std::uint64_t& rank) {
  if (!text.empty() && text.front() == 'P') text.remove_prefix(1);
  return read_number(text, rank) && rank < 1000000;
}

/// Reads one statement's attributes; keeps the place for errors.
class AttributeParser {
 public:
  AttributeParser(const Statement& statement, std::size_t first, const std::vector<Key>& allowed,
                  const AttributeContext& context)
      : statement_(statement), at_(first), allowed_(allowed), context_(context) {}

  Result<Attributes> run() {
    while (at_ < statement_.words.size()) {
      const Word word = statement_.words[at_++];
      if (auto done = one(word); !done) return tl::unexpected(done.error());
    }
    return std::move(result_);
  }

 private:
  bool allows(Key key) const { return std::find(allowed_.begin(), allowed_.end(), key) != allowed_.end(); }

  Result<void> refuse(const Word& word, const std::string& why) { return syntax_error(context_.file, word, why); }

  Result<void> take(Key key, const Word& word) {
    if (!allows(key))
      return refuse(word, "'" + std::string(word.text) + "' has no meaning here; possible: " + allowed_names(allowed_));
    if (!result_.given.emplace(key, word).second)
      return refuse(word, "'" + std::string(word.text) + "' is given twice");
    return {};
  }

  Result<void> one(const Word& word) {
    if (word.text.front() == '@') return partner(word);
    if (word.text == "shared" || word.text == "exclusive") {
      result_.exclusive = word.text == "exclusive";
      return take(Key::lock, word);
    }
    if (word.text == "cancelled") {
      result_.cancelled = true;
      return take(Key::cancelled, word);
    }
    if (word.text == "local") {
      result_.local = true;
      return take(Key::local, word);
    }
    if (word.text == "collective") {
      result_.collective = true;
      return take(Key::collective, word);
    }
    if (word.text == "at") {
      if (at_ == statement_.words.size()) return refuse(statement_.end, "expected a rank after 'at'");
      return partner(statement_.words[at_++]);
    }
    if (context_.is_window(context_.who, word.text)) {
      result_.window = word;
      return take(Key::window, word);
    }
    if (word.text.size() > 3 && word.text.substr(0, 3) == "rma") {
      std::uint64_t id = 0;
      if (read_number(word.text.substr(3), id)) {
        result_.id = id;
        return take(Key::id, word);
      }
    }
    const auto found = key_names().find(word.text);
    if (found == key_names().end())
      return refuse(word, "unknown word '" + std::string(word.text) + "'; possible: " + allowed_names(allowed_));
    const Key key = found->second == Key::id && allows(Key::interval) ? Key::interval : found->second;
    MORA_CHECK_OK(take(key, word));
    if (at_ == statement_.words.size())
      return refuse(statement_.end, "expected a value after '" + std::string(word.text) + "'");
    return value(key, word, statement_.words[at_++]);
  }

  Result<void> partner(const Word& word) {
    const std::string_view text = word.text.front() == '@' ? word.text.substr(1) : word.text;
    const Key key = allows(Key::to) ? Key::to : Key::from;
    MORA_CHECK_OK(take(key, word));
    std::uint64_t rank = 0;
    if (!parse_rank(text, rank)) return refuse(word, "expected a rank, found '" + std::string(word.text) + "'");
    (key == Key::to ? result_.to : result_.from) = Partner{static_cast<std::uint32_t>(rank), false};
    return {};
  }

  Result<void> value(Key key, const Word& name, const Word& word) {
    std::uint64_t number = 0;
    const auto expected = [&](const char* what) {
      return refuse(word, std::string("expected ") + what + " after '" + std::string(name.text) + "', found '" +
                              std::string(word.text) + "'");
    };
    switch (key) {
      case Key::to:
      case Key::from: {
        Partner partner;
        partner.null = word.text == "null";
        if (!partner.null && !parse_rank(word.text, number)) return expected("a rank or 'null'");
        partner.rank = static_cast<std::uint32_t>(number);
        (key == Key::to ? result_.to : result_.from) = partner;
        return {};
      }
      case Key::tag:
      case Key::rtag:
      case Key::interval:
      case Key::level:
      case Key::polls:
      case Key::team: {
        const bool is_tag = key == Key::tag || key == Key::rtag;
        std::int32_t bits = 0;
        if (!parse_bits(word.text, bits)) return expected(is_tag ? "a tag" : "a number of 32 bits");
        (key == Key::tag        ? result_.tag
         : key == Key::rtag     ? result_.rtag
         : key == Key::interval ? result_.interval
         : key == Key::level    ? result_.level
         : key == Key::polls    ? result_.polls
                                : result_.team) = bits;
        return {};
      }
      case Key::root:
        if (!parse_rank(word.text, number)) return expected("a rank");
        result_.root = number;
        return {};
      case Key::bytes:
      case Key::sent:
      case Key::recvd:
      case Key::id:
      case Key::synex:
      case Key::threads:
      case Key::offset:
      case Key::extent:
        if (!read_number(word.text, number)) return expected("a number");
        if (key == Key::synex && number > 1) return expected("0 or 1");
        (key == Key::bytes     ? result_.bytes
         : key == Key::sent    ? result_.sent
         : key == Key::recvd   ? result_.recvd
         : key == Key::id      ? result_.id
         : key == Key::threads ? result_.threads
         : key == Key::offset  ? result_.offset
         : key == Key::extent  ? result_.extent
                               : result_.synex) = number;
        return {};
      case Key::assertion:
        result_.assertion = parse_assertion(word.text);
        if (!result_.assertion)
          return expected("nocheck, nostore, noput, noprecede, nosucceed or numbers, joined by '+'");
        return {};
      case Key::counts:
        result_.counts = parse_list(word.text);
        if (result_.counts.empty()) return expected("numbers separated by ','");
        return {};
      case Key::dests:
      case Key::sources: {
        auto& list = key == Key::dests ? result_.dests : result_.sources;
        list = parse_neighbors(word.text);
        if (list.empty()) return expected("RANK:BYTES separated by ','");
        return {};
      }
      case Key::reduction:
        result_.reduction = mpi::reduction_named(word.text);
        if (result_.reduction == Reduction::unknown) return expected("MPI_SUM or another predefined operation");
        return {};
      case Key::operation:
        result_.operation = word;
        return {};
      case Key::end: {
        Nanoseconds time = 0;
        std::string why;
        if (!parse_time(word.text, context_.unit, time, why)) return refuse(word, why);
        result_.end = time;
        return {};
      }
      case Key::comm:
        result_.comm = word;
        return {};
      case Key::window:
        result_.window = word;
        return {};
      case Key::group:
        result_.group = word;
        return {};
      case Key::file:
        result_.file = word;
        return {};
      case Key::req:
        return requests(word);
      default:
        return {};
    }
  }

  Result<void> requests(Word word) {
    while (true) {
      const auto comma = word.text.find(',');
      Word one = word;
      one.text = word.text.substr(0, comma);
      if (one.text.empty()) return refuse(one, "expected the name of a request");
      result_.requests.push_back(one);
      if (comma == std::string_view::npos) return {};
      word.text.remove_prefix(comma + 1);
      word.column += static_cast<std::uint32_t>(comma + 1);
    }
  }

  const Statement& statement_;
  std::size_t at_;
  const std::vector<Key>& allowed_;
  const AttributeContext& context_;
  Attributes result_;
};

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> parse_neighbors(std::string_view text) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> list;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const auto colon = one.find(':');
    std::uint64_t rank = 0;
    std::uint64_t bytes = 8;
    if (!parse_rank(one.substr(0, colon), rank)) return {};
    if (colon != std::string_view::npos && !read_number(one.substr(colon + 1), bytes)) return {};
    list.emplace_back(rank, bytes);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::uint64_t> parse_list(std::string_view text) {
  std::vector<std::uint64_t> list;
  while (true) {
    const auto comma = text.find(',');
    std::uint64_t number = 0;
    if (!read_number(text.substr(0, comma), number)) return {};
    list.push_back(number);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

Result<Attributes> parse_attributes(const Statement& statement, std::size_t first, const std::vector<Key>& allowed,
                                    const AttributeContext& context) {
  return AttributeParser(statement, first, allowed, context).run();
}

}  // namespace mora::trace::text
