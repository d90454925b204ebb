/** Shorter values appear in too many texts by chance. */
const SHORTEST = 6
/** A part of a path that is at least this long counts as a key, as in the addresses of chat services. */
const SHORTEST_IN_PATH = 16

/** The parts of a request that may be a secret of the user who configured it. */
interface Sent {
  readonly url: string
  /** The configured headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signature?: string | null
  /** The values of options that are secret. */
  readonly options?: readonly string[]
}

/**
 * Returns the texts of a request that must not be shown when the destination repeats them, the longest first. They are
 * the values of configured headers (and what follows their scheme, as in `Bearer …`), secret options, the
 * signature, values of the query, and long parts of the path. Each is listed also as JSON writes it.
 */
export function sentSecrets({ url, headers = {}, signature: given, options = [] }: Sent): readonly string[] {
  const signature = given ?? ''
  const { pathname, search, searchParams } = new URL(url)
  const values = Object.values(headers).flatMap((value) => [value.trim(), ...value.trim().split(/\s+/).slice(1)])
  const query = [
    ...search
      .slice(1)
      .split('&')
      .map((pair) => pair.slice(pair.indexOf('=') + 1)),
    ...searchParams.values(),
  ]
  const path = pathname.split('/').filter((part) => part.length >= SHORTEST_IN_PATH)
  const signatures = [signature, ...signature.split(',').map((part) => part.slice(part.indexOf('=') + 1))]
  const isLong = (text: string) => text.length >= SHORTEST
  const parts = options.flatMap((value) => [value, ...value.split(',')])
  const found = [...values, ...parts, ...query, ...path, ...signatures.filter((part) => part.length > 16)].filter(
    isLong,
  )
  const written = found.map((text) => JSON.stringify(text).slice(1, -1))
  // A short one is hidden where an answer repeats it as a whole value.
  const short = options.filter((value) => value !== '' && !isLong(value)).map((value) => JSON.stringify(value))
  return [...new Set([...found, ...written, ...short])].toSorted((one, other) => other.length - one.length)
}

const HIDDEN = '[hidden]'

/** Returns the text without the secrets. When the text was cut off, a secret that begins at its end is removed too. */
function hideSecrets(text: string, secrets: readonly string[], isCutOff: boolean): string {
  let hidden = text
  for (const secret of secrets) hidden = hidden.replaceAll(secret, HIDDEN)
  if (!isCutOff) return hidden
  for (const secret of secrets)
    for (let length = Math.min(secret.length - 1, hidden.length); length >= SHORTEST; length--)
      if (hidden.endsWith(secret.slice(0, length))) return hidden.slice(0, -length) + HIDDEN
  return hidden
}

/** Characters of an answer that are kept. */
export const MAX_CHARACTERS = 4096

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
  const bytes = all.subarray(0, (MAX_CHARACTERS + (secrets[0]?.length ?? 0)) * 3 + 4)
  const shown = hideSecrets(new TextDecoder().decode(bytes), secrets, bytes.length < all.length)
  const text = shown.slice(0, MAX_CHARACTERS).replace(UNSAFE, '\ufffd')
  return text === '' ? null : text
}
