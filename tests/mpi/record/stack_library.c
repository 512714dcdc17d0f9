/* A function of a library that calls back. */
void through(void (*callback)(int), int value) {
  volatile int kept = value;
  callback(value);
  kept++;
}
