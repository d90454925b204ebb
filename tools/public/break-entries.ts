/**
 * Returns what `docs/upgrade.md` says of breaks: the sentences of the gate that have an entry in the section of a
 * version that is not released. An entry is an item of the list, with the sentence as code, and then what to do.
 */
export function breakEntries(page: string, released: readonly string[]): string[] {
  const [, after = ''] = page.split(/^## What breaks$/m)
  const [section = ''] = after.split(/^## /m)
  return section.split(/^### /m).flatMap((part) => {
    const version = /^\S+/.exec(part)?.[0] ?? ''
    if (version === '' || released.includes(version)) return []
    return part
      .split(/^- /m)
      .slice(1)
      .map((item) => /^`([^`]+)`\W*\s+\w+\s+\w+/.exec(item.replaceAll(/\s+/g, ' '))?.[1])
      .filter((sentence) => sentence !== undefined)
  })
}

/** Returns whether an entry is about a break: it is its sentence, or the beginning of it up to a colon. */
export const allows = (entry: string, sentence: string): boolean =>
  entry === sentence || sentence.startsWith(`${entry}: `)
