/**
 * Returns a name as CSS writes it after `.` or `#`, or as the name of an element or attribute (CSSOM, "serialize an
 * identifier").
 */
export function cssName(name: string): string {
  return name.replace(/^-$|^-?\d|[\0-\x1f\x7f]|[^\w\u0080-\uffff-]/g, (part) => {
    if (part === '-') return '\\-'
    if (/^-?\d$/.test(part)) return part.length === 2 ? `-${byCode(part.charAt(1))}` : byCode(part)
    return /^[\0-\x1f\x7f]$/.test(part) ? byCode(part) : `\\${part}`
  })
}

/**
 * Returns a text in quotes as CSS writes it. Brackets are escaped as well: the check of rules counts them, in quotes
 * too.
 */
export function cssText(text: string): string {
  const inside = text.replace(/[\0-\x1f\x7f]|["\\()[\]]/g, (char) =>
    char < ' ' || char === '\x7f' ? byCode(char) : `\\${char}`,
  )
  return `"${inside}"`
}

const byCode = (char: string) => `\\${char.charCodeAt(0).toString(16)} `

/** Returns a text as a literal of XPath 1.0, which has no escapes: a text with both quotes is put together. */
export function xpathText(text: string): string {
  if (!text.includes('"')) return `"${text}"`
  if (!text.includes("'")) return `'${text}'`
  return `concat(${text
    .split('"')
    .map((part) => `"${part}"`)
    .join(`, '"', `)})`
}
