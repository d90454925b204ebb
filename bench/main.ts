import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Results } from './results.ts'
import { FULL, only, QUICK, runBench } from './run-bench.ts'
import { tableOf, withTable } from './table.ts'

/**
 * `npm run bench` measures, prints, and writes `results.json` and the table of `README.md`. `--quick` measures less,
 * `--only` measures some parts; both write nothing.
 */
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' }, profile: { type: 'string' } },
})
const isWhole = !values.quick && values.only === undefined
const all = values.quick ? QUICK : FULL
const sizes = values.only === undefined ? all : only(all, values.only)
if (typeof sizes === 'string') {
  console.error(sizes)
  process.exit(2)
}
const found = await runBench(sizes, progressLog(), values.profile)
const results: Results = { date: new Date().toISOString(), quick: values.quick, ...found }
const table = tableOf(results)
console.log(table)
if (isWhole) {
  const page = join(import.meta.dirname, 'README.md')
  await writeFile(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(page, withTable(await readFile(page, 'utf8'), table))
}

/** Returns a function that prints the next step and its time, in seconds since the start. */
function progressLog(): (line: string) => void {
  const start = performance.now()
  return (line) => console.error(`${Math.round((performance.now() - start) / 1000)} s: ${line}`)
}
