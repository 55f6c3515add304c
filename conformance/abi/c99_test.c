/* The header alone, as C99 with -pedantic: records are read and answers written as it says. */
#include <stdio.h>

#include "conformance/abi/metaroce_dut.h"

#define ROOM 4

static int failures;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  printf("not so: %s\n", what);
}

static metaroce_answer empty_answer(metaroce_event* events, metaroce_value* values,
                                    uint8_t* bytes) {
  metaroce_answer answer;
  memset(&answer, 0, sizeof answer);
  answer.events = events;
  answer.values = values;
  answer.bytes = bytes;
  answer.event_capacity = ROOM;
  answer.value_capacity = ROOM;
  answer.byte_capacity = 16 * ROOM;
  return answer;
}

static void test_records(void) {
  const metaroce_field fields[] = {
      {"kind", METAROCE_WORD, 4, 0, (const uint8_t*)"data"},
      {"sequence", METAROCE_NUMBER, 0, UINT64_C(0xffffffffffffffff), NULL},
  };
  const metaroce_record record = {fields, 2};
  expect(metaroce_is_word(&record, "kind", "data"), "the word is found");
  expect(!metaroce_is_word(&record, "kind", "dat"), "a word is not its beginning");
  expect(metaroce_number_or(&record, "sequence", 0) == UINT64_C(0xffffffffffffffff), "a number");
  expect(metaroce_number_or(&record, "kind", 7) == 7, "a word is no number");
  expect(metaroce_find(&record, "ce") == NULL, "what is absent is not found");
}

static void test_answer(void) {
  metaroce_event events[ROOM];
  metaroce_value values[ROOM];
  uint8_t bytes[16 * ROOM];
  metaroce_answer answer = empty_answer(events, values, bytes);
  metaroce_add_event(&answer, METAROCE_FIELDS, 5);
  metaroce_add_word(&answer, "outcome", "hole");
  metaroce_add_data(&answer, "bitmap", "\x01\x02", 2);
  metaroce_add_packet(&answer, 6, 1, "frame", 5);
  expect(answer.event_count == 2 && events[0].field_count == 2, "two events, two fields");
  expect(memcmp(bytes + values[0].bytes_at, "hole", 4) == 0, "the word was copied");
  expect(events[1].size == 5 && memcmp(bytes + events[1].bytes_at, "frame", 5) == 0, "the frame");
  expect(answer.overflow == 0, "all fitted");
  metaroce_add_data(&answer, "too much", bytes, sizeof bytes);
  expect(answer.overflow == 1, "what does not fit is noticed");
}

static void test_full(void) {
  metaroce_event events[ROOM];
  metaroce_value values[ROOM];
  uint8_t bytes[16 * ROOM];
  metaroce_answer answer = empty_answer(events, values, bytes);
  int i;
  metaroce_add_number(&answer, "no event", 1);
  expect(answer.overflow == 1 && answer.value_count == 0, "a field needs an event");
  answer.overflow = 0;
  for (i = 0; i < ROOM; ++i) metaroce_add_event(&answer, METAROCE_FIELDS, 0);
  expect(answer.overflow == 0, "as many events as there is room for");
  expect(metaroce_add_event(&answer, METAROCE_FIELDS, 0) == NULL && answer.overflow == 1,
         "one event too many");
  expect(metaroce_say(&answer, METAROCE_REJECT, "icrc") == METAROCE_REJECT, "the status");
  expect(strcmp(answer.text, "icrc") == 0, "the text");
}

int main(void) {
  test_records();
  test_answer();
  test_full();
  return failures != 0;
}
