/* A device under test in C, over metaroce_dut.h: the block `receive-vector`
 * (CONF-RECEIVE-VECTOR), written from chapter 6 of the text alone. Plain C99, no library.
 *
 * To plug in a block of your own, keep the seven functions at the end and put your code where
 * metaroce_dut_apply calls take_data. */
#include <stdlib.h>

#include "metaroce_dut.h"

#define WINDOW 256 /* CHECK-PATH-WINDOW */
#define WORDS (WINDOW / 64)

/* ACK-STATE. Bit i of the vector stands for path sequence base + i; word 0 holds bits 0 to 63. */
struct metaroce_dut {
  uint32_t base;
  uint64_t vector[WORDS];
  uint16_t arrivals;
  uint16_t ce;
  uint8_t duplicates;
  uint32_t echo;
};

static int bit(const metaroce_dut* dut, int i) { return (int)(dut->vector[i / 64] >> i % 64 & 1); }

/* The highest bit that is set, or -1. */
static int highest(const metaroce_dut* dut) {
  int i;
  for (i = WINDOW - 1; i >= 0; --i) {
    if (bit(dut, i)) break;
  }
  return i;
}

/* ACK-VECTOR: sets the bit, and moves base on to the first that is not set. */
static void mark(metaroce_dut* dut, int i) {
  int word;
  dut->vector[i / 64] |= UINT64_C(1) << i % 64;
  while (bit(dut, 0)) {
    for (word = 0; word < WORDS; ++word) {
      dut->vector[word] >>= 1;
      if (word + 1 < WORDS) dut->vector[word] |= dut->vector[word + 1] << 63;
    }
    ++dut->base;
  }
}

/* ACK-VECTOR-OUTCOME: takes a DATA packet and names its outcome. */
static const char* take_data(metaroce_dut* dut, uint32_t sequence, uint64_t ce, uint32_t sent) {
  const int64_t ahead = (int32_t)(sequence - dut->base); /* SEQ-COMPARE */
  const int greatest = highest(dut);
  if (ahead >= WINDOW) return "beyond-window";
  ++dut->arrivals; /* ACK-ARRIVAL */
  dut->ce = (uint16_t)(dut->ce + ce);
  dut->echo = sent;
  if (ahead < 0 || bit(dut, (int)ahead)) {
    ++dut->duplicates;
    return "duplicate";
  }
  mark(dut, (int)ahead);
  if (ahead > greatest + 1) return "hole";
  if (ahead == greatest + 1) return "in-order";
  return ahead == 0 ? "fill" : "late";
}

/* What a path block reports. */
static void add_block(metaroce_answer* answer, const metaroce_dut* dut) {
  uint8_t bitmap[WINDOW / 8];
  const int bits = highest(dut) + 1;
  const int size = bits == 0 ? 0 : bits <= 64 ? 8 : bits <= 128 ? 16 : 32; /* ACK-BITMAP */
  int i;
  for (i = 0; i < size; ++i) {
    const int from_below = size - 1 - i; /* the most significant byte comes first */
    bitmap[i] = (uint8_t)(dut->vector[from_below / 8] >> from_below % 8 * 8);
  }
  metaroce_add_number(answer, "base", dut->base);
  metaroce_add_data(answer, "bitmap", bitmap, (size_t)size);
  metaroce_add_number(answer, "arrivals", dut->arrivals);
  metaroce_add_number(answer, "ce", dut->ce);
  metaroce_add_number(answer, "duplicates", dut->duplicates);
  metaroce_add_number(answer, "echo", dut->echo);
}

/* --- the contract */

uint32_t metaroce_dut_abi(void) { return METAROCE_DUT_ABI; }

metaroce_status metaroce_dut_open(const metaroce_hello* hello, metaroce_dut** dut,
                                  const metaroce_about** about, metaroce_answer* answer) {
  static const char* const capabilities[] = {"block-receive-vector", "snapshot"};
  static const metaroce_about self = {METAROCE_CONTRACT, "metaroce-c", "0.1.0", "", capabilities, 2,
                                      {NULL, 0}};
  (void)hello;
  *dut = calloc(1, sizeof **dut);
  if (*dut == NULL) return metaroce_say(answer, METAROCE_ERROR, "there is no memory.");
  *about = &self;
  return METAROCE_DONE;
}

metaroce_status metaroce_dut_reset(metaroce_dut* dut, const metaroce_reset* reset,
                                   metaroce_answer* answer) {
  if (strcmp(reset->level, "block") != 0 || strcmp(reset->block, "receive-vector") != 0) {
    return metaroce_say(answer, METAROCE_ERROR, "this device is the block receive-vector alone.");
  }
  memset(dut, 0, sizeof *dut);
  dut->base = (uint32_t)metaroce_number_or(&reset->config, "base", 0);
  return METAROCE_DONE;
}

metaroce_status metaroce_dut_apply(metaroce_dut* dut, const metaroce_stimulus* stimulus,
                                   metaroce_answer* answer) {
  const metaroce_record* fields = &stimulus->fields;
  const uint32_t sent = (uint32_t)metaroce_number_or(fields, "transmit_time", 0);
  const uint32_t sequence = (uint32_t)metaroce_number_or(fields, "sequence", 0);
  const char* outcome = "probe";
  if (stimulus->kind != METAROCE_BLOCK) {
    return metaroce_say(answer, METAROCE_ERROR, "the level block takes Block only.");
  }
  if (metaroce_is_word(fields, "kind", "probe")) {
    dut->echo = sent; /* ACK-ARRIVAL-PROBE: it adds to no count */
  } else if (metaroce_is_word(fields, "kind", "data")) {
    outcome = take_data(dut, sequence, metaroce_number_or(fields, "ce", 0), sent);
  } else {
    return metaroce_say(answer, METAROCE_ERROR, "kind is neither data nor probe.");
  }
  metaroce_add_event(answer, METAROCE_FIELDS, 0);
  metaroce_add_word(answer, "outcome", outcome);
  add_block(answer, dut);
  return METAROCE_DONE;
}

/* The block has no time: nothing falls due. */
metaroce_status metaroce_dut_advance(metaroce_dut* dut, uint64_t to_ns, metaroce_answer* answer) {
  (void)dut;
  (void)to_ns;
  (void)answer;
  return METAROCE_DONE;
}

metaroce_status metaroce_dut_snapshot(metaroce_dut* dut, const char* const* names, size_t count,
                                      metaroce_answer* answer) {
  (void)names;
  (void)count;
  metaroce_add_event(answer, METAROCE_FIELDS, 0);
  add_block(answer, dut);
  return METAROCE_DONE;
}

void metaroce_dut_close(metaroce_dut* dut) { free(dut); }
