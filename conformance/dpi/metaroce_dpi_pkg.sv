// The contract of chapter 15 for a bench in SystemVerilog, over DPI-C, with metaroce_dpi.c beside it. The
// simulator's standard output is the device's: from metaroce_open on, what is printed goes to standard
// error, the device's log; before it nothing may be printed, so run the simulator without a banner.
//
//   metaroce_open("mine", "1.0", "block-receive-vector");
//   forever case (metaroce_next())
//     METAROCE_RESET: begin ...; metaroce_done(); end
//     METAROCE_BLOCK: begin
//       sequence_ = metaroce_number("sequence", 0);
//       ...
//       metaroce_event(METAROCE_FIELDS, 0);
//       metaroce_put_number("base", base);
//       metaroce_done();
//     end
//     METAROCE_END: $finish;
//     default: metaroce_error("the bench has no such request.");
//   endcase
// Nobody needs every kind.
// verilator lint_off UNUSEDPARAM
package metaroce_dpi_pkg;
  // What is asked. Each is answered once, by metaroce_done and its like, before the next.
  localparam int METAROCE_END = 0;  // no more comes
  localparam int METAROCE_RESET = 1;
  localparam int METAROCE_DECODE = 2;
  localparam int METAROCE_ENCODE = 3;
  localparam int METAROCE_BLOCK = 4;
  localparam int METAROCE_ARRIVE = 5;
  localparam int METAROCE_POST = 6;
  localparam int METAROCE_ADVANCE = 7;
  localparam int METAROCE_SNAPSHOT = 8;

  // What follows from it.
  localparam int METAROCE_FIELDS = 1;
  localparam int METAROCE_PACKET = 2;
  localparam int METAROCE_COMPLETION = 3;
  localparam int METAROCE_PLACEMENT = 4;

  // What the device is; capabilities with blanks between them. Called once, first.
  import "DPI-C" function void metaroce_open(input string name, input string version,
                                             input string capabilities);
  // A parameter of its profile, or a constant that differs from the default. Behind metaroce_open, before
  // the first metaroce_next.
  import "DPI-C" function void metaroce_profile(input string name, input longint unsigned number);
  // Waits for the next request. Hello and Bye are answered here.
  import "DPI-C" function int metaroce_next();

  // --- the request: its time in nanoseconds, the vector it belongs to, the level and block of a reset
  import "DPI-C" function longint unsigned metaroce_time();
  import "DPI-C" function string metaroce_vector();
  import "DPI-C" function string metaroce_level();
  import "DPI-C" function string metaroce_block();
  // Its fields: configuration, input record, post.
  import "DPI-C" function longint unsigned metaroce_number(input string name,
                                                           input longint unsigned otherwise);
  import "DPI-C" function int metaroce_is_word(input string name, input string word);
  // Bytes: of a field, or of the frame if the name is "". 0 beyond the end.
  import "DPI-C" function int metaroce_size(input string name);
  import "DPI-C" function int metaroce_byte(input string name, input int at);
  import "DPI-C" function int metaroce_plane();

  // --- the answer: events in their order, each with what belongs to it
  import "DPI-C" function void metaroce_event(input int kind, input longint unsigned at_ns);
  import "DPI-C" function void metaroce_put_number(input string name,
                                                   input longint unsigned number);
  import "DPI-C" function void metaroce_put_word(input string name, input string word);
  // Data of no bytes yet, which metaroce_put_byte adds; "": a packet's frame, a placement's data.
  import "DPI-C" function void metaroce_put_data(input string name);
  import "DPI-C" function void metaroce_put_byte(input int value);
  // Of a packet its plane, of a placement its address.
  import "DPI-C" function void metaroce_put_place(input longint unsigned place);

  import "DPI-C" function void metaroce_done();
  import "DPI-C" function void metaroce_reject(input string reason);
  import "DPI-C" function void metaroce_unsupported(input string capability);
  import "DPI-C" function void metaroce_error(input string sentence);
endpackage
// verilator lint_on UNUSEDPARAM
