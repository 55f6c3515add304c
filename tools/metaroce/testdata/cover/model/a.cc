// A source as `metaroce cover` sees it.
//= ACK-DUE-HOLE
//# An arrival with the outcome `hole` makes an ACK of its path due at once.
void Due(const Scope& s) { s.Hit(spec::clause::kAckEarly); }
