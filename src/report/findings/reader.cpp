/// Reads findings.json and facts of manifest.json; the only unit that includes nlohmann-json.
/// Numbers are long double (64 bits of mantissa on x86), so seconds come back as the exact nanoseconds they were.
/// Findings and metrics have a number for each rank: they are read one at a time (json_pieces.h).
#include <cctype>
#include <cmath>
#include <ctime>
#include <exception>

#include <nlohmann/json.hpp>

#include "base/json/json_number.h"
#include "report/findings/fields.h"
#include "report/findings/findings.h"
#include "report/findings/json_pieces.h"

namespace mora::report {
namespace {

using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;

/// Reads the fields of one object. Exceptions of the library (missing key, wrong type) end in read_findings().
class FieldReader {
 public:
  static constexpr bool is_reader = true;
  explicit FieldReader(const Json& object) : object_(object) {}

  template <class T>
  FieldReader& field(const std::string& key, T& value) {
    get(object_.at(key), value);
    return *this;
  }
  template <class T>
  FieldReader& or_null(const std::string& key, T& value) {
    return object_.at(key).is_null() ? *this : field(key, value);
  }
  template <class T>
  FieldReader& maybe(const std::string& key, T& value) {
    return has(key) ? field(key, value) : *this;
  }
  template <class T>
  FieldReader& if_any(const std::string& key, T& value) {
    return maybe(key, value);
  }
  FieldReader& time(const std::string& key, Nanoseconds& value) {
    return amount(key, value, cube::Unit::seconds, true);
  }
  FieldReader& ratio(const std::string& key, double& value) {
    value = static_cast<double>(object_.at(key).get<long double>());
    return *this;
  }
  FieldReader& amount(const std::string& key, std::int64_t& value, cube::Unit unit, bool) {
    value = amount_of(object_.at(key), unit);
    return *this;
  }
  FieldReader& amounts(const std::string& key, std::vector<std::int64_t>& values, cube::Unit unit,
                       std::vector<std::uint32_t>* unknown = nullptr) {
    const Json& all = object_.at(key);
    values.reserve(all.size());
    for (const Json& value : all) {
      if (unknown != nullptr && value.is_null()) unknown->push_back(static_cast<std::uint32_t>(values.size()));
      values.push_back(amount_of(value, unit));
    }
    return *this;
  }
  template <class Make>
  void derived(const std::string&, const Make&) {}
  bool has(const std::string& key) const { return object_.contains(key) && !object_.at(key).is_null(); }
  template <class T>
  bool begins(const std::string& key, std::optional<T>& value) const {
    if (has(key)) value.emplace();
    return value.has_value();
  }

  /// One value of the file.
  template <class T>
  static void get(const Json& json, T& value) {
    if constexpr (requires(FieldReader & reader) { visit_fields(reader, value); }) {
      FieldReader reader(json);
      visit_fields(reader, value);
    } else if constexpr (requires(FieldReader & reader) { visit_fields(reader, value.front()); }) {
      for (const Json& element : json) get(element, value.emplace_back());
    } else if constexpr (std::integral<T>) {
      value = whole_number<T>(json);
    } else {
      value = json.get<T>();
    }
  }
  template <class T>
  static void get(const Json& json, std::optional<T>& value) {
    if (!json.is_null()) get(json, value.emplace());
  }
  static void get(const Json& json, cube::Unit& unit) {
    const auto name = json.get<std::string>();
    for (const auto known : {cube::Unit::seconds, cube::Unit::occurrences, cube::Unit::bytes}) {
      if (name == unit_key(known)) return void(unit = known);
    }
    throw std::out_of_range("\"" + name + "\" is not a unit");
  }
  static void get(const Json& json, Severity& severity) {
    const auto name = json.get<std::string>();
    severity = name == "info" ? Severity::info : name == "loss" ? Severity::loss : Severity::warning;
  }

 private:
  static std::int64_t amount_of(const Json& value, cube::Unit unit) {
    if (value.is_null()) return 0;
    if (unit != cube::Unit::seconds) return whole_number<std::int64_t>(value);
    const long double scaled = value.get<long double>() * 1e9L;
    if (!(std::fabs(scaled) < 9.2e18L)) throw std::out_of_range("a time is beyond 292 years");
    return std::llround(scaled);
  }

