import { besidesOf } from './besides-table.ts'
import { browserOf, checksOf, peersOf, readsOf } from './checks-table.ts'
import { imagesOf, operatorOf, podsOf } from './cluster-tables.ts'
import { dashboardOf } from './dashboard-table.ts'
import { documentsOf } from './documents-table.ts'
import { neighbourOf, retentionOf } from './load-tables.ts'
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
    ...namedOf(results),
    ...(throughput.length > 0 ? [peersOf(throughput)] : []),
  ].join('\n\n')
}

/** Returns the tables of what is measured only by name. */
function namedOf(results: Results): string[] {
  const { documents, operator, retention, neighbour, dashboard, screens, images, pods } = results
  return [
    documents && documentsOf(documents),
    operator && operatorOf(operator),
    retention && retentionOf(retention),
    neighbour && neighbourOf(neighbour),
    dashboard && dashboardOf(dashboard),
    screens && screensOf(screens),
    images && imagesOf(images),
    pods && podsOf(pods),
  ].filter((table) => typeof table === 'string')
}

const BEGIN = '<!-- results: written by bench/main.ts -->'
const END = '<!-- end of results -->'

/** Puts the table between the page's markers. Throws when they are missing. */
export function withTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error('the page has no place for the results')
  return `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`
}
