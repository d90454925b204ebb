import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { fires, type Matches } from './fires.ts'
import type { Judged } from './judged.ts'

type Group = Extract<DiffPredicate, { type: 'composite' }>

/** Returns a text from which a person sees why a group of conditions holds or does not. */
export function describeGroup({ operator, conditions }: Group, judged: Judged, matches: Matches): string {
  if (judged.diff === null) return 'nothing differs'
  const truths = conditions.map((condition) => fires(condition, judged, matches))
  const holding = truths.filter((truth) => truth === true).length
  const unknown = truths.filter((truth) => truth === 'unknown').length
  const open = unknown === 0 ? '' : `, and of ${unknown} it is not known`
  const wanted = operator === 'AND' ? 'all were asked for' : 'one was asked for'
  return `${counted(holding, conditions.length)}${open}; ${wanted}`
}

const counted = (holding: number, all: number) =>
  all === 1
    ? `the only condition ${holding === 1 ? 'holds' : 'does not hold'}`
    : `${holding === 0 ? 'none' : holding} of ${all} conditions ${holding > 1 ? 'hold' : 'holds'}`
