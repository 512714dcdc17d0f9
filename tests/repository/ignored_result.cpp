// Must not compile: a Result that nobody looks at. CMakeLists.txt compiles it, and with LOOKED_AT what differs in that
// alone.
#include "base/error.h"

mora::Result<void> write();
template <class T>
mora::Result<T> read();

void use() {
#ifdef LOOKED_AT
  if (!write() || !read<int>()) return;
#else
  write();
  read<int>();
#endif
}
