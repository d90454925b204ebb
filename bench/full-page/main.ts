import { Command } from 'commander'
import { join } from 'node:path'
import { CASES } from './cases.ts'
import { compareRules } from './compare-rules.ts'
import { measureCost } from './measure-cost.ts'
import { openPageReader } from './page-reader.ts'
import { printComparison, printCost } from './print.ts'
import { recordedPages } from './recorded-pages.ts'

/**
 * `npm run bench:full-page [DIR]` compares rules for when a whole page has changed, on recorded pages. DIR has a
 * `manifest.json`; the default is the folder `corpus` of TIDEMARK_SHARED. Nothing but loopback is asked.
 */
interface Options {
  readonly every: string
  readonly only?: string
}

const shared = process.env['TIDEMARK_SHARED']
const program = new Command('npm run bench:full-page --')
  .description('Compares rules for when a whole page has changed: false alerts, missed changes, cost.')
  .argument('[folder]', 'recorded pages', shared === undefined ? undefined : join(shared, 'corpus'))
  .option('--every <n>', 'take each nth page', '1')
  .option('--only <part>', 'one part: rules or cost')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
const [folder] = program.processedArgs as [string | undefined]
const { every, only } = program.opts<Options>()
if (folder === undefined) {
  console.error('Name a folder of recorded pages: npm run bench:full-page -- DIR')
  process.exit(1)
}
const pages = recordedPages(folder).filter((_, index) => index % Number(every) === 0)
const AT_ONCE = 2
const reader = await openPageReader(AT_ONCE)
try {
  if (only !== 'rules') printCost(await measureCost(pages, reader))
  if (only !== 'cost') {
    const onPage = (name: string) => console.error(`compared: ${name}`)
    printComparison(CASES, await compareRules(pages, CASES, { reader, atOnce: AT_ONCE, onPage }))
  }
} finally {
  await reader.close()
}
