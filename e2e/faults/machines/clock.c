// Moves the wall clock of one process by the seconds in the file that CLOCK_FILE names, while the monotonic clock goes
// on: loaded by LD_PRELOAD. The file is read at most every 50 ms. System calls, as the functions are replaced here.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const long long READ_EVERY_MS = 50;

static long long offset(void) {
  static __thread long long seconds, next_read_ms;
  struct timespec monotonic;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, &monotonic);
  long long now_ms = monotonic.tv_sec * 1000LL + monotonic.tv_nsec / 1000000;
  if (now_ms < next_read_ms) return seconds;
  next_read_ms = now_ms + READ_EVERY_MS;
  const char *path = getenv("CLOCK_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return seconds;
  char text[32];
  long length = read(file, text, sizeof text - 1);
  close(file);
  if (length < 0) return seconds;
  text[length] = 0;
  seconds = atoll(text);
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += offset();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}
