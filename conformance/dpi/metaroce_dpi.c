/* The functions of metaroce_dpi_pkg.sv: the device's side of the contract of chapter 15 on standard
 * input and output. C99 and POSIX, no library: give this file to the simulator's compiler.
 *
 * Messages are those of conformance/dut.proto, in the encoding of CONF-ENCODING. A request is read
 * where it lies; an answer grows event by event. A device has one pair of streams, and so has the
 * process: what is kept is kept once. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MESSAGE 1048576u /* CONF-TRANSPORT */
#define CONTRACT 1

/* Field numbers of conformance/dut.proto. */
enum { REQUEST_ID = 1, REQUEST_VECTOR, REQUEST_STEP, REQUEST_HELLO, REQUEST_RESET, REQUEST_APPLY };
enum { REQUEST_ADVANCE = 7, REQUEST_SNAPSHOT, REQUEST_BYE };
enum { ANSWER_HELLO = 2, ANSWER_DONE, ANSWER_REJECT, ANSWER_UNSUPPORTED, ANSWER_ERROR };
enum { FIELD_NAME = 1, FIELD_NUMBER, FIELD_DATA, FIELD_WORD };
enum { EVENT_AT = 1, EVENT_FIELDS, EVENT_PACKET, EVENT_COMPLETION, EVENT_PLACEMENT };

/* What the bench knows requests and events by; the stimuli have the numbers of Apply's fields. */
enum { KIND_END, KIND_RESET, KIND_DECODE, KIND_ENCODE, KIND_BLOCK, KIND_ARRIVE, KIND_POST };
enum { KIND_ADVANCE = 7, KIND_SNAPSHOT };
enum { PUT_FIELDS = 1, PUT_PACKET, PUT_COMPLETION, PUT_PLACEMENT };

typedef struct {
  const uint8_t* at;
  size_t size;
} slice;

typedef struct {
  uint8_t* bytes;
  size_t size, room;
} buffer;

static int answers = -1; /* where answers go */
static buffer about;     /* a HelloAnswer */
static uint8_t message[MAX_MESSAGE];
static slice request; /* the whole of it */
static slice fields;  /* the message with its named fields */
static uint64_t id;   /* of it */
static int asked;     /* and not answered yet */
static buffer events; /* of the answer, a Done */
static buffer event;  /* what the event that is put together holds */
static uint64_t event_at, event_place;
static int event_kind; /* 0: none */
static buffer data;    /* that grows */
static char data_name[256];
static int data_open;

/* The runner notices that the process ends, and says so of the vector that was played. */
static void die(const char* sentence) {
  fprintf(stderr, "metaroce_dpi: %s\n", sentence);
  _exit(2);
}

/* --- writing */

static void put(buffer* out, const void* bytes, size_t size) {
  if (size > out->room - out->size) {
    out->room = 2 * (out->size + size) + 64;
    out->bytes = (uint8_t*)realloc(out->bytes, out->room);
    if (out->bytes == NULL) die("there is no memory.");
  }
  if (size > 0) memcpy(out->bytes + out->size, bytes, size);
  out->size += size;
}

static void put_varint(buffer* out, uint64_t value) {
  uint8_t byte;
  for (; value >= 0x80; value >>= 7) {
    byte = (uint8_t)(value | 0x80);
    put(out, &byte, 1);
  }
  byte = (uint8_t)value;
  put(out, &byte, 1);
}

static void put_number(buffer* out, int number, uint64_t value) {
  put_varint(out, (uint64_t)number << 3);
  put_varint(out, value);
}

static void put_bytes(buffer* out, int number, const void* bytes, size_t size) {
  put_varint(out, (uint64_t)number << 3 | 2);
  put_varint(out, size);
  put(out, bytes, size);
}

static void put_text(buffer* out, int number, const char* text) {
  put_bytes(out, number, text, strlen(text));
}

/* --- reading */

