/** Characters of an answer that are kept (security.md C15). */
export const MOST_CHARACTERS = 4096

const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]/gu

/**
 * The beginning of a stranger's answer as text that can be stored, logged and shown: at most 4,096 UTF-16 units, invalid UTF-8, control
 * characters and halves of surrogate pairs as U+FFFD. Null when there is nothing.
 */
export function safeText(chunks: readonly Uint8Array[]): string | null {
  // No UTF-16 unit comes from more than three bytes, so what is cut off here is not within the prefix.
  const bytes = Buffer.concat(chunks).subarray(0, MOST_CHARACTERS * 3 + 4)
  const text = new TextDecoder().decode(bytes).slice(0, MOST_CHARACTERS).replace(UNSAFE, '\ufffd')
  return text === '' ? null : text
}
