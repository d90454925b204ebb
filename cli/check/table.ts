import { printable } from '../../core/printable.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import { inLines, terminalWidth, widthOf } from '../output.ts'

const WIDEST_NAME = 32

const MAX_CHARACTERS = 160

const INDENT = '  '
const GAP = 3
/** Where a value has less room than this beside its name, it is on separate lines. */
const LEAST_ROOM = 16

/** Returns a value as JSON, on one line, cut where it is long. */
function printableValue(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.length <= MAX_CHARACTERS) return printable(text)
  // The cut may be within a surrogate pair.
  const start = printable(text.slice(0, MAX_CHARACTERS).toWellFormed())
  return `${start}… (${text.length} characters; --json shows them all)`
}

/**
 * Returns the result of a target for a person: a summary of the fetch, a line a field, then the warnings. Ends with a
 * newline.
 */
export function table(io: ProcessIo, target: string, shown: Preview): string {
  const names = Object.keys(shown.fields).map((name) => printable(name))
  const width = Math.min(WIDEST_NAME, Math.max(0, ...names.map(widthOf)))
  const room = terminalWidth(io) - width - INDENT.length - GAP
  // On a narrow terminal the values are below their names.
  const before = ' '.repeat(room < LEAST_ROOM ? INDENT.length * 2 : width + INDENT.length + GAP)
  const fields = Object.values(shown.fields).map((value, index) => {
    const missing = value === null ? '   (not found)' : ''
    const name = names[index] ?? ''
    const lines = inLines(`${printableValue(value)}${missing}`, terminalWidth(io) - before.length)
    const start = room < LEAST_ROOM ? `${name}\n${before}` : name + ' '.repeat(Math.max(0, width - widthOf(name)) + GAP)
    return `${INDENT}${start}${lines.join(`\n${before}`)}`
  })
  const warnings = shown.warnings.map((warning) => `  warning: ${printable(warning)}`)
  const head = [printable(target), `  ${layer(shown, target)} · ${facts(shown)}`]
  const parts = [head, fields, warnings].filter((lines) => lines.length > 0)
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** Returns where the page came from. */
function layer({ fetch_method, fetch_reason, bytes }: Preview, target: string): string {
  if (fetch_method !== null) return fetch_reason === null ? fetch_method : `${fetch_method} (${fetch_reason})`
  if (bytes === null) return 'not read'
  return target === '-' ? 'from standard input' : 'from a file'
}

function facts({ http_status, content_type, bytes, fetch_ms, extract_ms, duration_ms }: Preview): string {
  const parts = [
    http_status === null ? null : `status ${http_status}`,
    content_type === null ? null : printable(content_type),
    bytes === null ? null : size(bytes),
    fetch_ms !== null && extract_ms !== null
      ? `${duration_ms} ms (fetch ${fetch_ms}, extract ${extract_ms})`
      : `${duration_ms} ms`,
  ]
  return parts.filter((part) => part !== null).join(' · ')
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1_048_576 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}
