/// PNG by cairo, which is loaded when a picture is drawn: linked, it and the twelve libraries below it would triple the
/// time that every start of `mora` takes.
#include <cairo/cairo.h>
#include <dlfcn.h>

#include "predict/pattern/heat_map/canvas.h"

namespace mora::predict {
namespace {

/// The functions of the loaded library; all or none.
struct Cairo {
  void* library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
#define MORA_CAIRO(name) decltype(&cairo_##name) name = find<decltype(&cairo_##name)>("cairo_" #name)
  MORA_CAIRO(image_surface_create);
  MORA_CAIRO(create);
  MORA_CAIRO(set_antialias);
  MORA_CAIRO(select_font_face);
  MORA_CAIRO(set_font_size);
  MORA_CAIRO(set_source_rgb);
  MORA_CAIRO(rectangle);
  MORA_CAIRO(fill);
  MORA_CAIRO(save);
  MORA_CAIRO(restore);
  MORA_CAIRO(translate);
  MORA_CAIRO(rotate);
  MORA_CAIRO(text_extents);
  MORA_CAIRO(move_to);
  MORA_CAIRO(show_text);
  MORA_CAIRO(destroy);
  MORA_CAIRO(surface_write_to_png_stream);
  MORA_CAIRO(surface_destroy);
#undef MORA_CAIRO
  bool is_complete = library != nullptr;

 private:
  template <class Function>
  Function find(const char* name) {
    void* symbol = library == nullptr ? nullptr : dlsym(library, name);
    if (symbol == nullptr) library = nullptr;
    return reinterpret_cast<Function>(symbol);
  }
};

class CairoCanvas : public Canvas {
 public:
  CairoCanvas(const Cairo& cairo, cairo_t* context) : cairo_(cairo), context_(context) {}

  void rectangle(int x, int y, int width, int height, std::uint32_t colour, const std::string&) override {
    const auto part = [&](int shift) { return (colour >> shift & 0xff) / 255.0; };
    cairo_.set_source_rgb(context_, part(16), part(8), part(0));
    cairo_.rectangle(context_, x, y, width, height);
    cairo_.fill(context_);
  }
  void text(int x, int y, Anchor anchor, const std::string& words, bool upwards) override {
    cairo_text_extents_t size;
    cairo_.text_extents(context_, words.c_str(), &size);
    cairo_.save(context_);
    cairo_.set_source_rgb(context_, 0.2, 0.2, 0.2);
    cairo_.translate(context_, x, y);
    if (upwards) cairo_.rotate(context_, -1.5707963267948966);
    cairo_.move_to(context_,
                   anchor == Anchor::start    ? 0
                   : anchor == Anchor::middle ? -size.x_advance / 2
                                              : -size.x_advance,
                   0);
    cairo_.show_text(context_, words.c_str());
    cairo_.restore(context_);
  }

 private:
  const Cairo& cairo_;
  cairo_t* context_;
};

cairo_status_t append(void* out, const unsigned char* bytes, unsigned length) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Result<std::string> png_of(int width, int height, const Draw& draw) {
  static const Cairo cairo;
  if (!cairo.is_complete)
    return fail(ErrorKind::usage, "a PNG cannot be drawn", "--png", "the library libcairo.so.2 is not installed",
                "install libcairo2, or ask for --svg");
  cairo_surface_t* const surface = cairo.image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  cairo_t* const context = cairo.create(surface);
  cairo.set_antialias(context, CAIRO_ANTIALIAS_NONE);  // of edges: cells stay sharp; letters are smoothed by their font
  cairo.select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo.set_font_size(context, text_height);
  CairoCanvas canvas(cairo, context);
  canvas.rectangle(0, 0, width, height, 0xffffff, {});
  draw(canvas);
  std::string png;
  const cairo_status_t status = cairo.surface_write_to_png_stream(surface, append, &png);
  cairo.destroy(context);
  cairo.surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS) return fail(ErrorKind::system, "cannot draw the picture", "", "out of memory");
  return png;
}

}  // namespace mora::predict
