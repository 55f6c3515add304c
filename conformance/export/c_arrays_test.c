/* Plays vectors from C arrays to a device in C, without a runner: what a bench of firmware does.
 * The device is conformance/duts/c/receive_vector_dut.c, the vectors those of its block. */
#include <stdio.h>
#include <stdlib.h>

#include "metaroce_vectors.h"

static metaroce_event events[METAROCE_MAX_EVENTS];
static metaroce_value values[METAROCE_MAX_VALUES];
static uint8_t bytes[METAROCE_MAX_BYTES];

static metaroce_answer fresh_answer(void) {
  metaroce_answer answer;
  memset(&answer, 0, sizeof answer);
  answer.events = events;
  answer.values = values;
  answer.bytes = bytes;
  answer.event_capacity = METAROCE_MAX_EVENTS;
  answer.value_capacity = METAROCE_MAX_VALUES;
  answer.byte_capacity = METAROCE_MAX_BYTES;
  return answer;
}

static int same(const metaroce_field* field, const metaroce_value* value) {
  if (value->name_size != strlen(field->name) ||
      memcmp(bytes + value->name_at, field->name, value->name_size) != 0 ||
      value->kind != field->kind) {
    return 0;
  }
  if (field->kind == METAROCE_NUMBER) return value->number == field->number;
  return value->size == field->size &&
         (field->size == 0 || memcmp(bytes + value->bytes_at, field->bytes, field->size) == 0);
}

/* The record of the answer's one event is the expected one, whatever the order of its fields. */
static int holds(const metaroce_expect* expect, const metaroce_answer* answer) {
  size_t i;
  uint32_t k;
  if (answer->event_count != 1 || events[0].kind != METAROCE_FIELDS) return 0;
  if (expect->kind == METAROCE_EXPECT_FIELDS && events[0].field_count != expect->fields.count) {
    return 0;
  }
  for (i = 0; i < expect->fields.count; ++i) {
    int found = 0;
    for (k = 0; k < events[0].field_count; ++k) {
      found |= same(&expect->fields.fields[i], &values[events[0].first_field + k]);
    }
    if (!found) return 0;
  }
  return 1;
}

/* 1 if the device does what the vector expects. */
static int play(metaroce_dut* dut, const metaroce_vector* vector) {
  metaroce_answer answer = fresh_answer();
  size_t i;
  if (metaroce_dut_reset(dut, &vector->reset, &answer) != METAROCE_DONE) return 0;
  for (i = 0; i < vector->step_count; ++i) {
    const metaroce_step* step = &vector->steps[i];
    if (step->kind == METAROCE_STEP_APPLY) {
      answer = fresh_answer();
      if (metaroce_dut_apply(dut, step->stimulus, &answer) != METAROCE_DONE) return 0;
    } else if (step->kind != METAROCE_STEP_EXPECT || !holds(step->expect, &answer)) {
      printf("%s: step %u [%s] is not as expected\n", vector->reset.vector, (unsigned)step->step,
             step->clause);
      return 0;
    }
  }
  return 1;
}

int main(void) {
  const metaroce_hello hello = {METAROCE_CONTRACT, "", "", 0, NULL};
  metaroce_dut* dut = NULL;
  const metaroce_about* about = NULL;
  metaroce_answer answer = fresh_answer();
  size_t i;
  size_t failed = 0;
  if (metaroce_dut_open(&hello, &dut, &about, &answer) != METAROCE_DONE) return 1;
  for (i = 0; i < metaroce_vector_count; ++i) failed += !play(dut, &metaroce_vectors[i]);
  metaroce_dut_close(dut);
  printf("%u vectors, %u failed\n", (unsigned)metaroce_vector_count, (unsigned)failed);
  return failed != 0 || metaroce_vector_count < 20;
}
