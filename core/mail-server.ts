/** The mail server of this installation, from `SMTP_URL`. An operator names it, so it is trusted. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** True: TLS from the first byte (`smtps`). False: STARTTLS where the server offers it. */
  readonly secure: boolean
  readonly auth: { readonly user: string; readonly pass: string } | null
  /** True: no mail is sent without TLS. The default when there is a password to protect. */
  readonly requireTls: boolean
  readonly ignoreTls: boolean
  /** Whether the server's certificate has to be valid. */
  readonly verifyCertificate: boolean
}

/**
 * A mail server, or what is wrong with its address. The message continues a sentence that begins with the setting's
 * name.
 */
type ParsedMailServer =
  | { readonly ok: true; readonly server: MailServer }
  | { readonly ok: false; readonly message: string }

const SWITCHES: ReadonlySet<string> = new Set(['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized'])

/**
 * Parses `smtp://user:password@host:587` or `smtps://…:465`, special characters percent-encoded. After a `?` there may
 * be three switches, `true` or `false`, with nodemailer's names: requireTLS, ignoreTLS, tls.rejectUnauthorized.
 * Messages contain nothing of the address, because it contains a password.
 */
export function parseMailServer(text: string): ParsedMailServer {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:\/\//.test(text))
    return {
      ok: false,
      message: 'must be an smtp:// or smtps:// address, for example smtp://user:password@mail.example.com:587',
    }
  if (!/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/.test(url.hostname))
    return { ok: false, message: 'must name the host of the mail server' }
  if (url.port === '0' || !/^\/?$/.test(url.pathname) || url.hash !== '')
    return {
      ok: false,
      message: 'must end with the port, without a path; special characters of a password are percent-encoded',
    }
  const user = decode(url.username)
  const pass = decode(url.password)
  if (user === null || pass === null)
    return { ok: false, message: 'has a % that is not followed by two hexadecimal digits; % itself is written %25' }
  for (const [name, value] of url.searchParams)
    if (!SWITCHES.has(name) || !/^(?:true|false)$/.test(value))
      return { ok: false, message: `accepts after ? only ${[...SWITCHES].join(', ')}, each true or false` }
  return { ok: true, server: serverOf(url, user, pass) }
}

function serverOf(url: URL, user: string, pass: string): MailServer {
  const isOn = (name: string, byDefault: boolean) => (url.searchParams.get(name) ?? String(byDefault)) === 'true'
  const secure = url.protocol === 'smtps:'
  const auth = user === '' && pass === '' ? null : { user, pass }
  const ignoreTls = isOn('ignoreTLS', false)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    auth,
    requireTls: isOn('requireTLS', auth !== null && !ignoreTls),
    ignoreTls,
    verifyCertificate: isOn('tls.rejectUnauthorized', true),
  }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
