import { besidesOf } from './besides-table.ts'
import { browserOf, checksOf, peersOf, readsOf, urlwatchOf } from './checks-table.ts'
import { imagesOf, operatorOf, podsOf } from './cluster-tables.ts'
import { dashboardOf } from './dashboard-table.ts'
import { documentsOf } from './documents-table.ts'
import { neighbourOf, retentionOf, soakOf } from './load-tables.ts'
import { looksOf } from './looks-table.ts'
import type { Results } from './results.ts'
import { screensOf } from './screens-table.ts'
import { grid } from './text.ts'

/** Returns the results as Markdown, in the layout that the formatter gives tables. */
export function tableOf(results: Results): string {
  const { date, machine, quick, throughput } = results
  const rounds = throughput[0]?.rounds
  return [
    `${date.slice(0, 10)}, ${machine.cores} cores, Node ${machine.node}, Postgres ` +
      `${machine.postgres}${quick ? ', `--quick`' : ''}. Median ` +
      `(least–most)${rounds === undefined ? '' : ` of ${rounds} rounds`}.`,
    ...(throughput.length > 0 ? [checksOf(throughput)] : []),
    ...(results.browser ? [browserOf(results.browser)] : []),
    ...(results.reads.length > 0 ? [readsOf(results.reads)] : []),
    grid(['besides', 'came to', 'goal'], besidesOf(results)),
    ...measuredByName(results),
    ...(throughput.length > 0 ? [peersOf(throughput)] : []),
  ].join('\n\n')
}

/** Returns the tables of the parts that are measured only by their name. */
const measuredByName = (results: Results): readonly string[] => [
  ...tableIf(results.documents, documentsOf),
  ...tableIf(results.operator, operatorOf),
  ...tableIf(results.retention, retentionOf),
  ...tableIf(results.soak, soakOf),
  ...tableIf(results.urlwatch, urlwatchOf),
  ...tableIf(results.neighbour, neighbourOf),
  ...tableIf(results.dashboard, dashboardOf),
  ...tableIf(results.screens, screensOf),
  ...tableIf(results.looks, looksOf),
  ...tableIf(results.images, imagesOf),
  ...tableIf(results.pods, podsOf),
]

const tableIf = <Part>(part: Part | null | undefined, table: (part: Part) => string): readonly string[] =>
  part === null || part === undefined ? [] : [table(part)]

const BEGIN = '<!-- results: written by bench/main.ts -->'
const END = '<!-- end of results -->'

/** Puts the table between the page's markers. Throws when they are missing. */
export function withTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error('the page has no place for the results')
  return `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`
}
