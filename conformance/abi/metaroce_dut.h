/* The contract with a device under test (DUT) as a C ABI, for a device that is a shared library.
 *
 * It is the contract of chapter 15 without processes and messages: the same requests in the same
 * order, the same answers to them. `metaroce replay --dut ./libmine.so` loads the library with
 * dlopen in a process that may die; a C function imported by DPI-C may call it as well.
 *
 * A library exports the seven functions at the end of this file, with C linkage, and needs nothing
 * but this header: plain C99, no link with the runner, no memory that changes its owner.
 *
 *   uint32_t metaroce_dut_abi(void) { return METAROCE_DUT_ABI; }
 *
 * Who owns what. Whatever is handed over stays with the one who made it. What the runner passes
 * (requests, names, frames) is valid during the call: copy what is needed longer. The answer is the
 * runner's memory too, and the device writes into it through the functions metaroce_add_... below,
 * which copy. What the device passes (the handle, metaroce_about) lives until metaroce_dut_close.
 *
 * Order and threads. open, then for each vector reset and after it apply, advance and snapshot;
 * close at the end. One call at a time, all from one thread. Several handles may be open at once
 * only if the library says so itself; the runner opens one.
 *
 * Errors. Each call returns a metaroce_status. METAROCE_ERROR with a sentence means that the device
 * could not do what was asked; it fails the vector and the run goes on. A call that does not return
 * in time, ends the process or returns something else fails the vector, and the library is loaded
 * anew (CONF-DEATH). No exception may leave a function.
 *
 * Numbers. Times are nanoseconds of virtual time since the reset, 0 to 2^60. Sizes are bytes.
 * Frames begin with the Ethernet header and have no frame check sequence, at most 65,535 bytes.
 *
 * Versions. METAROCE_DUT_ABI grows when anything here changes its meaning or its layout; a runner
 * refuses a library of another version. What is added at the end as a new function or a new value
 * of an enumeration does not change it.
 */
#ifndef METAROCE_DUT_H_
#define METAROCE_DUT_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this ABI, and that of the contract whose requests and answers it carries. */
#define METAROCE_DUT_ABI 1u
#define METAROCE_CONTRACT 1u

#if defined(__GNUC__)
#define METAROCE_DUT_EXPORT __attribute__((visibility("default")))
#else
#define METAROCE_DUT_EXPORT
#endif

/* The device's own. The runner never looks into it. */
typedef struct metaroce_dut metaroce_dut;

/* How a call ends, and which requests may end so (CONF-ANSWER, CONF-UNSUPPORTED). */
typedef int32_t metaroce_status;
enum {
  METAROCE_DONE = 0,        /* done; the events of the answer are what followed */
  METAROCE_REJECT = 1,      /* apply with DECODE: a check failed; the text is the reason */
  METAROCE_UNSUPPORTED = 2, /* reset, snapshot: the text is the capability that is missing */
  METAROCE_ERROR = 3        /* any: the text is a sentence */
};

/* --- records (CONF-RECORDS): sets of named values */

typedef uint32_t metaroce_kind;
enum {
  METAROCE_NUMBER = 1, /* 0 to 2^64 - 1 */
  METAROCE_DATA = 2,   /* bytes, may be none */
  METAROCE_WORD = 3    /* one of a list of names */
};

/* A field that the runner passes. */
typedef struct metaroce_field {
  const char* name; /* ends with a zero byte */
  metaroce_kind kind;
  uint32_t size;        /* METAROCE_DATA, METAROCE_WORD: bytes */
  uint64_t number;      /* METAROCE_NUMBER */
  const uint8_t* bytes; /* METAROCE_DATA, METAROCE_WORD; a word ends with a zero byte, uncounted */
} metaroce_field;

typedef struct metaroce_record {
  const metaroce_field* fields;
  size_t count;
} metaroce_record;

/* --- requests */

/* Which runner asks; and who the request is for, for the device's log. */
typedef struct metaroce_hello {
  uint32_t contract;        /* METAROCE_CONTRACT of the runner */
  const char* spec_version; /* of the text the runner was built from */
  const char* spec_hash;    /* of the same, lower-case hexadecimal */
  int argument_count;       /* what stands behind the library in --dut */
  const char* const* arguments;
} metaroce_hello;

typedef struct metaroce_reset {
  const char* vector;     /* the vector's id */
  const char* level;      /* "codec", "block", "endpoint" */
  const char* block;      /* level "block": which; else "" */
  metaroce_record config; /* a field that is absent has its default */
} metaroce_reset;

typedef uint32_t metaroce_stimulus_kind;
enum {
  METAROCE_DECODE = 1, /* level codec: `frame` */
  METAROCE_ENCODE = 2, /* level codec: `fields` */
  METAROCE_BLOCK = 3,  /* level block: `fields` */
  METAROCE_ARRIVE = 4, /* level endpoint: `frame` arrives by `plane` */
  METAROCE_POST = 5    /* level endpoint: the application posts `fields` */
};

