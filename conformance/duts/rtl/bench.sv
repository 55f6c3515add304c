// The block as a device under test: requests come and answers go over DPI-C. A device of your own keeps
// this loop and drives its own ports in `give`.
module bench #(
    parameter bit PLAIN_COMPARE = 1'b0
);
  import metaroce_dpi_pkg::*;

  logic clk = 0, reset = 0, valid = 0, is_probe = 0, is_marked = 0;
  logic [31:0] reset_base = 0, path_sequence = 0, transmit_time = 0;
  logic [2:0] outcome;
  logic [31:0] base, echo;
  logic [255:0] bits;
  logic [8:0] span;
  logic [15:0] arrivals, ce;
  logic [7:0] duplicates;

  receive_vector #(.PLAIN_COMPARE(PLAIN_COMPARE)) dut (.*);

  task automatic tick();
    #1 clk = 1;
    #1 clk = 0;
    #1;
  endtask

  function automatic string outcome_name();
    case (outcome)
      0: return "beyond-window";
      1: return "duplicate";
      2: return "hole";
      3: return "in-order";
      4: return "fill";
      5: return "late";
      default: return "probe";
    endcase
  endfunction

  // CONF-RECEIVE-VECTOR: the state as a block of an ACK reports it.
  task automatic report_state();
    // ACK-BITMAP: 0, 64, 128 or 256 bits, the most significant byte first.
    automatic int bytes = span == 0 ? 0 : span <= 64 ? 8 : span <= 128 ? 16 : 32;
    metaroce_put_number("base", 64'(base));
    metaroce_put_data("bitmap");
    for (int i = bytes - 1; i >= 0; --i) metaroce_put_byte(32'(bits[8*i+:8]));
    metaroce_put_number("arrivals", 64'(arrivals));
    metaroce_put_number("ce", 64'(ce));
    metaroce_put_number("duplicates", 64'(duplicates));
    metaroce_put_number("echo", 64'(echo));
  endtask

  task automatic start();
    reset = 1;
    reset_base = 32'(metaroce_number("base", 0));
    tick();
    reset = 0;
    metaroce_done();
  endtask

  task automatic give();
    is_probe = metaroce_is_word("kind", "probe") != 0;
    path_sequence = 32'(metaroce_number("sequence", 0));
    is_marked = metaroce_number("ce", 0) != 0;
    transmit_time = 32'(metaroce_number("transmit_time", 0));
    valid = 1;
    tick();
    valid = 0;
    metaroce_event(METAROCE_FIELDS, 0);
    metaroce_put_word("outcome", outcome_name());
    report_state();
    metaroce_done();
  endtask

  initial begin
    automatic int request;
    metaroce_open("metaroce-rtl", "0.1.0", "block-receive-vector");
    metaroce_profile("react_max", 0);
    request = metaroce_next();
    while (request != METAROCE_END) begin
      case (request)
        METAROCE_RESET: start();
        METAROCE_BLOCK: give();
        default: metaroce_error("this device is the block receive-vector alone.");
      endcase
      request = metaroce_next();
    end
    $finish;
  end
endmodule
