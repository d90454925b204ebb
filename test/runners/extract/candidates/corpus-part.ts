import { join } from 'node:path'
import { pathOf } from '../../../../runners/extract/candidates/element-at.ts'
import { read } from '../../../../runners/extract/candidates/look-thread.ts'
import { parseMarkup } from '../../../../runners/extract/on-tree.ts'
import { decode } from '../../../../runners/extract/text/charset.ts'
import { CorpusFolder } from '../../../../tools/corpus/folder.ts'
import { CHANGES, type Clicks, clickThrough, noClicks, usedMs, visibleTexts } from './corpus-clicks.ts'

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

/** Returns the processor time of clicks as a thread answers them: both documents are parsed for each. */
export function timeClicks(shared: string): number[] {
  const folder = new CorpusFolder(join(shared, 'corpus'))
  const pages = folder.list('html').filter((file) => file.endsWith('.html'))
  return pages.flatMap((name) => {
    const page = folder.page(name, 'text/html')
    const parsed = parseMarkup(page)
    if (!parsed.ok) throw new Error(parsed.fault.message)
    const texts = visibleTexts(parsed.tree)
    return [0.2, 0.5, 0.8].flatMap((part) => {
      const element = texts[Math.floor(texts.length * part)]
      if (element === undefined) return []
      const before = usedMs()
      read(page, { what: 'candidates', path: pathOf(element), method: null, other: page })
      return [usedMs() - before]
    })
  })
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
    `${clicked} clicks, ${offered} with candidates; not a path from the root: ${percent(notPositional)}`,
    `  not fragile: ${percent(notFragile)}`,
    `  processor time of a click: ${quantile(ms, 0.5)} ms (p50), ${quantile(ms, 0.95)} ms (p95)`,
    ...changes,
    `  first candidates: ${shares.join(', ')}`,
  ].join('\n')
}

export const quantile = (values: readonly number[], part: number): number =>
  Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? 0)
