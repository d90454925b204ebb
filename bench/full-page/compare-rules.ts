import type { Case } from './cases.ts'
import type { PageReader } from './page-reader.ts'
import { pageWith, PARTS, type Parts, type Scripted } from './page-with-parts.ts'
import { openPartsSite } from './parts-site.ts'
import type { RecordedPage } from './recorded-pages.ts'
import { alertsOf, type Readings, type RuleName } from './verdicts.ts'

/** What the rules did with the pages. */
export interface Comparison {
  readonly pages: number
  /** Pages that `auto` renders whatever the rule is; they are left out. */
  readonly renderedToday: readonly string[]
  /** Pages whose recorded form has no scripts. */
  readonly withoutScripts: number
  /** Pages whose same answer, rendered twice, gave two texts. */
  readonly restless: readonly string[]
  /** For each case: the pages on which the two answers differed as sent or in a part, and the alerts by rule. */
  readonly cases: readonly CaseResult[]
  /** Pages that could not be rendered, with the fault. */
  readonly faults: readonly string[]
}

interface CaseResult {
  readonly name: string
  readonly pages: number
  readonly alerts: Readonly<Partial<Record<RuleName, number>>>
}

interface Means {
  readonly reader: PageReader
  readonly atOnce: number
  /** Gets the name of each page that is done. */
  readonly onPage?: (name: string) => void
}

/** Sends each page with each case's two answers, and counts which rules send an alert. */
export async function compareRules(
  pages: readonly RecordedPage[],
  cases: readonly Case[],
  { reader, atOnce, onPage }: Means,
): Promise<Comparison> {
  const waiting = [...pages]
  const done: PageResult[] = []
  const worker = async (): Promise<void> => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      done.push(await comparePage(page, cases, reader))
      onPage?.(page.name)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return {
    pages: pages.length,
    renderedToday: done.flatMap(({ name, isRenderedToday }) => (isRenderedToday ? [name] : [])),
    withoutScripts: done.filter(({ hasScripts }) => !hasScripts).length,
    restless: done.flatMap(({ name, isRestless }) => (isRestless ? [name] : [])),
    faults: done.flatMap(({ faults }) => faults),
    cases: cases.map(({ name }) => sumOf(name, done)),
  }
}

function sumOf(name: string, done: readonly PageResult[]): CaseResult {
  const found = done.flatMap(({ alerts }) => alerts.get(name) ?? [])
  const alerts: Partial<Record<RuleName, number>> = {}
  for (const rules of found) for (const rule of rules) alerts[rule] = (alerts[rule] ?? 0) + 1
  return { name, pages: found.length, alerts }
}

interface PageResult {
  readonly name: string
  readonly isRenderedToday: boolean
  readonly hasScripts: boolean
  readonly isRestless: boolean
  readonly alerts: ReadonlyMap<string, ReadonlySet<RuleName>>
  readonly faults: readonly string[]
}

async function comparePage(page: RecordedPage, cases: readonly Case[], reader: PageReader): Promise<PageResult> {
  const site = await openPartsSite()
  const faults: string[] = []
  const read = async (html: string, parts: Parts, scripted: Scripted): Promise<Readings> => {
    const body = Buffer.from(pageWith(html, parts, scripted), 'latin1')
    site.send({ body, contentType: page.contentType, fetchedText: parts.fetchedText, scriptText: parts.scriptText })
    const rendered = await reader.rendered(site.url)
    if (rendered.fault !== null) faults.push(`${page.name}: ${rendered.fault}`)
    const [sent, text] = [await reader.sent(site.url), await reader.text(site.url)]
    return { sent, text, rendered: rendered.hash, hasScripts: hasScripts(body.toString('latin1')) }
  }
  try {
    const first = new Map<Scripted, Readings>()
    const alerts = new Map<string, ReadonlySet<RuleName>>()
    for (const { name, scripted, change } of cases) {
      const before = first.get(scripted) ?? (await read(page.html, PARTS, scripted))
      first.set(scripted, before)
      const isOwn = change === 'own number'
      const after = isOwn
        ? await read(page.otherNumber, PARTS, scripted)
        : await read(page.html, { ...PARTS, ...change }, scripted)
      // A nonce of scripts is no difference of a page that has none. A page that was not rendered says nothing.
      const isTried = before.sent !== after.sent || (!isOwn && ('fetchedText' in change || 'scriptText' in change))
      if (isTried && before.rendered !== null && after.rendered !== null) alerts.set(name, alertsOf(before, after))
    }
    const again = await read(page.html, PARTS, 'plain')
    return {
      name: page.name,
      isRenderedToday: await reader.isRenderedToday(site.url),
      hasScripts: hasScripts(page.html),
      isRestless: again.rendered !== first.get('plain')?.rendered,
      alerts,
      faults,
    }
  } finally {
    await site.close()
  }
}

/** As the extraction finds scripts: data aside. */
const hasScripts = (html: string) => /<script(?=[\s>])(?![^>]*\stype\s*=\s*["']?[^"'>]*json)/i.test(html)
