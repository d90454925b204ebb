/**
 * Returns the JSON of an object. The values of some keys are given as JSON already, so that what the store has as text
 * is not read into memory and written again.
 */
export function jsonWith(value: object, texts: Readonly<Record<string, string | null | undefined>>): string {
  const members = Object.entries(value).flatMap(([key, item]) => {
    const text = texts[key] ?? (JSON.stringify(item) as string | undefined)
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${members.join(',')}}`
}
