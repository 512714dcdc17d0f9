#include "serve/offline/page.h"

#include "base/json/json_writer.h"
#include "serve/assets.h"
#include "serve/offline/packing.h"

namespace mora::serve {

Result<std::string> offline_page(const PageContent& content) {
  if (assets().empty()) return no_viewer();
  std::string json = "{\"answers\": {";
  for (const auto& [name, text] : content.answers) {
    json += (&name == &content.answers.front().first ? "" : ",\n") + json_quote(name) + ": " + text;
  }
  json += "},\n\"store\": " + content.store;
  if (!content.stretches.empty()) json += ",\n" + content.stretches;
  json += "}\n";
  const std::string packed = gzip(json);
  if (packed.empty()) return fail(ErrorKind::system, "there is not enough memory to pack the page");
  const OfflineShell& shell = offline_shell();
  return std::string(shell.head) + base64(packed) + std::string(shell.tail);
}

}  // namespace mora::serve
