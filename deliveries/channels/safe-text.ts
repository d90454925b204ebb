import { hideSecrets } from './sent-secrets.ts'

/** Characters of an answer that are kept. */
export const MOST_CHARACTERS = 4096

const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]/gu

/**
 * The beginning of a stranger's answer as text that can be stored, logged and shown: at most 4,096 UTF-16 units,
 * invalid UTF-8, control characters and halves of surrogate pairs as U+FFFD. Null when there is nothing. `secrets`:
 * what it must not show, the longest first.
 */
export function safeText(chunks: readonly Uint8Array[], secrets: readonly string[] = []): string | null {
  // No UTF-16 unit comes from more than three bytes, so what is cut off here is not within the prefix, nor the end of a
  // secret that begins there.
  const all = Buffer.concat(chunks)
  const bytes = all.subarray(0, (MOST_CHARACTERS + (secrets[0]?.length ?? 0)) * 3 + 4)
  const shown = hideSecrets(new TextDecoder().decode(bytes), secrets, bytes.length < all.length)
  const text = shown.slice(0, MOST_CHARACTERS).replace(UNSAFE, '\ufffd')
  return text === '' ? null : text
}