static int get_varint(slice* from, uint64_t* value) {
  int shift;
  *value = 0;
  for (shift = 0; shift < 70 && from->size > 0; shift += 7) {
    const uint8_t byte = *from->at++;
    --from->size;
    if (shift < 64) *value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return 1;
  }
  return 0;
}

/* The next field; 0 at the end, and where the bytes are no message. */
static int next_field(slice* from, uint64_t* number, uint64_t* value, slice* bytes) {
  uint64_t tag;
  bytes->at = NULL;
  bytes->size = 0;
  if (from->size == 0 || !get_varint(from, &tag) || !get_varint(from, value)) return 0;
  *number = tag >> 3;
  if ((tag & 7) == 0) return 1;
  if ((tag & 7) != 2 || *value > from->size) return 0;
  bytes->at = from->at;
  bytes->size = (size_t)*value;
  from->at += bytes->size;
  from->size -= bytes->size;
  return 1;
}

/* Whether the message has the field, which is then in `value` or `bytes`. */
static int find(slice in, uint64_t wanted, uint64_t* value, slice* bytes) {
  uint64_t number;
  int found = 0;
  uint64_t one;
  slice some;
  *value = 0;
  bytes->at = NULL;
  bytes->size = 0;
  while (next_field(&in, &number, &one, &some)) {
    if (number != wanted) continue;
    *value = one;
    *bytes = some;
    found = 1;
  }
  return found;
}

static int is(slice text, const char* word) {
  return text.size == strlen(word) && (text.size == 0 || memcmp(text.at, word, text.size) == 0);
}

