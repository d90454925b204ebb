import { isEmptyValue } from '../../core/diff/diff-values.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { isBlank, noBody } from './blank-body.ts'
import { nothingLeft } from './clean/clean-fields.ts'
import { cleanLines } from './clean/clean-value.ts'
import { GrownText } from './clean/grown-text.ts'
import type { CompiledClean } from './clean/treatments.ts'
import { compileRules } from './compiled.ts'
import type { Compiled, Ignored } from './compiled.ts'
import { firstMatches } from './early/first-matches.ts'
import { internalFault } from './internal-fault.ts'
import { runJsonPath } from './json/json-path.ts'
import { parseJson, type ParsedJson } from './json/parse-json.ts'
import { prescanJson, renamePoison } from './json/prescan-json.ts'
import { fieldsOnTree, finish, onTree } from './on-tree.ts'
import { failed } from './page.ts'
import type { Extraction, Failed, Fields, Page, Scripts } from './page.ts'
import { RefusedRule } from './refused-rule.ts'
import { structuredData } from './structured-data/load.ts'
import { decode } from './text/charset.ts'
import { boundPageText, contentHash, linesHash, plainLines } from './text/full-page.ts'
import { isJsonType, isTextType, markupKind, mediaType } from './text/page-kind.ts'
import { plainText, promptText, tidyLines } from './text/prompt-text.ts'
import { readableText } from './text/readable-text.ts'
import { runRegex } from './text/regex.ts'
import { matchesOf } from './without-elements.ts'

/**
 * Extracts the fields of a config from a page. Pure and synchronous. On a hostile page or rule it may run forever or
 * exhaust the heap, so it runs in a thread of `extractor.ts` that can be terminated. Expected failures are values.
 */
export function extract(page: Page, config: ExtractConfig): Extraction {
  try {
    if (isBlank(page.body)) return noBody()
    const compiled = compileRules(config)
    return compiled.method === 'prompt' ? readPrompt(page, compiled) : withScripts(run(page, compiled), page)
  } catch (error) {
    return evaluationFault(error)
  }
}

/** Returns the hash of a whole page without its text. Linear, so that it needs no thread. */
export function extractHash(page: Page): Extraction {
  return isBlank(page.body) ? noBody() : { ok: true, values: { content_hash: contentHash(page) }, warnings: [] }
}

/** Marks an extraction that found an empty value where scripts may write one. Only then are they searched for. */
function withScripts(extraction: Extraction, page: Page): Extraction {
  if (!extraction.ok) return extraction
  const { values, emptied = [] } = extraction
  if (!Object.entries(values).some(([name, value]) => isEmptyValue(value) && !emptied.includes(name))) return extraction
  const scripts = markupKind(page) === 'html' ? scriptsIn(page.body) : null
  return scripts === null ? extraction : { ...extraction, scripts }
}

const MANY_SCRIPTS = 3
const MANY_INLINE_CHARS = 10_000
/** The part of a page that is searched for scripts, and the longest part of a tag that is read. */
const SEARCHED_BYTES = 1_048_576
const TAG_BYTES = 300

