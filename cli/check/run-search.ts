import { printable } from '../../core/printable.ts'
import { presentOf } from '../../core/serp/ended-search.ts'
import { isTarget, targetRank } from '../../core/serp/target-rank.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { createExtractor } from '../../runners/extract/pool/extractor.ts'
import { checkSearch, type SearchPorts } from '../../runners/serp/check-search.ts'
import type { SearchChecked } from '../../runners/serp/search-checked.ts'
import { SEARCH_TARGET } from '../../schema/rules/serp-rules.ts'
import type { SearchReading } from '../../schema/serp/search-reading.ts'
import { SerpSearch } from '../../schema/serp/serp-search.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { isForPrograms, type OutputOptions, partText, terminalWidth, widthOf } from '../output.ts'
import type { CheckOutput } from './run-check.ts'
import { UsageError } from './usage-error.ts'

/** The options of `tidemark check serp`, as commander reads them. */
export interface SearchOptions extends OutputOptions {
  readonly engine: string
  readonly country: string
  readonly language: string
  readonly device: string
  readonly pages: string
  readonly target?: string
}

/** Reads the command line. Throws UsageError with everything that is wrong. */
export function searchOf(keyword: string, options: SearchOptions): SerpSearch {
  const search = {
    engine: options.engine,
    keyword,
    pages: Number(options.pages),
    location_code: options.country.toLowerCase(),
    language_code: options.language.toLowerCase(),
    device: options.device,
  }
  const checked = checkerOf(SerpSearch).validate(search)
  const issues = checked.ok ? [] : checked.issues.map(({ path, message }) => `${OPTIONS[path] ?? path} ${message}`)
  if (options.target !== undefined && !isTarget(options.target)) issues.push(`--target ${SEARCH_TARGET.message}`)
  if (!checked.ok || issues.length > 0) throw new UsageError(issues.join('\n'))
  return checked.value
}

const OPTIONS: Readonly<Record<string, string>> = {
  engine: '--engine',
  keyword: 'the keyword',
  pages: '--pages',
  location_code: '--country',
  language_code: '--language',
  device: '--device',
}

/** What the check needs from the process. */
interface SearchMeans extends Pick<SearchPorts, 'endpoints' | 'between'> {
  readonly browsers: Pick<Browsers, 'visit'>
}

/** Runs one check of a search and reports it. Returns true when there are results, or when the engine has none. */
export async function runSearch(
  search: SerpSearch,
  target: string | null,
  output: CheckOutput,
  means: SearchMeans,
): Promise<boolean> {
  const extractor = createExtractor({ threads: 1, onInternalError: (trace) => output.err(`${trace}\n`) })
  try {
    const checked = await checkSearch(search, { ...means, extractor, signal: new AbortController().signal })
    const { form } = output
    if (isForPrograms(form)) output.out(await partText(form, asJson(search, target, checked)))
    else output.out(asTable(output.io, search, target, checked))
    if (!checked.ok && !isForPrograms(form)) output.err(`tidemark check: ${printable(checked.fault.message)}\n`)
    return checked.ok
  } finally {
    await extractor.close()
  }
}

function asJson(search: SerpSearch, target: string | null, checked: SearchChecked): object {
  const { url, pages } = checked
  const common = { ...search, url, outcome: outcomeOf(checked) }
  if (!checked.ok)
    return { ...common, error_code: checked.fault.code, error_message: checked.fault.message, pages_read: pages }
  const { results, is_guess, warnings } = checked.search
  return {
    ...common,
    organic_results: results,
    ...(target !== null && { target_domain: target, target_rank: rankOf(target, results) }),
    ...presentOf(checked.search),
    is_guess,
    warnings,
    pages_read: pages,
  }
}

const outcomeOf = (checked: SearchChecked) => (checked.ok ? checked.search.outcome : checked.engine.outcome)

function rankOf(target: string, results: SearchReading['results']): number | null {
  const rank = targetRank(target, results)
  return rank === 'unknown' ? null : rank
}

const NOTHING: Pick<SearchReading, 'results' | 'warnings'> = { results: [], warnings: [] }
const WIDEST_TITLE = 60

function asTable(io: ProcessIo, search: SerpSearch, target: string | null, checked: SearchChecked): string {
  const { engine, keyword, location_code: country, language_code: language, device } = search
  const head = [
    `${printable(keyword)}   ${engine} · ${country} · ${language} · ${device}`,
    `  ${printable(checked.url)}`,
    `  ${factsOf(checked)}`,
  ]
  const parts = [head]
  const { results, warnings } = checked.ok ? checked.search : NOTHING
  if (results.length > 0) {
    const width = String(results.length).length
    const titles = results.map(({ title }) => cut(printable(title)))
    const widest = Math.max(...titles.map(widthOf))
    const place = target === null ? null : rankOf(target, results)
    const before = width + 4
    const longest = Math.max(...results.map(({ url }) => widthOf(printable(url))))
    const isNarrow = before + widest + 2 + longest > terminalWidth(io)
    parts.push(
      results.map(({ position, url }, at) => {
        const title = titles[at] ?? ''
        // On a narrow terminal an address is below its title.
        const gap = isNarrow ? `\n${' '.repeat(before)}` : ' '.repeat(widest - widthOf(title) + 2)
        return `${position === place ? '→' : ' '} ${String(position).padStart(width)}  ${title}${gap}${printable(url)}`
      }),
    )
  }
  if (checked.ok && target !== null) parts.push([`  ${printable(target)}: ${placeOf(target, results)}`])
  if (warnings.length > 0) parts.push(warnings.map((warning) => `  warning: ${warning}`))
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function placeOf(target: string, results: SearchReading['results']): string {
  const rank = targetRank(target, results)
  if (rank === 'unknown') return 'not known, because the engine hides the address of a result'
  return rank === null ? 'not listed' : `#${rank}`
}

function factsOf(checked: SearchChecked): string {
  if (!checked.ok) return checked.engine.outcome
  const { pages, search } = checked
  const { results, is_guess: isGuess, ai_overview: overview, featured_snippet: snippet } = search
  return [
    results.length === 0 ? 'no results' : `${results.length} ${results.length === 1 ? 'result' : 'results'}`,
    `${pages.length} ${pages.length === 1 ? 'page' : 'pages'}`,
    ...(isGuess ? ['a guess'] : []),
    ...(overview ? ['AI overview'] : []),
    ...(snippet ? ['featured snippet'] : []),
  ].join(' · ')
}

const cut = (title: string): string => (title.length <= WIDEST_TITLE ? title : `${title.slice(0, WIDEST_TITLE - 1)}…`)
