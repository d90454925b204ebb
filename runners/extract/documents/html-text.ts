const SPECIAL: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Returns a text for HTML, in an element or in quotes. Control characters are left out, as HTML does not have them. */
export function htmlText(text: string): string {
  return text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '')
    .replace(/[&<>"]/g, (character) => SPECIAL[character] ?? character)
}

/** Returns a link, or the text alone where the address is not one of the web or of mail. */
export function htmlLink(text: string, address: string | null): string {
  return address !== null && /^(?:https?:|mailto:)/i.test(address)
    ? `<a href="${htmlText(address)}">${htmlText(text)}</a>`
    : htmlText(text)
}