typedef struct metaroce_stimulus {
  metaroce_stimulus_kind kind;
  uint32_t plane; /* METAROCE_ARRIVE */
  uint64_t at_ns; /* 0 in levels and blocks without time */
  const uint8_t* frame;
  size_t frame_size;
  metaroce_record fields;
  uint32_t step; /* of the vector, from 1 */
} metaroce_stimulus;

/* --- what the device says of itself (CONF-HELLO) */

typedef struct metaroce_about {
  uint32_t contract;     /* METAROCE_CONTRACT of the device */
  const char* name;      /* of the implementation */
  const char* version;   /* of the implementation */
  const char* spec_hash; /* of the text it was built from; "" if it does not know */
  const char* const* capabilities;
  size_t capability_count;
  metaroce_record profile; /* numbers: parameters, and constants that differ from the default */
} metaroce_about;

/* --- the answer: the runner's memory, written through the functions below */

typedef uint32_t metaroce_event_kind;
enum {
  METAROCE_FIELDS = 1,     /* a decoded packet, a block's output record, a snapshot */
  METAROCE_PACKET = 2,     /* a frame leaves by `plane` */
  METAROCE_COMPLETION = 3, /* the application is told */
  METAROCE_PLACEMENT = 4   /* payload is written to memory from `address` on */
};

/* Places in the answer, not pointers: nobody's memory has to stay. */
typedef struct metaroce_event {
  uint64_t at_ns;
  metaroce_event_kind kind;
  uint32_t plane;       /* METAROCE_PACKET */
  uint64_t address;     /* METAROCE_PLACEMENT */
  uint32_t first_field; /* METAROCE_FIELDS, METAROCE_COMPLETION: in `fields` */
  uint32_t field_count;
  uint32_t bytes_at; /* METAROCE_PACKET, METAROCE_PLACEMENT: in `bytes` */
  uint32_t size;
} metaroce_event;

typedef struct metaroce_value {
  metaroce_kind kind;
  uint32_t name_at;
  uint32_t name_size;
  uint32_t bytes_at; /* METAROCE_DATA, METAROCE_WORD */
  uint32_t size;
  uint32_t unused;
  uint64_t number; /* METAROCE_NUMBER */
} metaroce_value;

/* How much an answer of the runner holds; what is more fails the vector. */
#define METAROCE_MAX_EVENTS 4096u
#define METAROCE_MAX_VALUES 65536u
#define METAROCE_MAX_BYTES 1048576u
#define METAROCE_MAX_TEXT 1024u

typedef struct metaroce_answer {
  metaroce_event* events;
  metaroce_value* values;
  uint8_t* bytes; /* names, data, words and frames */
  uint32_t event_capacity, event_count;
  uint32_t value_capacity, value_count;
  uint32_t byte_capacity, byte_count;
  uint32_t overflow; /* not 0: something did not fit and was left out */
  char text[METAROCE_MAX_TEXT];
} metaroce_answer;

/* --- reading a record */

/* The field of that name, or NULL. */
static inline const metaroce_field* metaroce_find(const metaroce_record* record, const char* name) {
  size_t i;
  for (i = 0; i < record->count; ++i) {
    if (strcmp(record->fields[i].name, name) == 0) return &record->fields[i];
  }
  return NULL;
}

/* The number of that name, or `otherwise` if there is none. */
static inline uint64_t metaroce_number_or(const metaroce_record* record, const char* name,
                                          uint64_t otherwise) {
  const metaroce_field* field = metaroce_find(record, name);
  return field != NULL && field->kind == METAROCE_NUMBER ? field->number : otherwise;
}

/* 1 if the word of that name is `word`. */
static inline int metaroce_is_word(const metaroce_record* record, const char* name,
                                   const char* word) {
  const metaroce_field* field = metaroce_find(record, name);
  return field != NULL && field->kind == METAROCE_WORD && field->size == strlen(word) &&
         memcmp(field->bytes, word, field->size) == 0;
}

/* --- writing an answer. Each function copies, and sets `overflow` if there is no room. */

/* Copies bytes to the end of the answer's; where they begin. */
static inline uint32_t metaroce_keep(metaroce_answer* answer, const void* bytes, size_t size) {
  const uint32_t at = answer->byte_count;
  if (size > answer->byte_capacity - at) {
    answer->overflow = 1;
    return at;
  }
  if (size > 0) memcpy(answer->bytes + at, bytes, size);
  answer->byte_count += (uint32_t)size;
  return at;
}

/* Begins an event, to which metaroce_add_number and its like add fields; NULL if there is no room.
 * Events come in the order in which they happened (CONF-EVENTS). */
static inline metaroce_event* metaroce_add_event(metaroce_answer* answer, metaroce_event_kind kind,
                                                 uint64_t at_ns) {
  metaroce_event* event;
  if (answer->event_count == answer->event_capacity) {
    answer->overflow = 1;
    return NULL;
  }
  event = &answer->events[answer->event_count++];
  memset(event, 0, sizeof *event);
  event->at_ns = at_ns;
  event->kind = kind;
  event->first_field = answer->value_count;
  event->bytes_at = answer->byte_count;
  return event;
}

