/**
 * Control characters, halves of surrogate pairs, and the marks that could reverse the direction of the text behind
 * them.
 */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/gu
const RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u

/**
 * Returns untrusted text as one line without invisible characters, for a message, a subject or a header. Letters of all
 * scripts and emoji stay.
 */
export function cleanText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(UNSEEN, '').trim()
}

/** Isolates right-to-left text, so that "before → after" is not displayed in the wrong order. */
export function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text
}

/**
 * Returns a name that a stranger chose, in quotation marks, so that it reads as a name and a mail program makes no link
 * of it: not of `https://…`, not of `a@b`, and not of `example.com`. The dots that IDNA takes for dots, and the wide
 * forms of the signs, are replaced too.
 */
export function quoteName(name: string): string {
  const unlinked = name
    .replace(/[:\uff1a][/\uff0f]{2}/g, ': ')
    .replace(/[@\uff20]/g, ' at ')
    .replace(/(?<=\S)[.\u3002\uff0e\uff61](?=\S)/g, '·')
    .replace(/["“”]/g, "'")
  return `"${unlinked}"`
}