  const Json& object_;
};

RunSummary run_of(const Json& json) {
  RunSummary run;
  FieldReader(json)
      .maybe("program", run.program)
      .maybe("trace", run.trace)
      .maybe("trace_format", run.trace_format)
      .field("ranks", run.ranks)
      .field("locations", run.locations)
      .maybe("nodes", run.nodes)
      .maybe("events", run.events)
      .time("wall_s", run.wall);
  for (const auto& [key, value] : json.items()) {
    const bool known = key == "program" || key == "trace" || key == "trace_format";
    if (!known && value.is_string()) run.more[key] = value.get<std::string>();
  }
  return run;
}

/// What a report has beside its run and creator, in the order in which the first error counts.
void visit_parts(auto& io, ReportData& data) {
  io.field("metrics", data.metrics).maybe("losses", data.losses).field("findings", data.findings);
  io.maybe("checks", data.checks).maybe("transfers", data.transfers).field("data_quality", data.quality);
}

/// Reads the elements of the report's lists while the text is parsed. What one of them lacks is told when the text is
/// known to be JSON, and in its turn.
class Lists {
 public:
  Lists(ReportData& data, const std::function<void()>& passed) : data_(data), passed_(passed) {}

  bool begin(const std::string& key) {
    failures_.erase(key);
    Reading none{key, nullptr};
    visit_parts(none, data_);
    return none.is_list;
  }
  void take(const std::string& key, const Json& element) {
    if (failures_.contains(key)) return;
    try {
      Reading one{key, &element};
      visit_parts(one, data_);
    } catch (...) {
      failures_[key] = std::current_exception();
    }
  }
  void passed() const { passed_(); }

  /// What is not in a list, from the rest of the text. Throws the first of all errors.
  void finish(const Json& rest) {
    Rest reading{*this, FieldReader(rest)};
    visit_parts(reading, data_);
  }

 private:
  struct Reading {
    const std::string& key;
    const Json* element;   ///< nullptr: the list begins
    bool is_list = false;  ///< written: `key` is that of a list

    template <class T>
    Reading& field(std::string_view of, T& value) {
      if constexpr (requires { value.emplace_back(); }) {
        if (of != key) return *this;
        is_list = true;
        element == nullptr ? value.clear() : FieldReader::get(*element, value.emplace_back());
      }
      return *this;
    }
    template <class T>
    Reading& maybe(std::string_view of, T& value) {
      return field(of, value);
    }
  };
  struct Rest {
    Lists& lists;
    FieldReader reader;

    template <class T>
    Rest& field(const std::string& key, T& value) {
      lists.check(key);
      reader.field(key, value);
      return *this;
    }
    template <class T>
    Rest& maybe(const std::string& key, T& value) {
      lists.check(key);
      reader.maybe(key, value);
      return *this;
    }
  };
  void check(const std::string& key) const {
    if (const auto failure = failures_.find(key); failure != failures_.end()) std::rethrow_exception(failure->second);
  }

  ReportData& data_;
  const std::function<void()>& passed_;
  std::map<std::string, std::exception_ptr> failures_;
};

ReportData data_of(std::string_view text, const std::function<void()>& passed) {
  ReportData data;
  Lists lists(data, passed);
  Json json;
  JsonPieces<Json, Lists> pieces(json, lists);
  Json::sax_parse(text.begin(), text.end(), &pieces);
  if (json.at("schema").get<std::string>() != "mora-report") throw std::out_of_range("its schema is not mora-report");
  if (whole_number<int>(json.at("schema_version")) != 1) throw std::out_of_range("only schema version 1 is known");
  data.run = run_of(json.at("run"));
  FieldReader(json).maybe("creator", data.creator);
  lists.finish(json);
  for (Check& check : data.checks) {
    if (check.partner && !check.partner_rank) check.partner.reset();
    if (check.partner) check.partner->rank = *check.partner_rank;
  }
  return data;
}

/// The library's message about a missing field or a wrong type in Mora's words; the library names the field as in "key
/// 'run' not found".
std::string field_in_words(const Json::exception& reason) {
  const std::string text = reason.what();
  const std::size_t begin = text.find('\''), end = text.rfind('\'');
  constexpr int missing_key = 403;
  if (reason.id == missing_key && begin < end)
    return "the field \"" + text.substr(begin + 1, end - begin - 1) + "\" is missing";
  return "a field has a value of another type than findings.json has there";
}

/// "One. Two", of an array of texts.
std::string sentences_of(const Json& array) {
  std::string text;
  if (!array.is_array()) return text;
  for (const Json& sentence : array)
    if (auto said = sentence.is_string() ? sentence.get<std::string>() : ""; !said.empty()) {
      said[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(said[0])));
      text += (text.empty() ? "" : ". ") + said;
    }
  return text;
}

}  // namespace