static int read_all(uint8_t* to, size_t size) {
  while (size > 0) {
    const ssize_t count = read(0, to, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    to += count;
    size -= (size_t)count;
  }
  return 1;
}

/* 0 at the end of the input. */
static int receive(void) {
  uint8_t length[4];
  slice bytes;
  size_t size;
  if (!read_all(length, sizeof length)) return 0;
  size = (size_t)length[0] << 24 | (size_t)length[1] << 16 | (size_t)length[2] << 8 | length[3];
  if (size > MAX_MESSAGE) die("a request is longer than a message may be.");
  if (!read_all(message, size)) return 0;
  request.at = message;
  request.size = size;
  find(request, REQUEST_ID, &id, &bytes);
  asked = 1;
  return 1;
}

/* --- answering */

static void close_data(void) {
  buffer field = {NULL, 0, 0};
  if (!data_open) return;
  data_open = 0;
  if (data_name[0] != '\0') {
    put_text(&field, FIELD_NAME, data_name);
    put_bytes(&field, FIELD_DATA, data.bytes, data.size);
    put_bytes(&event, 1, field.bytes, field.size);
    free(field.bytes);
  } else {
    put_bytes(&event, event_kind == PUT_PLACEMENT ? 2 : 1, data.bytes, data.size);
  }
}

static void close_event(void) {
  buffer whole = {NULL, 0, 0};
  if (event_kind == 0) return;
  close_data();
  if (event_kind == PUT_PACKET) put_number(&event, 2, event_place);
  if (event_kind == PUT_PLACEMENT) put_number(&event, 1, event_place);
  put_number(&whole, EVENT_AT, event_at);
  put_bytes(&whole, EVENT_FIELDS + event_kind - 1, event.bytes, event.size);
  put_bytes(&events, 1, whole.bytes, whole.size);
  free(whole.bytes);
  event_kind = 0;
}

static void answer(int kind, const void* bytes, size_t size) {
  buffer out = {NULL, 0, 0};
  uint8_t length[4] = {0, 0, 0, 0};
  size_t sent = 0;
  if (!asked) die("a request was answered twice, or none was made.");
  put(&out, length, sizeof length);
  put_number(&out, 1, id);
  put_bytes(&out, kind, bytes, size);
  size = out.size - sizeof length;
  if (size > MAX_MESSAGE) die("the answer is longer than a message may be.");
  length[0] = (uint8_t)(size >> 24);
  length[1] = (uint8_t)(size >> 16);
  length[2] = (uint8_t)(size >> 8);
  length[3] = (uint8_t)size;
  memcpy(out.bytes, length, sizeof length);
  while (sent < out.size) {
    const ssize_t count = write(answers, out.bytes + sent, out.size - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) die("standard output cannot be written.");
    sent += (size_t)count;
  }
  free(out.bytes);
  events.size = 0;
  event_kind = 0;
  data_open = 0;
  asked = 0;
}

static void answer_text(int kind, const char* text) {
  buffer inner = {NULL, 0, 0};
  put_text(&inner, 1, text);
  answer(kind, inner.bytes, inner.size);
  free(inner.bytes);
}

/* --- the functions of the package */

#ifdef __cplusplus /* some simulators take it for C++ */
extern "C" {
#endif

void metaroce_open(const char* name, const char* version, const char* capabilities) {
  /* What the simulator itself prints, its banner for instance, goes to the log. */
  answers = dup(1);
  if (answers < 0 || dup2(2, 1) < 0) die("standard output cannot be led elsewhere.");
  put_number(&about, 1, CONTRACT);
  put_text(&about, 2, name);
  put_text(&about, 3, version);
  while (*capabilities != '\0') {
    const size_t size = strcspn(capabilities, " ");
    if (size > 0) put_bytes(&about, 5, capabilities, size);
    capabilities += size + (capabilities[size] != '\0');
  }
}

void metaroce_profile(const char* name, uint64_t number) {
  buffer field = {NULL, 0, 0};
  put_text(&field, FIELD_NAME, name);
  put_number(&field, FIELD_NUMBER, number);
  put_bytes(&about, 6, field.bytes, field.size);
  free(field.bytes);
}

/* What the request in `apply` asks for. */
static int kind_of_apply(slice apply) {
  int kind;
  uint64_t value;
  for (kind = KIND_DECODE; kind <= KIND_POST; ++kind) {
    if (find(apply, (uint64_t)kind, &value, &fields)) return kind;
  }
  return KIND_END;
}

static int kind_of_request(void) {
  uint64_t value;
  slice part;
  fields.size = 0;
  if (find(request, REQUEST_APPLY, &value, &part)) return kind_of_apply(part);
  if (find(request, REQUEST_ADVANCE, &value, &part)) return KIND_ADVANCE;
  if (find(request, REQUEST_SNAPSHOT, &value, &part)) return KIND_SNAPSHOT;
  if (find(request, REQUEST_RESET, &value, &part)) {
    fields = part;
    return KIND_RESET;
  }
  return KIND_END;
}

int metaroce_next(void) {
  uint64_t value;
  slice part;
  if (answers < 0) die("metaroce_open was not called.");
  if (asked) die("the next request is asked for before the one before is answered.");
  while (receive()) {
    int kind;
    if (find(request, REQUEST_HELLO, &value, &part)) {
      answer(ANSWER_HELLO, about.bytes, about.size);
      continue;
    }
    if (find(request, REQUEST_BYE, &value, &part)) {
      answer(ANSWER_DONE, NULL, 0);
      return KIND_END;
    }
    kind = kind_of_request();
    if (kind != KIND_END) return kind;
    answer_text(ANSWER_ERROR, "these bytes ask for nothing (CONF-ENCODING).");
  }
  return KIND_END;
}

uint64_t metaroce_time(void) {
  uint64_t value;
  slice part, unused;
  if (!find(request, REQUEST_ADVANCE, &value, &part)) {
    find(request, REQUEST_APPLY, &value, &part);
  }
  find(part, 1, &value, &unused); /* of both messages */
  return value;
}

static const char* text_of(slice in, int number, char* room, size_t size) {
  uint64_t value;
  slice text;
  find(in, (uint64_t)number, &value, &text);
  if (text.size >= size) text.size = size - 1;
  if (text.size > 0) memcpy(room, text.at, text.size);
  room[text.size] = '\0';
  return room;
}

const char* metaroce_vector(void) {
  static char room[256];
  return text_of(request, REQUEST_VECTOR, room, sizeof room);
}

const char* metaroce_level(void) {
  static char room[64];
  return text_of(fields, 1, room, sizeof room);
}

const char* metaroce_block(void) {
  static char room[64];
  return text_of(fields, 2, room, sizeof room);
}

/* The field of that name in the request's record. */
static int find_named(const char* name, slice* field) {
  const uint64_t list = kind_of_request() == KIND_RESET ? 3 : 1;
  slice in = fields;
  uint64_t number, value;
  slice text;
  while (next_field(&in, &number, &value, field)) {
    if (number != list) continue;
    find(*field, FIELD_NAME, &value, &text);
    if (is(text, name)) return 1;
  }
  return 0;
}

uint64_t metaroce_number(const char* name, uint64_t otherwise) {
  slice field, unused;
  uint64_t value;
  return find_named(name, &field) && find(field, FIELD_NUMBER, &value, &unused) ? value : otherwise;
}

int metaroce_is_word(const char* name, const char* word) {
  slice field, text;
  uint64_t value;
  return find_named(name, &field) && find(field, FIELD_WORD, &value, &text) && is(text, word);
}

static slice bytes_of(const char* name) {
  slice found = {NULL, 0}, field;
  uint64_t value;
  if (name[0] == '\0') {
    find(fields, 1, &value, &found); /* the frame of Decode and of Arrive */
  } else if (find_named(name, &field)) {
    find(field, FIELD_DATA, &value, &found);
  }
  return found;
}

int metaroce_size(const char* name) { return (int)bytes_of(name).size; }

int metaroce_byte(const char* name, int at) {
  const slice bytes = bytes_of(name);
  return at >= 0 && (size_t)at < bytes.size ? bytes.at[at] : 0;
}

int metaroce_plane(void) {
  uint64_t value;
  slice unused;
  find(fields, 2, &value, &unused);
  return (int)value;
}

void metaroce_event(int kind, uint64_t at_ns) {
  close_event();
  if (kind < PUT_FIELDS || kind > PUT_PLACEMENT) die("there is no event of this kind.");
  event_kind = kind;
  event_at = at_ns;
  event_place = 0;
  event.size = 0;
}

/* Begins what belongs to the event. */
static void in_event(void) {
  if (event_kind == 0) die("something is put into an answer without an event.");
  close_data();
}

void metaroce_put_number(const char* name, uint64_t number) {
  buffer field = {NULL, 0, 0};
  in_event();
  put_text(&field, FIELD_NAME, name);
  put_number(&field, FIELD_NUMBER, number);
  put_bytes(&event, 1, field.bytes, field.size);
  free(field.bytes);
}

void metaroce_put_word(const char* name, const char* word) {
  buffer field = {NULL, 0, 0};
  in_event();
  put_text(&field, FIELD_NAME, name);
  put_text(&field, FIELD_WORD, word);
  put_bytes(&event, 1, field.bytes, field.size);
  free(field.bytes);
}

void metaroce_put_data(const char* name) {
  in_event();
  if (strlen(name) >= sizeof data_name) die("the name of a field is too long.");
  strcpy(data_name, name);
  data.size = 0;
  data_open = 1;
}

void metaroce_put_byte(int value) {
  const uint8_t byte = (uint8_t)value;
  if (!data_open) die("a byte is put before metaroce_put_data.");
  put(&data, &byte, 1);
}

void metaroce_put_place(uint64_t place) { event_place = place; }

void metaroce_done(void) {
  close_event();
  answer(ANSWER_DONE, events.bytes, events.size);
}

void metaroce_reject(const char* reason) { answer_text(ANSWER_REJECT, reason); }
void metaroce_unsupported(const char* capability) { answer_text(ANSWER_UNSUPPORTED, capability); }
void metaroce_error(const char* sentence) { answer_text(ANSWER_ERROR, sentence); }

#ifdef __cplusplus
}
#endif
