/* Vectors as C data, for a device or a bench that has no file system.
 *
 * `metaroce vector export --form c --out FOLDER` writes metaroce_vectors.c, which holds the arrays
 * declared here; compile it with this header and metaroce_dut.h. A vector is played by giving its
 * reset and then its steps in their order to the functions of metaroce_dut.h, and holding what they
 * answer against the expectations (chapter 15 of the text, CONF-STEP, CONF-EXPECT). Bursts are
 * taken apart, so that in levels and blocks without time an expectation stands behind each
 * stimulus; packets are in bytes where they are given exactly; and times are those of a device
 * whose profile has the defaults.
 */
#ifndef METAROCE_VECTORS_H_
#define METAROCE_VECTORS_H_

#include "metaroce_dut.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t metaroce_expect_kind;
enum {
  METAROCE_EXPECT_FIELDS = 1,          /* a record with exactly `fields` */
  METAROCE_EXPECT_INCLUDES = 2,        /* a record with at least `fields` */
  METAROCE_EXPECT_REJECT = 3,          /* a rejection; the reason is `reason` */
  METAROCE_EXPECT_PACKET = 4,          /* exactly the bytes of `bytes`, by `plane` */
  METAROCE_EXPECT_PACKET_FIELDS = 5,   /* a packet with exactly `fields`, by `plane` */
  METAROCE_EXPECT_PACKET_INCLUDES = 6, /* a packet with at least `fields`, by `plane` */
  METAROCE_EXPECT_COMPLETION = 7,      /* a completion with exactly `fields` */
  METAROCE_EXPECT_PLACEMENT = 8,       /* the bytes of `bytes`, placed from `address` on */
  METAROCE_EXPECT_NOTHING = 9,         /* no event from `from_ns` up to and including `until_ns` */
  METAROCE_EXPECT_ONE_OF = 10          /* exactly one of `outcomes` */
};

typedef struct metaroce_expect {
  metaroce_expect_kind kind;
  uint32_t plane;
  uint64_t from_ns; /* not before; 0, as `until_ns`, in levels and blocks without time */
  uint64_t until_ns;
  metaroce_record fields;
  const uint8_t* bytes;
  size_t size;
  uint64_t address;
  const char* reason;
  const struct metaroce_expect* outcomes;
  size_t outcome_count;
} metaroce_expect;

typedef uint32_t metaroce_step_kind;
enum {
  METAROCE_STEP_APPLY = 1,   /* metaroce_dut_apply with `stimulus` */
  METAROCE_STEP_ADVANCE = 2, /* metaroce_dut_advance to `to_ns` */
  METAROCE_STEP_EXPECT = 3   /* `expect` joins what is waited for */
};

typedef struct metaroce_step {
  metaroce_step_kind kind;
  uint32_t step;      /* of the vector, from 1; all of a burst have the same */
  const char* clause; /* that an expectation tests */
  const metaroce_stimulus* stimulus;
  uint64_t to_ns;
  const metaroce_expect* expect;
} metaroce_step;

typedef struct metaroce_vector {
  const char* title;
  metaroce_reset reset;            /* with the vector's id, level and block */
  const char* const* capabilities; /* that a device must declare */
  size_t capability_count;
  const metaroce_step* steps;
  size_t step_count;
} metaroce_vector;

extern const metaroce_vector metaroce_vectors[];
extern const size_t metaroce_vector_count;

#ifdef __cplusplus
}
#endif

#endif /* METAROCE_VECTORS_H_ */