Result<ReportData> read_findings(std::string_view json, const std::string& name, const std::function<void()>& passed) {
  const auto unreadable = [&](const std::string& why) {
    return fail(ErrorKind::unreadable, "cannot read the findings", name, why,
                "run `mora analyze` on the experiment again");
  };
  try {
    return data_of(json, passed);
  } catch (const Json::parse_error& reason) {
    if (json.find_first_not_of(" \n\t\r") == std::string_view::npos) return unreadable("the file is empty");
    return unreadable(reason.byte > json.size() ? "the file ends too early"
                                                : "it is not JSON from byte " + std::to_string(reason.byte) + " on");
  } catch (const Json::exception& reason) {
    return unreadable(field_in_words(reason));
  } catch (const std::exception& reason) {
    return unreadable(reason.what());
  }
}

std::map<std::string, std::string> manifest_facts(const std::string& json) {
  std::map<std::string, std::string> facts;
  const Json manifest = Json::parse(json, nullptr, false);
  if (!manifest.is_object()) return facts;
  const auto words = [](const Json& value) -> std::string {
    if (value.is_string()) return value.get<std::string>();
    std::string out;
    if (value.is_array()) {
      for (const Json& word : value) {
        if (word.is_string()) out += (out.empty() ? "" : " ") + word.get<std::string>();
      }
    }
    if (value.is_object()) {
      for (const char* key : {"name", "version", "library"}) {  // a library's own text goes on after a comma
        if (const auto found = value.find(key); found != value.end() && found->is_string()) {
          const std::string text = found->get<std::string>();
          out += (out.empty() ? "" : " ") + text.substr(0, text.find(','));
        }
      }
    }
    return out;
  };
  for (const auto& [fact, keys] :
       std::map<std::string, std::vector<const char*>>{{"command", {"command"}},
                                                       {"programs", {"programs"}},
                                                       {"mpi", {"mpi", "mpi_library"}},
                                                       {"date", {"date", "started", "start", "begin"}}}) {
    for (const char* key : keys) {
      const auto found = manifest.find(key);
      if (found == manifest.end() || facts.count(fact) != 0) continue;
      if (std::string text = words(*found); !text.empty()) facts[fact] = text;
    }
  }
  if (const auto programs = facts.find("programs");
      programs != facts.end() && manifest.value("program", Json()) == programs->second)
    facts.erase(programs);  // one alone
  for (const char* fact : {"ending", "processors", "binding"})
    if (std::string text = sentences_of(manifest.value(fact, Json())); !text.empty()) facts[fact] = text;
  if (const auto start = manifest.find("started_realtime_ns"); start != manifest.end() && start->is_number_integer()) {
    const std::time_t seconds = static_cast<std::time_t>(start->get<std::int64_t>() / 1'000'000'000);
    char text[32];
    std::tm broken_down{};
    if (gmtime_r(&seconds, &broken_down) != nullptr &&
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &broken_down) > 0) {
      facts["date"] = text;
    }
  }
  return facts;
}

std::vector<QualityRow> manifest_quality(const std::string& json) {
  std::vector<QualityRow> rows;
  const Json manifest = Json::parse(json, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("data_quality") || !manifest.at("data_quality").is_array())
    return rows;
  for (const Json& row : manifest.at("data_quality")) {
    try {
      QualityRow read;
      FieldReader reader(row);
      visit_fields(reader, read);
      rows.push_back(std::move(read));
    } catch (const std::exception&) {
      // A row of another shape says nothing that could be shown.
    }
  }
  return rows;
}

}  // namespace mora::report
