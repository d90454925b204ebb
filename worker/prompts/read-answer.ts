import { SHAPE_LIMITS, type ShapeField } from '../../core/prompt-shape/prompt-shape.ts'
import { shapeFaults } from '../../core/prompt-shape/shape-check.ts'
import { parseJson } from '../../runners/extract/json/parse-json.ts'
import { prescanJson } from '../../runners/extract/json/prescan-json.ts'
import { boundValues } from '../../runners/extract/text/truncate.ts'
import type { Json, Values } from '../../schema/shape/json.ts'

/** The values in the model's text, or its faults. `faults` are sent to the model for a second try. */
export type ReadAnswer =
  | { readonly ok: true; readonly values: Values; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[] }

/** Without a schema: the text itself, in the field `result`. `null` means that the page does not have the answer. */
export function readWords(answer: string): ReadAnswer {
  const words = bare(answer)
  if (words === '') return { ok: false, faults: ['it is empty'] }
  return finish([['result', /^null\.?$/i.test(words) ? null : words]])
}

/**
 * With a schema: a JSON object that matches it. Keys that the schema does not have are dropped; missing keys are null.
 */
export function readObject(answer: string, fields: readonly ShapeField[]): ReadAnswer {
  const parsed = parseObject(bare(answer))
  if (typeof parsed === 'string') return { ok: false, faults: [parsed] }
  const { plain, exact } = parsed
  if (fields.length === 0)
    return finish(
      Object.entries(exact)
        .filter(([name]) => name !== '' && name !== '__proto__' && name.length <= SHAPE_LIMITS.nameLength)
        .slice(0, SHAPE_LIMITS.fields),
    )
  const faults = shapeFaults(fields, plain)
  if (faults.length > 0) return { ok: false, faults }
  return finish(fields.map(({ name }) => [name, Object.hasOwn(exact, name) ? (exact[name] ?? null) : null]))
}

function finish(entries: readonly (readonly [string, Json])[]): ReadAnswer {
  const trimmed = entries.map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value] as const)
  return { ok: true, ...boundValues(Object.fromEntries(trimmed)) }
}

type JsonObject = Readonly<Record<string, Json>>

/**
 * Returns the object, or what is wrong with the text. A number that does not fit a double is valid as a number in the
 * schema and is stored as text.
 */
function parseObject(text: string): { readonly plain: JsonObject; readonly exact: JsonObject } | string {
  if (prescanJson(text) !== null) return 'it is nested too deeply, or holds too many values'
  try {
    const { plain, exact } = parseJson(text)
    return isObject(plain) && isObject(exact) ? { plain, exact } : 'it is not a JSON object'
  } catch {
    return 'it is not JSON'
  }
}

const isObject = (value: Json): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Returns the answer without its reasoning and without a code fence, which some models add. */
function bare(answer: string): string {
  const text = answer.trim()
  const thought = text.startsWith('<think>') ? text.slice(thinkEnd(text)).trim() : text
  if (!thought.startsWith('```')) return thought
  const inner = thought.slice(thought.indexOf('\n') + 1)
  const end = inner.lastIndexOf('```')
  return (end === -1 ? inner : inner.slice(0, end)).trim()
}

function thinkEnd(text: string): number {
  const end = text.indexOf('</think>')
  return end === -1 ? 0 : end + '</think>'.length
}
