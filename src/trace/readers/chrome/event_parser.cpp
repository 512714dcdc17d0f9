#include "trace/readers/chrome/event_parser.h"

#include <nlohmann/json.hpp>

#include "base/interruption.h"
#include "base/numbers/read_number.h"

namespace mora::trace::chrome {
namespace {

constexpr std::size_t deepest = 64;

class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Handler(const std::function<void(TraceEvent&)>& on_event) : on_event_(on_event) {}

  bool null() override { return true; }
  bool boolean(bool value) override {
    if (value && in_event() && (key_ == "flow_in" || key_ == "flow_out")) event_.has_flow = true;
    return true;
  }
  bool number_integer(std::int64_t value) override { return scalar(std::to_string(value), true); }
  bool number_unsigned(std::uint64_t value) override { return scalar(std::to_string(value), true); }
  bool number_float(double, const std::string& text) override { return scalar(text, true); }
  bool string(std::string& value) override { return scalar(std::move(value), false); }
  bool binary(nlohmann::json::binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    if (events_depth_ != 0 && depth_ == events_depth_) event_.clear();
    if (in_event() && key_ == "args") args_depth_ = depth_ + 1;
    if (depth_ == 1) in_other_data_ = key_ == "otherData";
    return deeper();
  }
  bool end_object() override {
    --depth_;
    if (depth_ == 1) in_other_data_ = false;
    if (args_depth_ == depth_ + 1) args_depth_ = 0;
    if (events_depth_ != 0 && depth_ == events_depth_) on_event_(event_);
    return !is_interrupted();
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) {
      events_depth_ = 1;
      is_array_form_ = true;
    } else if (depth_ == 1 && !is_array_form_ && key_ == "traceEvents") {
      events_depth_ = 2;
    }
    return deeper();
  }
  bool end_array() override {
    if (events_depth_ == depth_) events_depth_ = 0;
    --depth_;
    return true;
  }
  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    end_.byte = position;
    end_.why = error.what();
    if (const auto from = end_.why.find("; last read"); from != std::string::npos) end_.why.resize(from);
    if (const auto from = end_.why.find("] "); from != std::string::npos) end_.why.erase(0, from + 2);
    end_.cut = end_.why.find("end of input") != std::string::npos ||
               end_.why.find("missing closing quote") != std::string::npos;
    end_.inside_event = events_depth_ != 0 && depth_ > events_depth_;
    end_.terminated_by_array = is_array_form_ && depth_ == 1;
    return false;
  }

  ParseEnd end_;

 private:
  bool in_event() const { return events_depth_ != 0 && depth_ == events_depth_ + 1; }
  bool deeper() {
    if (++depth_ <= deepest) return true;
    end_.why = "objects are nested deeper than " + std::to_string(deepest);
    return false;
  }

  bool scalar(std::string text, bool is_number) {
    if (args_depth_ != 0 && depth_ == args_depth_) {
      event_.args.push_back({key_, std::move(text), is_number});
      return true;
    }
    if (in_other_data_ && depth_ == 2 && key_ == "clock_origin_ns")
      end_.clock_origin_ns = number_in<std::int64_t>(text).value_or(0);
    if (!in_event()) return true;
    static constexpr std::pair<const char*, std::string TraceEvent::*> fields[] = {
        {"name", &TraceEvent::name}, {"cat", &TraceEvent::cat}, {"ph", &TraceEvent::ph},
        {"id", &TraceEvent::id},     {"ts", &TraceEvent::ts},   {"dur", &TraceEvent::dur},
        {"pid", &TraceEvent::pid},   {"tid", &TraceEvent::tid}, {"bp", &TraceEvent::bp}};
    for (const auto& [name, field] : fields) {
      if (key_ != name) continue;
      event_.*field = std::move(text);
      break;
    }
    return true;
  }

  const std::function<void(TraceEvent&)>& on_event_;
  TraceEvent event_;
  std::string key_;
  std::size_t depth_ = 0;
  std::size_t events_depth_ = 0;  ///< depth inside the array of events; 0 = elsewhere
  std::size_t args_depth_ = 0;
  bool is_array_form_ = false;
  bool in_other_data_ = false;
};

}  // namespace

void TraceEvent::clear() {
  for (std::string* text : {&name, &cat, &ph, &id, &ts, &dur, &pid, &tid, &bp}) text->clear();
  args.clear();
  has_flow = false;
}

ParseEnd parse_trace_events(std::istream& input, const std::function<void(TraceEvent&)>& on_event) {
  Handler handler(on_event);
  const bool complete = nlohmann::json::sax_parse(input, &handler);
  handler.end_.complete = complete;
  return handler.end_;
}

}  // namespace mora::trace::chrome
