import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Results } from './results.ts'
import { FULL, QUICK, runBench } from './run-bench.ts'
import { tableOf, withTable } from './table.ts'

/** `npm run bench`: measures, prints, and writes `results.json` and the table of `README.md`. `--quick` measures less and writes nothing. */
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, profile: { type: 'string' } } })
const found = await runBench(values.quick ? QUICK : FULL, (line) => console.error(line), values.profile)
const results: Results = { date: new Date().toISOString(), quick: values.quick, ...found }
const table = tableOf(results)
console.log(table)
if (!values.quick) {
  const page = join(import.meta.dirname, 'README.md')
  await writeFile(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(page, withTable(await readFile(page, 'utf8'), table))
}
