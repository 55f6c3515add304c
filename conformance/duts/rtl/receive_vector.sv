// The receive vector of one path (chapter 6) as hardware: one packet a cycle.
module receive_vector #(
    // Wrong on purpose: compares path sequences as plain numbers, and not by SEQ-COMPARE.
    parameter bit PLAIN_COMPARE = 1'b0
) (
    input logic clk,
    input logic reset,
    input logic [31:0] reset_base,
    input logic valid,
    input logic is_probe,
    input logic [31:0] path_sequence,
    input logic is_marked,
    input logic [31:0] transmit_time,
    output logic [2:0] outcome,
    output logic [31:0] base,
    output logic [255:0] bits,  // bit i stands for path sequence base + i
    output logic [8:0] span,  // the highest bit that is set, plus one
    output logic [15:0] arrivals,
    output logic [15:0] ce,
    output logic [7:0] duplicates,
    output logic [31:0] echo
);
  // ACK-VECTOR-OUTCOME, and `probe`.
  localparam logic [2:0] BEYOND = 0, DUPLICATE = 1, HOLE = 2, IN_ORDER = 3, FILL = 4, LATE = 5;
  localparam logic [2:0] PROBE = 6;

  function automatic logic [8:0] span_of(logic [255:0] vector);
    span_of = 0;
    for (int i = 0; i < 256; ++i) if (vector[i]) span_of = 9'(i + 1);
  endfunction

  // How many of the lowest bits are set without a gap.
  function automatic logic [8:0] ones_of(logic [255:0] vector);
    ones_of = 256;
    for (int i = 255; i >= 0; --i) if (!vector[i]) ones_of = 9'(i);
  endfunction

  wire [31:0] ahead = path_sequence - base;
  wire below = PLAIN_COMPARE ? path_sequence < base : ahead[31];
  wire beyond = !below && ahead[31:8] != 0;
  wire seen = below || bits[ahead[7:0]];
  wire [255:0] marked = bits | 256'd1 << ahead[7:0];
  wire [8:0] passed = ones_of(marked);
  wire [255:0] moved = marked >> passed;

  assign span = span_of(bits);

  always_ff @(posedge clk) begin
    if (reset) begin
      base <= reset_base;
      bits <= 0;
      arrivals <= 0;
      ce <= 0;
      duplicates <= 0;
      echo <= 0;
      outcome <= PROBE;
    end else if (valid && is_probe) begin
      echo <= transmit_time;  // ACK-ARRIVAL-PROBE: it adds to no count
      outcome <= PROBE;
    end else if (valid && beyond) begin
      outcome <= BEYOND;
    end else if (valid) begin
      arrivals <= arrivals + 1;
      ce <= ce + 16'(is_marked);
      echo <= transmit_time;
      if (seen) begin
        duplicates <= duplicates + 1;
        outcome <= DUPLICATE;
      end else begin
        bits <= moved;
        base <= base + 32'(passed);
        if (ahead > 32'(span)) outcome <= HOLE;
        else if (ahead == 32'(span)) outcome <= IN_ORDER;
        else if (ahead == 0) outcome <= FILL;
        else outcome <= LATE;
      end
    end
  end
endmodule
