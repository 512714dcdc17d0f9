#include <fmt/format.h>

#include "base/text/xml_text.h"
#include "predict/pattern/heat_map/canvas.h"

namespace mora::predict {
namespace {

class SvgCanvas : public Canvas {
 public:
  void rectangle(int x, int y, int width, int height, std::uint32_t colour, const std::string& tip) override {
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{:06x}\"{}\n", x, y, width, height,
                       colour, tip.empty() ? "/>" : "><title>" + xml_text(tip) + "</title></rect>");
  }
  void text(int x, int y, Anchor anchor, const std::string& words, bool upwards) override {
    const char* where = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
    const std::string turn = upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "";
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", x, y, where,
                       text_height, turn, xml_text(words));
  }
  std::string out;
};

}  // namespace

std::string svg_of(int width, int height, const std::string& title, const Draw& draw) {
  SvgCanvas canvas;
  draw(canvas);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
             "font-family=\"sans-serif\" fill=\"#333333\">\n<title>{2}</title>\n<rect width=\"{0}\" "
             "height=\"{1}\" fill=\"#ffffff\"/>\n",
             width, height, xml_text(title)) +
         canvas.out + "</svg>\n";
}

}  // namespace mora::predict
