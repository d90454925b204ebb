import { join } from 'node:path'
import { decode } from '../../../../runners/extract/text/charset.ts'
import { CorpusFolder } from '../../../../tools/corpus/folder.ts'
import { CHANGES, type Clicks, clickThrough, noClicks } from './corpus-clicks.ts'

/** Clicks on at most `most` texts of each recorded page. */
export function clickCorpus(shared: string, most: number): Clicks {
  const clicks = noClicks()
  const folder = new CorpusFolder(join(shared, 'corpus'))
  for (const name of folder.list('html').filter((file) => file.endsWith('.html'))) {
    const { body, contentType } = folder.page(name)
    clickThrough(decode(body, contentType, 'html').text, most, clicks)
  }
  return clicks
}

/** Returns the figures as lines for a person. */
export function figuresOf({ clicked, offered, notPositional, notFragile, ms, kept, kinds }: Clicks): string {
  const percent = (part: number) => `${((100 * part) / clicked).toFixed(1)} %`
  const changes = CHANGES.map((change) => {
    const { rules, paths } = kept[change]
    return `  ${change}: ${percent(rules)} of the first candidates find their element, ${percent(paths)} of the paths`
  })
  const shares = [...kinds].toSorted(([, one], [, other]) => other - one).map(([kind, count]) => `${kind} ${count}`)
  return [
    `${clicked} clicks, ${offered} with candidates; not a path from the root: ${percent(notPositional)}; not fragile: ` +
      percent(notFragile),
    `  processor time of a click: ${quantile(ms, 0.5)} ms (p50), ${quantile(ms, 0.95)} ms (p95)`,
    ...changes,
    `  first candidates: ${shares.join(', ')}`,
  ].join('\n')
}

export const quantile = (values: readonly number[], part: number): number =>
  Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? 0)
