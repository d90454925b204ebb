import { join } from 'node:path'
import { accuracyOf, byEngine, robustnessOf, type Accuracy } from './accuracy.ts'
import { savedPages, type SavedPage } from './saved-pages.ts'

/**
 * `npm run bench:serp [DIR]` measures how well pages of results are read. DIR contains `NAME.html` and `NAME.json` for
 * each page; the default is the folder `serp-fixtures` of TIDEMARK_SHARED.
 */
const shared = process.env['TIDEMARK_SHARED']
const folder = process.argv[2] ?? (shared === undefined ? null : join(shared, 'serp-fixtures'))
if (folder === null) {
  console.error('Name a folder of saved pages: npm run bench:serp -- DIR')
  process.exit(1)
}
const pages = savedPages(folder)
print('All pages', pages)
print('Pages that were looked at while the tables were written', seen(true))
print('Pages that were only measured', seen(false))
printRobustness()

function seen(wanted: boolean): readonly SavedPage[] {
  return pages.filter(({ isSeen }) => isSeen === wanted)
}

function print(title: string, of: readonly SavedPage[]): void {
  const measured = byEngine(of).map(([engine, own]) => ({ engine, ...accuracyOf(own) }))
  console.log(`\n${title}: ${of.length}`)
  console.table(
    Object.fromEntries(
      measured.map(({ engine, ...one }) => [
        engine,
        {
          pages: one.pages,
          results: one.expected,
          precision: percent(one.right, one.found),
          recall: percent(one.right, one.expected),
          'exact position': percent(one.placed, one.expected),
          'results taken for something else': missedOf(one),
          'other pages': one.others,
          'other pages taken wrongly': percent(one.mistaken.length, one.others),
          'wrong flags': one.flags.length,
        },
      ]),
    ),
  )
  for (const { mistaken, flags } of measured) for (const line of [...mistaken, ...flags]) console.log(`  ${line}`)
}

function missedOf({ missed }: Accuracy): string {
  const counts = Object.entries(missed).map(([outcome, count]) => `${count} ${outcome}`)
  return counts.length === 0 ? '0' : counts.join(', ')
}

function printRobustness(): void {
  console.log('\nAll pages, with every class name and generated id renamed at random')
  const rows = byEngine(pages).map(([engine, own]) => {
    const { outcomes, invented, inventedMarked, ...one } = robustnessOf(own, 'bench')
    const row = {
      results: one.expected,
      right: percent(one.right, one.expected),
      wrong: percent(one.wrong, one.expected),
      'wrong, not marked as a guess': one.wrongUnmarked,
      'pages of results taken for': Object.entries(outcomes)
        .map(([outcome, count]) => `${count} ${outcome}`)
        .join(', '),
      'other pages taken for results': `${invented}, and ${inventedMarked} as a guess`,
    }
    return [engine, row] as const
  })
  console.table(Object.fromEntries(rows))
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}
