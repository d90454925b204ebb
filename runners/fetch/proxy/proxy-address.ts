/** The address of the proxy and its credentials. Never log it, and never put it into a message. */
export interface ProxyAddress {
  readonly host: string
  readonly port: number
  /** Whether the connection to the proxy uses TLS. */
  readonly isSecure: boolean
  /** Value of `Proxy-Authorization`, or null. */
  readonly authorization: string | null
}

type ParsedProxy =
  | { readonly ok: true; readonly proxy: ProxyAddress }
  | { readonly ok: false; readonly message: string }

/**
 * Reads `TIDEMARK_PROXY_URL`: `http://user:password@host:port` or `https://…`, with user and password percent-encoded.
 * The message repeats nothing of it.
 */
export function parseProxyUrl(text: string): ParsedProxy {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    return refused('must be an http:// or https:// address such as http://user:password@proxy.example:8000')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return refused('must end after the port: a proxy has no path (percent-encode a / ? or # in the password)')
  const isSecure = url.protocol === 'https:'
  const authorization = authorizationOf(url)
  if (authorization === undefined) return refused('has a user name or password that is not percent-encoded as UTF-8')
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port)
  return { ok: true, proxy: { host: url.hostname, port, isSecure, authorization } }
}

function authorizationOf({ username, password }: URL): string | null | undefined {
  if (username === '' && password === '') return null
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return `Basic ${Buffer.from(pair).toString('base64')}`
  } catch {
    return undefined
  }
}

const refused = (message: string): ParsedProxy => ({ ok: false, message })