/* A field of the latest event, without its value; NULL if there is no room or no event. */
static inline metaroce_value* metaroce_add_value(metaroce_answer* answer, metaroce_kind kind,
                                                 const char* name) {
  metaroce_value* value;
  if (answer->value_count == answer->value_capacity || answer->event_count == 0) {
    answer->overflow = 1;
    return NULL;
  }
  value = &answer->values[answer->value_count++];
  memset(value, 0, sizeof *value);
  value->kind = kind;
  value->name_size = (uint32_t)strlen(name);
  value->name_at = metaroce_keep(answer, name, value->name_size);
  ++answer->events[answer->event_count - 1].field_count;
  return value;
}

static inline void metaroce_add_number(metaroce_answer* answer, const char* name, uint64_t number) {
  metaroce_value* value = metaroce_add_value(answer, METAROCE_NUMBER, name);
  if (value != NULL) value->number = number;
}

static inline void metaroce_add_data(metaroce_answer* answer, const char* name, const void* bytes,
                                     size_t size) {
  metaroce_value* value = metaroce_add_value(answer, METAROCE_DATA, name);
  if (value == NULL) return;
  value->bytes_at = metaroce_keep(answer, bytes, size);
  value->size = (uint32_t)size;
}

static inline void metaroce_add_word(metaroce_answer* answer, const char* name, const char* word) {
  metaroce_value* value = metaroce_add_value(answer, METAROCE_WORD, name);
  if (value == NULL) return;
  value->size = (uint32_t)strlen(word);
  value->bytes_at = metaroce_keep(answer, word, value->size);
}

static inline void metaroce_add_packet(metaroce_answer* answer, uint64_t at_ns, uint32_t plane,
                                       const void* frame, size_t size) {
  metaroce_event* event = metaroce_add_event(answer, METAROCE_PACKET, at_ns);
  if (event == NULL) return;
  event->plane = plane;
  event->bytes_at = metaroce_keep(answer, frame, size);
  event->size = (uint32_t)size;
}

static inline void metaroce_add_placement(metaroce_answer* answer, uint64_t at_ns, uint64_t address,
                                          const void* data, size_t size) {
  metaroce_event* event = metaroce_add_event(answer, METAROCE_PLACEMENT, at_ns);
  if (event == NULL) return;
  event->address = address;
  event->bytes_at = metaroce_keep(answer, data, size);
  event->size = (uint32_t)size;
}

/* Sets the text of a rejection, a missing capability or an error, cut to what fits, and returns
 * `status`: `return metaroce_say(answer, METAROCE_REJECT, "icrc");` */
static inline metaroce_status metaroce_say(metaroce_answer* answer, metaroce_status status,
                                           const char* text) {
  size_t size = strlen(text);
  if (size >= METAROCE_MAX_TEXT) size = METAROCE_MAX_TEXT - 1;
  memcpy(answer->text, text, size);
  answer->text[size] = '\0';
  return status;
}

/* --- the functions of a device */

/* METAROCE_DUT_ABI, as the library was built. Called first, before anything is open. */
METAROCE_DUT_EXPORT uint32_t metaroce_dut_abi(void);

/* A device, and what it says of itself (Hello). METAROCE_DONE sets `*dut` and `*about`, which live
 * until metaroce_dut_close(*dut); METAROCE_ERROR, with a sentence in the answer, sets neither. */
METAROCE_DUT_EXPORT metaroce_status metaroce_dut_open(const metaroce_hello* hello,
                                                      metaroce_dut** dut,
                                                      const metaroce_about** about,
                                                      metaroce_answer* answer);

/* Puts the device into the state that the request describes, at time 0 (CONF-RESET). No events. */
METAROCE_DUT_EXPORT metaroce_status metaroce_dut_reset(metaroce_dut* dut,
                                                       const metaroce_reset* reset,
                                                       metaroce_answer* answer);

/* Does all that falls due before `at_ns`, then takes the stimulus and does what follows from it at
 * `at_ns` (CONF-TIME). */
METAROCE_DUT_EXPORT metaroce_status metaroce_dut_apply(metaroce_dut* dut,
                                                       const metaroce_stimulus* stimulus,
                                                       metaroce_answer* answer);

/* Does all that falls due up to and including `to_ns`. */
METAROCE_DUT_EXPORT metaroce_status metaroce_dut_advance(metaroce_dut* dut, uint64_t to_ns,
                                                         metaroce_answer* answer);

/* Values of the state for a person's eyes, as one event METAROCE_FIELDS; without names whatever
 * helps (CONF-SNAPSHOT). Asked only of a device that declares the capability `snapshot`. */
METAROCE_DUT_EXPORT metaroce_status metaroce_dut_snapshot(metaroce_dut* dut,
                                                          const char* const* names, size_t count,
                                                          metaroce_answer* answer);

/* Frees the device (Bye). `dut` is what metaroce_dut_open gave, once. */
METAROCE_DUT_EXPORT void metaroce_dut_close(metaroce_dut* dut);

#ifdef __cplusplus
}
#endif

#endif /* METAROCE_DUT_H_ */
