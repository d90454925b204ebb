/** An object of a JSON document. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keys that say something to readers alone. */
const PROSE: ReadonlySet<string> = new Set(['description', 'summary', 'example', 'examples', 'title', 'externalDocs'])
/** Keys whose own keys are names, which may be any word. */
const NAMES: ReadonlySet<string> = new Set(
  (
    'properties schemas responses parameters paths headers content requestBodies additionalPrinterColumns default ' +
    'enum const'
  ).split(' '),
)

/** Returns a document without its texts for readers, so that it changes only with what it allows. */
export function withoutProse(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => areNames || !PROSE.has(key))
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutProse(child, !areNames && NAMES.has(key))]))
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`
