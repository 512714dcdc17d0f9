/* Words of Python's command line (docs.python.org, "Command line and environment"): options, of which some have a word
 * behind them, then the script; behind -m stands a module. mpi4py is a module that executes the script behind it. */
#define _GNU_SOURCE
#include "measure/stack/python_script.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "measure/stack/python_frames.h"

/* The word behind one, NULL: there is none. */
static const char* behind(const char* word, const char* end) {
  word += strlen(word) + 1;
  return word < end ? word : NULL;
}

/* `words` up to `end` are ended by zeros each; the first one is the interpreter. */
static const char* script_of(const char* words, const char* end) {
  const char* word = behind(words, end);
  while (word && word[0] == '-' && word[1]) {
    const char* option = word + 1;
    if (*option == '-') { /* --check-hash-based-pycs HOW */
      if (strcmp(option, "-check-hash-based-pycs") == 0) word = behind(word, end);
    } else {
      option += strcspn(option, "cmWX");
      const char* given = !*option ? NULL : option[1] ? option + 1 : (word = behind(word, end));
      if (*option == 'c' || (*option && !given)) return NULL;
      if (*option == 'm' && strcmp(given, "mpi4py") != 0 && strcmp(given, "mpi4py.run") != 0) return given;
    }
    if (word) word = behind(word, end);
  }
  return word && *word && strcmp(word, "-") != 0 ? word : NULL;
}

int mora_python_script(char* name, size_t bytes) {
  if (!mora_python_is_here()) return 0;
  char words[4096];
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t count = file < 0 ? -1 : read(file, words, sizeof words);
  if (file >= 0) close(file);
  if (count < 1) return 0;
  words[count - 1] = 0;
  const char* script = script_of(words, words + count);
  if (!script) return 0;
  strncpy(name, script, bytes - 1);
  name[bytes - 1] = 0;
  return 1;
}
