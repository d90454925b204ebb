/**
 * In CI, a wait that ran out is made once more: a machine that was busy with something else is no fault of the code.
 * Whatever else fails has failed. `TallyReporter` names what passed on its second try, with the error of the first.
 */
export const SECOND_TRY = {
  count: 1,
  condition: /^still not so after |timed out in \d+ ?ms|cancelled due to a statement_timeout/,
}
