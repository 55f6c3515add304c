/* A device as a shared library that rejects every frame, and misbehaves on cue: the first argument
 * is the deed, done at the Apply of the vector "second"; deeds that begin with "open-", "reset-"
 * and "close-" are done there instead. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "conformance/abi/metaroce_dut.h"

struct metaroce_dut {
  char deed[64];
  int cue;
  int broken;
};

#ifdef OTHER_VERSION
uint32_t metaroce_dut_abi(void) { return 7; }
#else
uint32_t metaroce_dut_abi(void) { return METAROCE_DUT_ABI; }
#endif

static void hang(void) {
  for (;;) pause();
}

static int is(const metaroce_dut* dut, const char* deed) { return strcmp(dut->deed, deed) == 0; }

metaroce_status metaroce_dut_open(const metaroce_hello* hello, metaroce_dut** dut,
                                  const metaroce_about** about, metaroce_answer* answer) {
  static const char* const capabilities[] = {"codec-decode"};
  static metaroce_about self = {METAROCE_CONTRACT, "misbehaving library", "1", "", capabilities, 1,
                                {NULL, 0}};
  *dut = calloc(1, sizeof **dut);
  if (hello->argument_count > 0) strncpy((*dut)->deed, hello->arguments[0], 63);
  if (is(*dut, "open-hang")) hang();
  if (is(*dut, "open-crash")) abort();
  if (is(*dut, "open-error")) return metaroce_say(answer, METAROCE_ERROR, "no board is there.");
  if (is(*dut, "open-status")) return 42;
  if (is(*dut, "open-nothing")) *dut = NULL;
  *about = &self;
  return METAROCE_DONE;
}

metaroce_status metaroce_dut_reset(metaroce_dut* dut, const metaroce_reset* reset,
                                   metaroce_answer* answer) {
  (void)answer;
  if (dut->broken) abort();
  dut->cue = strcmp(reset->vector, "second") == 0;
  if (dut->cue && is(dut, "reset-exit")) exit(3);
  return METAROCE_DONE;
}

/* Returns a status to give back, or -1 for a good answer. */
static metaroce_status misbehave(metaroce_dut* dut, metaroce_answer* answer) {
  if (is(dut, "crash")) {
    fprintf(stderr, "about to crash\n");
    signal(SIGSEGV, SIG_DFL);  // a sanitizer would report it as its own finding
    raise(SIGSEGV);
  }
  if (is(dut, "exit")) exit(3);
  if (is(dut, "hang")) hang();
  if (is(dut, "child-and-hang")) {
    const pid_t child = fork();
    if (child == 0) {
      setsid();
      hang();
    }
    fprintf(stderr, "child %d\n", (int)child);
    hang();
  }
  if (is(dut, "print")) {
    printf("a line where the report belongs\n");
    fflush(stdout);
  }
  if (is(dut, "status")) return 42;
  if (is(dut, "negative-status")) return -1000000;
  if (is(dut, "error")) return metaroce_say(answer, METAROCE_ERROR, "cannot \033[31m do");
  if (is(dut, "unsupported")) return metaroce_say(answer, METAROCE_UNSUPPORTED, "time-travel");
  if (is(dut, "overflow")) {
    while (answer->overflow == 0) metaroce_add_event(answer, METAROCE_FIELDS, 0);
    return METAROCE_DONE;
  }
  if (is(dut, "lost-count")) answer->event_count = 1u << 30;
  if (is(dut, "lost-event")) {
    metaroce_add_event(answer, METAROCE_FIELDS, 0);
    answer->events[0].field_count = 1000;
    return METAROCE_DONE;
  }
  if (is(dut, "no-kind")) {
    metaroce_add_event(answer, 9, 0);
    return METAROCE_DONE;
  }
  if (is(dut, "lost-value")) {
    metaroce_add_event(answer, METAROCE_FIELDS, 0);
    metaroce_add_number(answer, "x", 1);
    answer->values[0].name_at = 0xffffffffu;
    return METAROCE_DONE;
  }
  if (is(dut, "no-end")) memset(answer->text, 'x', sizeof answer->text);
  if (is(dut, "no-end")) return METAROCE_REJECT;
  if (is(dut, "pointers")) {
    answer->events = NULL;
    answer->values = NULL;
    answer->bytes = NULL;
  }
  if (is(dut, "broken-afterwards")) dut->broken = 1;
  return -1;
}

metaroce_status metaroce_dut_apply(metaroce_dut* dut, const metaroce_stimulus* stimulus,
                                   metaroce_answer* answer) {
  (void)stimulus;
  if (dut->cue) {
    const metaroce_status status = misbehave(dut, answer);
    if (status != -1) return status;
  }
  return metaroce_say(answer, METAROCE_REJECT, "length-short");
}

metaroce_status metaroce_dut_advance(metaroce_dut* dut, uint64_t to_ns, metaroce_answer* answer) {
  (void)dut;
  (void)to_ns;
  (void)answer;
  return METAROCE_DONE;
}

metaroce_status metaroce_dut_snapshot(metaroce_dut* dut, const char* const* names, size_t count,
                                      metaroce_answer* answer) {
  (void)dut;
  (void)names;
  (void)count;
  metaroce_add_event(answer, METAROCE_FIELDS, 0);
  return METAROCE_DONE;
}

void metaroce_dut_close(metaroce_dut* dut) {
  if (is(dut, "close-crash")) abort();
  if (is(dut, "close-hang")) hang();
  free(dut);
}
