import { hideSecrets } from './sent-secrets.ts'

/** Characters of an answer that are kept. */
export const MOST_CHARACTERS = 4096

const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]/gu

/**
 * Returns the beginning of an untrusted answer as text that can be stored, logged and shown. It has at most 4,096
 * UTF-16 units; invalid UTF-8, control characters and halves of surrogate pairs become U+FFFD. Returns null when there
 * is nothing. `secrets`: the texts that it must not show, the longest first.
 */
export function safeText(chunks: readonly Uint8Array[], secrets: readonly string[] = []): string | null {
  // No UTF-16 unit comes from more than three bytes. So the cut is behind the part that is kept, and behind the end of
  // a secret that begins there.
  const all = Buffer.concat(chunks)
  const bytes = all.subarray(0, (MOST_CHARACTERS + (secrets[0]?.length ?? 0)) * 3 + 4)
  const shown = hideSecrets(new TextDecoder().decode(bytes), secrets, bytes.length < all.length)
  const text = shown.slice(0, MOST_CHARACTERS).replace(UNSAFE, '\ufffd')
  return text === '' ? null : text
}
