-- expand
-- Only comments: a log of a lower generation may be followed once an operator has lifted the halt that it causes.

comment on column signer_log_generation.generation is
  'The generation that the signer attested; null before the first. A higher one starts a recovery of every network. A lower one halts payouts, and is followed with such a recovery once an operator lifts the halt.';
comment on column signer_log_generation.rewound_position is
  'The position at which the log was found to lack adopted entries or to be of a lower generation; null if it was not. If an operator lifts the halt while it is still so, the log is followed from its start.';
