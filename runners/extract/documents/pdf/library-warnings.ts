/** Warnings of the library after which a part of the text may be missing. */
const DAMAGE: readonly (readonly [RegExp, string])[] = [
  [/Indexing all PDF Objects/i, 'the table of its objects cannot be read'],
  [/get(?:TextContent|ContentStream) - ignoring (?:XObject|errors|sub-stream)/, 'a part of it cannot be read'],
]
const MOST = 1_000

/**
 * Collects what the library warns of, until the end: it reports damage that it reads on after in no other way. Its
 * output has no other place in this process.
 */
export function warningsOfLibrary(): { damage(): string | null; end(): void } {
  const found: string[] = []
  const collect = (...words: readonly unknown[]) => void (found.length < MOST && found.push(words.join(' ')))
  const { log, warn, error } = console
  Object.assign(console, { log: collect, warn: collect, error: collect })
  return {
    damage: () => DAMAGE.find(([pattern]) => found.some((text) => pattern.test(text)))?.[1] ?? null,
    end: () => void Object.assign(console, { log, warn, error }),
  }
}
