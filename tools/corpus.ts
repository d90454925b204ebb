import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWN_DIFFERENCES } from './corpus/known-differences.ts'
import { runCorpus } from './corpus/run.ts'
import { explainedCount } from './corpus/tally.ts'
import type { Tally } from './corpus/tally.ts'

// `npm run corpus [DIR]` measures how far Tidemark's values equal a browser's on recorded pages, and which real feeds
// and JSON it can read. It exits with 1 when there is a difference that tools/corpus/known-differences.ts does not
// explain, and with 2 when there is no corpus.

const shared = process.env['TIDEMARK_SHARED']
const root = process.argv[2] ?? (shared === undefined ? undefined : join(shared, 'corpus'))
if (root === undefined || !existsSync(root)) {
  console.error(
    'No corpus: give its folder as an argument, or set TIDEMARK_SHARED to the folder that has corpus/ in it.',
  )
  process.exit(2)
}

const tallies = runCorpus(root)
for (const tally of tallies) for (const line of tally.unexplained) console.log(`differs  ${tally.part}  ${line}`)
for (const tally of tallies)
  for (const [feature, count] of tally.explained)
    console.log(`explained  ${tally.part}  ${count} × ${KNOWN_DIFFERENCES.get(feature)}`)
console.log(table(tallies))
process.exitCode = tallies.some((tally) => tally.unexplained.length > 0) ? 1 : 0

function table(rows: readonly Tally[]): string {
  const cells = rows.map((tally) => {
    const bad = tally.unexplained.length
    const explained = explainedCount(tally)
    const all = tally.passed + bad + explained
    const share = all === 0 ? '-' : `${((100 * tally.passed) / all).toFixed(2)} %`
    return [tally.part, `${tally.passed} of ${all}`, share, String(explained), String(bad)]
  })
  const lines = [['part', 'as expected', 'share', 'explained', 'unexplained'], ...cells]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
