import { createHash } from 'node:crypto'
import { CompiledCss } from '../../runners/extract/css/css.ts'
import { extract } from '../../runners/extract/extract.ts'
import { parseHtml } from '../../runners/extract/html/html.ts'
import { metaCharset } from '../../runners/extract/html/meta-charset.ts'
import type { Page } from '../../runners/extract/page.ts'
import { checkRules } from '../../runners/extract/rules.ts'
import { contentTypeCharset, decode, encodingOf } from '../../runners/extract/text/charset.ts'
import { textOf } from '../../runners/extract/tree.ts'
import type { Tree } from '../../runners/extract/tree.ts'
import { compileXPath, runXPath } from '../../runners/extract/xpath/compile.ts'
import { isNodes, stringOfNode } from '../../runners/extract/xpath/values.ts'
import type { CorpusFolder } from './folder.ts'
import { KNOWN_DIFFERENCES } from './known-differences.ts'
import { explain, newTally } from './tally.ts'
import type { Tally } from './tally.ts'

interface Expected {
  readonly page: string
  readonly oracle: { readonly servedContentType: string }
  readonly document: { readonly characterSet: string }
  readonly css: readonly {
    selector: string
    feature: string
    raw: string | null
    rawTruncated?: boolean
    rawSha256?: string
  }[]
  readonly xpath: readonly {
    expr: string
    feature: string
    value: string | number | boolean | null
    valueSha256?: string
  }[]
}

/** Compares Tidemark's CSS and XPath values with those of a browser for the same rules on the same pages. */
export function compareWithBrowser(folder: CorpusFolder): readonly Tally[] {
  const [css, xpath] = [newTally('html: css'), newTally('html: xpath')]
  for (const name of folder.list('html').filter((file) => file.endsWith('.expected.json'))) {
    comparePage(folder, folder.json(name) as Expected, { css, xpath })
  }
  return [css, xpath]
}

function comparePage(folder: CorpusFolder, expected: Expected, tallies: { css: Tally; xpath: Tally }): void {
  const page = folder.page(`html/${expected.page}`, expected.oracle.servedContentType)
  const { text, encoding } = decode(page.body, page.contentType, 'html')
  const guessed =
    isDeclared(page) || encoding === encodingOf(expected.document.characterSet) ? null : 'undeclared-charset'
  const tree = parseHtml(text)
  if (tree.kind === 'too_complex') {
    tallies.css.unexplained.push(`${expected.page}: refused: ${tree.excess}`)
    return
  }
  const stored = storedValues(
    page,
    expected.css.map(({ selector }) => selector),
  )
  for (const [place, { selector, feature, raw, rawSha256 }] of expected.css.entries()) {
    const ours = cssText(selector, tree)
    const same =
      ours === null || raw === null ? ours === raw : rawSha256 === undefined ? ours === raw : sha256(ours) === rawSha256
    record(tallies.css, {
      same: same && storesTrimmed(stored[place], ours),
      feature,
      guessed,
      where: `${expected.page}: ${selector}`,
    })
  }
  for (const { expr, feature, value, valueSha256 } of expected.xpath) {
    const ours = xpathValue(expr, tree)
    const hashed = valueSha256 !== undefined && typeof ours === 'string'
    const same = hashed ? sha256(ours) === valueSha256 : ours === value
    record(tallies.xpath, { same, feature, guessed, where: `${expected.page}: ${expr}` })
  }
}

/** Returns whether the header or a `<meta>` names a charset that exists. */
function isDeclared({ body, contentType }: Page): boolean {
  const label = contentTypeCharset(contentType) ?? metaCharset(Buffer.from(body).toString('latin1'))
  return label !== null && encodingOf(label) !== null
}

function cssText(selector: string, tree: Tree): string | null {
  if (checkRules({ method: 'css', fields: { it: selector } }).length > 0) return null
  const element = new CompiledCss(selector).first(tree)
  return element === null ? null : textOf(element)
}

/** Extracts a few fields at a time, so that few values reach the size limit of a run. */
const FIELDS_AT_ONCE = 10

function storedValues(page: Page, selectors: readonly string[]): unknown[] {
  const values: unknown[] = []
  for (let from = 0; from < selectors.length; from += FIELDS_AT_ONCE) {
    const fields = Object.fromEntries(
      selectors.slice(from, from + FIELDS_AT_ONCE).map((selector, i) => [`field${i}`, selector]),
    )
    const extraction = extract(page, { method: 'css', fields })
    values.push(...Object.keys(fields).map((name) => (extraction.ok ? extraction.values[name] : undefined)))
  }
  return values
}

/** Returns whether a run stores the trimmed text, after decoding and limits. */
function storesTrimmed(stored: unknown, raw: string | null): boolean {
  return stored === (raw?.trim() ?? null) || (typeof stored === 'string' && stored.includes('[truncated sha256:'))
}

function xpathValue(expr: string, tree: Tree): string | number | boolean | null {
  const outcome = compileXPath(expr)
  if (!outcome.ok) return `refused: ${outcome.fault.message}`
  const value = runXPath(outcome.compiled, tree)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (!isNodes(value)) return value
  const [first] = value
  return first === undefined ? null : stringOfNode(first)
}

interface Outcome {
  readonly same: boolean
  readonly feature: string
  readonly guessed: string | null
  readonly where: string
}

function record(tally: Tally, { same, feature, guessed, where }: Outcome): void {
  const key = [feature, guessed].find((name) => name !== null && KNOWN_DIFFERENCES.has(name))
  if (same) tally.passed += 1
  else if (key !== undefined && key !== null) explain(tally, key)
  else tally.unexplained.push(`${where} (${feature})`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
