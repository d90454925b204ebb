import Type, { type Static } from 'typebox'
import { BACKTEST_CHANGES, backtestDays, backtested, backtestedRun } from '../monitor/backtest.ts'
import { Choice, Closed, Nullable, RuledText, Text, Whole } from '../shape/shape.ts'
import { SERP_MODES } from './serp-monitor.ts'

/** Body of `POST /v1/serp-monitors/{id}/backtest`. What is absent is that of the monitor. */
export const SerpBacktestRequest = Closed(
  {
    mode: Type.Optional(Choice(SERP_MODES, { description: 'Absent: that of the monitor.' })),
    target_domain: Type.Optional(
      Nullable(
        RuledText(2048, ['search_target'], 'What to look for. Absent: that of the monitor. Not with full_analysis.'),
      ),
    ),
    rank_change_threshold: Type.Optional(
      Nullable(
        Whole(1, 1000, {
          description: 'Positions of movement that fire, with rank_tracking. Absent: that of the monitor.',
        }),
      ),
    ),
    days: backtestDays,
  },
  { rules: ['target_unused'] },
)
export type SerpBacktestRequest = Static<typeof SerpBacktestRequest>

const Rank = (description: string) => Nullable(Type.Integer({ minimum: 1 }), { description })

/** A stored run of a search whose results differ, with the decision. */
export const SerpBacktestRun = Closed({
  ...backtestedRun,
  rank: Rank('Where target_domain stands. Null: not listed, not known, or no target.'),
  previous_rank: Rank('The same in the run that it is compared with.'),
  why: Text(1, 5000, 'Why it fires, or does not.'),
})
export type SerpBacktestRun = Static<typeof SerpBacktestRun>

/** Response of a backtest of a search. */
export const SerpBacktest = Closed({
  ...backtested,
  runs: Type.Array(SerpBacktestRun, { description: 'Newest first.', maxItems: BACKTEST_CHANGES }),
})
export type SerpBacktest = Static<typeof SerpBacktest>
