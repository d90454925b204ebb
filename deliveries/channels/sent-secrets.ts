/** Shorter ones stand in too many texts by chance. */
const SHORTEST = 6
/** A part of a path that is at least this long is taken for a key, as in the addresses of chat services. */
const SHORTEST_IN_PATH = 16

/** What of a request may be a secret of whoever configured it. */
interface Sent {
  readonly url: string
  /** Configured ones. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signature?: string
}

/**
 * The texts of a request that an answer may not show when the destination echoes them, the longest first: values of
 * configured headers (and what follows their scheme, as in `Bearer …`), the signature, values of the query, long parts
 * of the path; each also as JSON writes it.
 */
export function sentSecrets({ url, headers = {}, signature = '' }: Sent): readonly string[] {
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
  const found = [...values, ...query, ...path, ...signatures.filter((part) => part.length > 16)].filter(isLong)
  const written = found.map((text) => JSON.stringify(text).slice(1, -1))
  return [...new Set([...found, ...written])].toSorted((one, other) => other.length - one.length)
}

const HIDDEN = '[hidden]'

/** The text without them; where it was cut off, also without the beginning of one at its end. */
export function hideSecrets(text: string, secrets: readonly string[], isCutOff: boolean): string {
  let hidden = text
  for (const secret of secrets) hidden = hidden.replaceAll(secret, HIDDEN)
  if (!isCutOff) return hidden
  for (const secret of secrets)
    for (let length = Math.min(secret.length - 1, hidden.length); length >= SHORTEST; length--)
      if (hidden.endsWith(secret.slice(0, length))) return hidden.slice(0, -length) + HIDDEN
  return hidden
}
