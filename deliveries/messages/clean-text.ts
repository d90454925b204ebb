/**
 * Control characters, halves of surrogate pairs, and the marks with which a text could turn what stands behind it
 * around.
 */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/gu
const RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u

/**
 * One line without what cannot be seen: a stranger's text for a message, a subject, a header. Letters of all scripts
 * and emoji stay.
 */
export function cleanText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(UNSEEN, '').trim()
}

/** Keeps text that runs from right to left to itself, so that "before → after" is not read the wrong way round. */
export function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text
}
