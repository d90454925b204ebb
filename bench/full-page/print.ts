import type { Case } from './cases.ts'
import type { Comparison } from './compare-rules.ts'
import type { Cost, OneCost } from './measure-cost.ts'
import { RULE_NAMES } from './verdicts.ts'

/** Prints the share of pages on which each rule was wrong, case by case. */
export function printComparison(cases: readonly Case[], found: Comparison): void {
  const { pages, withoutScripts, renderedToday, restless, faults } = found
  console.log(`\n${pages} pages, ${withoutScripts} of them without scripts.`)
  console.log(`Rendered by \`auto\` whatever the rule is: ${listOf(renderedToday)}`)
  console.log(`Two texts of the same answer, rendered twice: ${listOf(restless)}`)
  for (const fault of faults) console.log(`Not rendered: ${fault}`)
  for (const kind of ['unseen', 'seen'] as const) {
    console.log(kind === 'unseen' ? '\nFalse alerts, of pages' : '\nMissed changes, of pages')
    const wrong = found.cases.filter(({ name }) => cases.find((one) => one.name === name)?.kind === kind)
    const count = (alerts: number, of: number) => (kind === 'unseen' ? alerts : of - alerts)
    const rows = wrong.map(({ name, pages: of, alerts }) => {
      const counts = RULE_NAMES.map((rule) => [rule, `${count(alerts[rule] ?? 0, of)} of ${of}`] as const)
      return [name, Object.fromEntries(counts)] as const
    })
    const all = wrong.reduce((sum, { pages: of }) => sum + of, 0)
    const sums = RULE_NAMES.map((rule) => {
      const sum = wrong.reduce((total, { pages: of, alerts }) => total + count(alerts[rule] ?? 0, of), 0)
      return [rule, `${sum} of ${all} (${Math.round((100 * sum) / Math.max(1, all))} %)`] as const
    })
    console.table(Object.fromEntries([...rows, ['all', Object.fromEntries(sums)] as const]))
  }
}

const listOf = (names: readonly string[]) => `${names.length}${names.length === 0 ? '' : `: ${names.join(', ')}`}`

/** Shares of checks that find another response than the one before. */
const RATES = [0, 0.01, 0.1, 0.5, 1]

/** Prints the processor time of a check by rule, where some of the checks find another response. */
export function printCost({ pages, unchanged, sent, text, rendered }: Cost): void {
  console.log(`\nOne check, mean of ${pages} pages: ms of processor time, and the median of the time that it takes`)
  console.table({
    'response unchanged': shown(unchanged),
    'hash as sent': shown(sent),
    'text as sent': shown(text),
    'rendered text': shown(rendered),
  })
  console.log('\nMs of processor time a check, by the share of checks with another response')
  const row = (costAt: (rate: number) => number) =>
    Object.fromEntries(RATES.map((rate) => [`${rate * 100} %`, costAt(rate).toFixed(1)]))
  const mixed = (same: OneCost, other: OneCost) => (rate: number) => same.cpuMs * (1 - rate) + other.cpuMs * rate
  console.table({
    'hash as sent (today)': row(mixed(unchanged, sent)),
    'text as sent (today, with `ignore`)': row(mixed(unchanged, text)),
    'hash as sent, then rendered text': row((rate) => unchanged.cpuMs + rate * rendered.cpuMs),
    'rendered text (today, `browser` and `ignore`)': row(() => rendered.cpuMs),
  })
}

const shown = ({ cpuMs, medianWallMs }: OneCost) => ({
  'ms of processor time': cpuMs.toFixed(1),
  'ms until it ends': medianWallMs.toFixed(1),
})