/** Returns how much script HTML has, data aside; null: none. */
function scriptsIn(body: Uint8Array): Scripts | null {
  const html = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SEARCHED_BYTES)).toString('latin1')
  let count = 0
  let inline = 0
  for (const { index } of html.matchAll(/<script[\s>]/gi)) {
    const tag = html.slice(index, index + TAG_BYTES)
    if (/^[^>]*\stype\s*=\s*["']?[^"'>]*json/i.test(tag)) continue
    const end = html.indexOf('</', index)
    inline += (end < 0 ? html.length : end) - index
    if (++count >= MANY_SCRIPTS || inline >= MANY_INLINE_CHARS) return 'many'
  }
  return count === 0 ? null : 'some'
}

/**
 * Returns the fault of a rule that its engine refuses although it was saved, that exceeds the call stack on this page,
 * or whose treatments make too much text. Any other error is ours.
 */
function evaluationFault(error: unknown): Failed {
  if (error instanceof RangeError)
    return failed('too_complex', 'The page or the rule is nested too deeply to be evaluated. Choose a simpler rule.')
  if (error instanceof GrownText) return failed('too_complex', error.message)
  if (error instanceof RefusedRule)
    return failed('bad_rule', `A rule could not be evaluated: ${error.message}. Change the rule.`)
  return internalFault(error)
}

/** The model is not called here: the text goes to the trusted side. */
function readPrompt(page: Page, { without: selectors }: Of<'prompt'>): Extraction {
  const plain = plainText(page)
  if (plain !== null) return promptText(plain.text, plain.warnings)
  let lines = ''
  const read = onTree(page, (tree) => {
    lines = readableText(tree, { without: matchesOf(selectors, tree) })
    return []
  })
  return read.ok ? promptText(lines, read.warnings) : read
}

type Of<Method extends Compiled['method']> = Extract<Compiled, { method: Method }>

function run(page: Page, compiled: Exclude<Compiled, { method: 'prompt' }>): Extraction {
  switch (compiled.method) {
    case 'css':
    case 'xpath':
      return onTree(page, (tree, warnings) => fieldsOnTree(compiled, tree, warnings), {
        ...compiled,
        sought: firstMatches(compiled),
      })
    case 'json_path':
      if (compiled.readAs === 'structured_data') return structuredData().readStructured(page, compiled)
      return onJson(page, compiled, (parsed) =>
        compiled.fields.map(([name, rule]) => [name, runJsonPath(rule, parsed)]),
      )
    case 'regex':
      return (compiled.readAs === 'document' ? onTreeText : onText)(page, compiled, (text) =>
        compiled.fields.map(([name, rule]) => [name, runRegex(rule, text)]),
      )
    case 'full_page':
      return compiled.ignored ? readWithout(page, compiled.ignored, compiled.clean) : readWhole(page)
  }
}

/** The hash is that of the response, whatever can be read of it. */
function readWhole(page: Page): Extraction {
  const hashed = extractHash(page)
  const read = isTextType(mediaType(page.contentType)) ? orFault(() => pageLines(page, NOTHING)) : null
  if (!hashed.ok || read === null) return hashed
  if (read.ok) return { ...hashed, pageText: boundPageText(read.lines) }
  return { ...hashed, ...(read.trace !== undefined && { trace: read.trace }) }
}

const NOTHING: Ignored = { selectors: [], patterns: [] }

function orFault(read: () => Lines): Lines {
  try {
    return read()
  } catch (error) {
    return evaluationFault(error)
  }
}

/** The hash is that of the lines that are left. */
function readWithout(page: Page, ignored: Ignored, clean: CompiledClean): Extraction {
  const read = pageLines(page, ignored)
  if (!read.ok) return read
  const { lines, warnings } = read
  if (lines.length === 0)
    return failed(
      'empty_body',
      'No readable text is left of the page. Check its extract_config.ignore, or whether it needs a browser ' +
        '(fetch_mode browser).',
    )
  const left = cleanLines(lines, clean.get('content_hash') ?? [], page.url)
  const pageText = boundPageText(left)
  if (left.length > 0) return { ok: true, values: { content_hash: linesHash(left) }, warnings, pageText }
  const emptied = ['content_hash']
  return {
    ok: true,
    values: { content_hash: '' },
    emptied,
    warnings: [...warnings, ...emptied.map(nothingLeft)],
    pageText,
  }
}

type Lines = { readonly ok: true; readonly lines: readonly string[]; readonly warnings: readonly string[] } | Failed

/** Returns the lines of a page that a user reads, without what is ignored. */
function pageLines(page: Page, { selectors, patterns }: Ignored): Lines {
  const read = plainLines(page) ?? markupLines(page, selectors)
  if ('fault' in read) return read
  const lines = read.lines.filter((line) => !patterns.some((pattern) => pattern.test(line)))
  return { ok: true, lines, warnings: read.warnings }
}

function markupLines(page: Page, selectors: Ignored['selectors']): Lines {
  let lines: string[] = []
  const read = onTree(page, (tree) => {
    lines = tidyLines(readableText(tree, { most: Infinity, without: matchesOf(selectors, tree) }))
    return []
  })
  return read.ok ? { ok: true, lines, warnings: read.warnings } : read
}

function onText(page: Page, { clean }: Treated, read: (text: string) => Fields): Extraction {
  const kind = isJsonType(mediaType(page.contentType)) ? 'json' : markupKind(page)
  const { text, warnings } = decode(page.body, page.contentType, kind)
  return finish(read(text), warnings, { clean, base: page.url })
}

type Treated = Pick<Compiled, 'clean'>

/** Reads the lines of a file as a text. */
function onTreeText(page: Page, { clean }: Treated, read: (text: string) => Fields): Extraction {
  return onTree(page, (tree) => read(tidyLines(readableText(tree, { most: Infinity })).join('\n')), { clean })
}

/** A file was written as JSON by Tidemark, within other limits. */
function onJson(page: Page, { clean, readAs }: Of<'json_path'>, read: (parsed: ParsedJson) => Fields): Extraction {
  const isOurs = readAs === 'document'
  const { text, warnings } = decode(page.body, page.contentType, 'json')
  const excess = isOurs ? null : prescanJson(text)
  if (excess !== null) return failed('too_complex', `${excess} Watch a smaller answer, or use the regex method.`)
  let parsed: ParsedJson
  try {
    // A member that is named by a backslash alone would spoil the names of the next page.
    parsed = parseJson(isOurs ? renamePoison(text) : text)
  } catch {
    const type = mediaType(page.contentType)
    return failed(
      'wrong_type',
      `The answer is not JSON${type === '' ? '' : ` (its type is ${type})`}. Check the address, or use another method.`,
    )
  }
  return finish(read(parsed), warnings, { clean, base: page.url })
}
