//= ACK-DUE-HOLE
//# An arrival with the outcome `hole`
TEST(HoleTest, MakesAnAckDue) { Due(s); }
