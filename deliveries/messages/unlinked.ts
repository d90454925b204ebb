/**
 * Returns text in which an app that reads plain text finds no mention, no command and no address to make a link of: an
 * invisible space (U+200B) stands within them. Prices and times stay as they are.
 */
export function unlinked(text: string): string {
  return text
    .replace(/[@\uff20#](?=\S)|(?<!\S)\/(?=\w)|[:\uff1a](?=[/\uff0f])/g, '$&\u200b')
    .replace(/(?<=\S)[.\u3002\uff0e\uff61](?=[\p{L}\p{M}]{2})/gu, '$&\u200b')
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, (address) => address.replaceAll('.', '.\u200b'))
}

/** Any two letters. */
const BESIDE = 'xx'

/** Returns the same for text that may begin or end an address or a mention together with what stands beside it. */
export const unlinkedWithin = (text: string): string =>
  unlinked(`${BESIDE}${unlinked(text)}${BESIDE}`).slice(BESIDE.length, -BESIDE.length)
