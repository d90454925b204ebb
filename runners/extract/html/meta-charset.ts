/**
 * Finds a `<meta>` that names the charset, by the prescan algorithm of the HTML standard (§13.2.3.2), in bytes read as
 * Latin-1. Returns the label as written, or null.
 */
export function metaCharset(head: string): string | null {
  for (let at = head.indexOf('<'); at !== -1; at = head.indexOf('<', at)) {
    if (head.startsWith('<!--', at)) at = indexAfter(head, '-->', at + 2)
    else if (/^<meta[\s/]/i.test(head.slice(at, at + 6))) {
      const { attributes, end } = readAttributes(head, at + 5)
      const label = labelOf(attributes)
      if (label !== null) return label
      at = end
    } else if (/^<\/?[a-z]/i.test(head.slice(at, at + 3))) at = skipTag(head, at)
    else at = /^<[!/?]/.test(head.slice(at, at + 2)) ? indexAfter(head, '>', at) : at + 1
  }
  return null
}

function indexAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found + mark.length
}

/**
 * Returns the position after a tag. For a script or style it is the position after its content, which may contain text
 * that looks like tags.
 */
function skipTag(head: string, at: number): number {
  const raw = /^<(script|style|textarea|title)(?=[\s/>])/i.exec(head.slice(at, at + 10))?.[1]
  const name = /^<\/?[^\s/>]*/.exec(head.slice(at, at + 64))?.[0] ?? '<'
  const { end } = readAttributes(head, at + name.length)
  if (raw === undefined) return end
  const close = head.slice(end).search(new RegExp(`</${raw}`, 'i'))
  return close === -1 ? head.length : end + close
}

const ATTRIBUTE = /[\s/]*(?:(>)|([^\s/>=][^\s/>=]*|=[^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)?))?)/y

/** Returns the attributes of a tag from `at` on, the first of each name, and the end of the tag. */
function readAttributes(head: string, at: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>()
  ATTRIBUTE.lastIndex = at
  for (let found = ATTRIBUTE.exec(head); found !== null; found = ATTRIBUTE.exec(head)) {
    if (found[1] !== undefined) return { attributes, end: ATTRIBUTE.lastIndex }
    const name = (found[2] ?? '').toLowerCase()
    if (!attributes.has(name)) attributes.set(name, (found[3] ?? found[4] ?? found[5] ?? '').toLowerCase())
  }
  return { attributes, end: head.length }
}

function labelOf(attributes: ReadonlyMap<string, string>): string | null {
  const charset = attributes.get('charset')?.trim()
  if (charset !== undefined && charset !== '') return charset
  if (attributes.get('http-equiv') !== 'content-type') return null
  const found = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/.exec(attributes.get('content') ?? '')
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null
}
