/** The parts of an address of Apprise: `scheme://user:password@host:port/path/path?query`. */
export interface AppriseAddress {
  /** In lower case. */
  readonly scheme: string
  readonly user: string
  readonly password: string
  /** With its port. */
  readonly host: string
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const PARTS = /^([a-z][a-z0-9+.-]*):\/\/(?:([^@/?]*)@)?([^/?@]*)([^?]*)(?:\?(.*))?$/is
/** The webhook of Rocket.Chat has a slash, and stands before the host. */
const ROCKET = /^(rockets?):\/\/(?:([^@?]*)@)?([^/?@]*)([^?]*)(?:\?(.*))?$/is

/** Returns the parts of an address; null where it is none. */
export function appriseAddress(address: string): AppriseAddress | null {
  const text = address.trim()
  const [, scheme, credentials = '', host = '', path = '', query = ''] = ROCKET.exec(text) ?? PARTS.exec(text) ?? []
  if (scheme === undefined) return null
  const colon = credentials.indexOf(':')
  return {
    scheme: scheme.toLowerCase(),
    user: decodedPart(colon < 0 ? credentials : credentials.slice(0, colon)),
    password: colon < 0 ? '' : decodedPart(credentials.slice(colon + 1)),
    host,
    path: path.split('/').flatMap((part) => (part === '' ? [] : [decodedPart(part)])),
    // A plus in front of a name is not a space.
    query: new URLSearchParams(query.replaceAll(/(^|&)\+/g, '$1%2B')),
  }
}

/** Returns a part of an address without its escapes; as it is where they are none. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
