#include "base/table/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/table/cell_text.h"
#include "base/table/wrapped.h"

namespace mora {
namespace {

const std::string& heading_of(const Column& column) { return column.heading.empty() ? column.name : column.heading; }

/// Columns with their widths, and the lines printed so far.
class TextTable {
 public:
  TextTable(const Table& table, const TextStyle& style) : table_(table), style_(style) {}

  std::string lines() {
    std::vector<std::string> headings;
    for (const Column& column : table_.columns()) headings.push_back(heading_of(column));
    std::vector<std::vector<std::string>> rows;
    for (const Cells& cells : table_.rows()) {
      auto& row = rows.emplace_back();
      for (const Cell& cell : cells) row.push_back(cell.shown());
    }
    for (const Column& column : table_.columns()) widths_.push_back(column.width);
    if (style_.has_heading) widen(headings);
    for (const auto& row : rows) widen(row);
    if (style_.has_heading) line(headings, nullptr, style_.heading_style);
    for (std::size_t i = 0; i < rows.size(); ++i) line(rows[i], &table_.rows()[i], table_.style(i));
    return std::move(out_);
  }

 private:
  void widen(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!table_.columns()[i].is_cut && !runs_on(cells, i)) widths_[i] = std::max(widths_[i], display_width(cells[i]));
    }
  }
  bool runs_on(const std::vector<std::string>& cells, std::size_t i) const {
    return i + 1 == cells.size() && cells.size() < table_.columns().size();
  }

  std::string coloured(const char* style, std::string text) const {
    if (*style == '\0' || !style_.has_colour) return text;
    return fmt::format("\033[{}m{}\033[0m", style, text);
  }

  void line(const std::vector<std::string>& texts, const Cells* cells, const char* line_style) {
    std::string text(style_.indent, ' ');
    std::size_t used = style_.indent;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Column& column = table_.columns()[i];
      if (i > 0) text.append(column.gap, ' '), used += column.gap;
      std::string shown = texts[i];
      if (column.is_cut && style_.width > 0)
        shown = cut_middle(shown, std::max(column.least, style_.width - std::min(used, style_.width)));
      const std::size_t width = display_width(shown);
      const std::string blanks(widths_[i] > width ? widths_[i] - width : 0, ' ');
      const char* cell_style = cells == nullptr ? "" : (*cells)[i].style();
      text += column.is_left || runs_on(texts, i) ? coloured(cell_style, shown) + blanks
                                                  : blanks + coloured(cell_style, shown);
      used += std::max(width, widths_[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out_ += coloured(line_style, text) + '\n';
  }

  const Table& table_;
  const TextStyle& style_;
  std::vector<std::size_t> widths_;
  std::string out_;
};

std::string markdown_text(const Cell& cell) { return cell.is_escaped() ? markdown_cell(cell.shown()) : cell.shown(); }

template <class Texts, class Text>
std::string joined_cells(const Texts& cells, const Text& text_of_cell) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) out += (i == 0 ? "" : ",") + text_of_cell(cells[i]);
  return out + '\n';
}

}  // namespace

Column number(std::string name, std::size_t width) {
  return {std::move(name), width, width == 0 ? std::size_t{2} : std::size_t{1}};
}

Column words(std::string name, std::size_t width) { return {std::move(name), width, 2, true}; }

Column cut_words(std::string name, std::size_t least) { return {std::move(name), 0, 2, true, true, least}; }

std::string text_of(const Table& table, const TextStyle& style) { return TextTable(table, style).lines(); }

std::string csv_line(const Cells& cells) {
  return joined_cells(cells, [](const Cell& cell) { return csv_cell(cell.exact()); });
}

std::string csv_head(const std::vector<Column>& columns) {
  return joined_cells(columns, [](const Column& column) { return csv_cell(column.name); });
}

std::string csv_of(const Table& table) {
  std::string out = csv_head(table.columns());
  for (const Cells& cells : table.rows()) out += csv_line(cells);
  return out;
}

std::string markdown_of(const Table& table) {
  std::string out = "|", rule = "|";
  // A column without heading is for marks: where there is none, one blank.
  const auto put = [&](std::size_t i, const std::string& text) {
    out += text.empty() && heading_of(table.columns()[i]).empty() ? " |" : " " + text + " |";
  };
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    put(i, heading_of(table.columns()[i]));
    rule += table.columns()[i].is_left ? "---|" : "---:|";
  }
  out += "\n" + rule + "\n";
  for (const Cells& cells : table.rows()) {
    out += '|';
    for (std::size_t i = 0; i < cells.size(); ++i) put(i, markdown_text(cells[i]));
    out += '\n';
  }
  return out;
}

void write_json(JsonWriter& json, const Table& table) {
  json.begin_array();
  for (const Cells& cells : table.rows()) {
    json.begin_line_object();
    for (std::size_t i = 0; i < cells.size(); ++i) json.fields(table.columns()[i].name, cells[i]);
    json.end_object();
  }
  json.end_array();
}

}  // namespace mora
