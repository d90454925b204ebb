import { Command } from 'commander'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Results } from './results/results.ts'
import { tableOf, withTable } from './results/table.ts'
import { FULL, only, PARTS, QUICK, runBench, unnamed } from './run-bench.ts'

/**
 * `npm run bench` measures, prints, and writes `results/results.json` and the table of `README.md`. `--quick` measures
 * less, `--only` measures some parts; both write nothing. But `--only` with one part of `BY_NAME` puts its rows beside
 * the others.
 */
interface Options {
  readonly quick: boolean
  readonly only?: string
  readonly profile?: string
}

const program = new Command('npm run bench --')
  .description('Measures the service beside bare loops of the same run, and prints a table.')
  .option('--quick', 'measure less, and write nothing', false)
  .option('--only <parts>', `measure these parts alone: ${PARTS.join(', ')}`)
  .option('--profile <folder>', 'write a processor profile of each worker there')
  .addHelpText('after', '\nExamples:\n  npm run bench -- --quick\n  npm run bench -- --only claims,browser')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
const values = program.parse().opts<Options>()
const isWhole = !values.quick && values.only === undefined
const all = values.quick ? QUICK : FULL
const sizes = values.only === undefined ? unnamed(all) : only(all, values.only)
if (typeof sizes === 'string') {
  console.error(sizes)
  process.exit(2)
}
const found = await runBench(sizes, progressLog(), values.profile)
const results: Results = { date: new Date().toISOString(), quick: values.quick, ...found }
console.log(tableOf(results))
const file = join(import.meta.dirname, 'results/results.json')
const former = JSON.parse(await readFile(file, 'utf8')) as Results
/** Parts that are measured only by their name. */
const BY_NAME = [
  'documents',
  'operator',
  'retention',
  'soak',
  'urlwatch',
  'neighbour',
  'dashboard',
  'screens',
  'looks',
  'images',
  'pods',
] as const
const kept = Object.fromEntries(BY_NAME.map((part) => [part, former[part] ?? null]))
const named = BY_NAME.find((part) => part === values.only)
if (isWhole) await write({ ...results, ...kept })
else if (!values.quick && named !== undefined) await write({ ...former, [named]: results[named] ?? null })

async function write(all: Results): Promise<void> {
  const page = join(import.meta.dirname, 'README.md')
  await writeFile(file, `${JSON.stringify(all, null, 2)}\n`)
  await writeFile(page, withTable(await readFile(page, 'utf8'), tableOf(all)))
}

/** Returns a function that prints the next step and its time, in seconds since the start. */
function progressLog(): (line: string) => void {
  const start = performance.now()
  return (line) => console.error(`${Math.round((performance.now() - start) / 1000)} s: ${line}`)
}
