import { ExplainedError } from '../../core/explained-error.ts'
import { causes, isStoreAway } from './store-fault.ts'

/** The database of DATABASE_URL cannot be used. The message says why, and what to do next. */
export class DatabaseUnusableError extends ExplainedError {
  override readonly name = 'DatabaseUnusableError'
}

/** The mark of a fault, and the words for it: its reason, and how to mend it. */
interface Known {
  /** Matched against the code of the error, a space, and its message. */
  readonly fault: RegExp
  readonly why: string
  readonly advice: string
}

const CERTIFICATE =
  'set NODE_EXTRA_CA_CERTS to a PEM file of its authority, or put sslmode=no-verify into DATABASE_URL to accept any'

/** The settings that a connection of `openStore` begins with. PgBouncer knows none of them. */
export const STARTUP_PARAMETERS = ['options', 'statement_timeout', 'idle_in_transaction_session_timeout'] as const

/** The first that matches counts. */
const KNOWN: readonly Known[] = [
  {
    fault: /^ECONNREFUSED/,
    why: 'nothing accepts connections there',
    advice: 'start Postgres, or correct the host and the port in DATABASE_URL',
  },
  {
    fault: /^(ENOTFOUND|EAI_AGAIN)/,
    why: 'the name of its host cannot be resolved',
    advice: 'correct the host in DATABASE_URL, or wait for the name servers and start again',
  },
  {
    fault: /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EINVAL)/,
    why: 'there is no route to it from here',
    advice: 'correct the host in DATABASE_URL, or the network of this machine',
  },
  {
    fault: /^ETIMEDOUT|timeout expired|connection timeout|timeout exceeded/i,
    why: 'it did not answer in time',
    advice: 'check the host and the port in DATABASE_URL, and the firewalls between',
  },
  {
    fault: /^ENOENT.*\.s\.PGSQL/,
    why: 'it has no socket in that folder',
    advice: 'start Postgres, or correct the folder in DATABASE_URL (unix_socket_directories of Postgres names it)',
  },
  {
    fault: /^(EACCES|EPERM).*\.s\.PGSQL/,
    why: 'this account may not open its socket',
    advice: 'run this as an account that may, or connect to a host and a port',
  },
  {
    fault: /^57P03/,
    why: 'it is starting, stopping or recovering',
    advice: 'wait until it is ready, and start again',
  },
  { fault: /^57P0/, why: 'it was shut down, or ended this connection', advice: 'start it, and then this again' },
  {
    fault: /^53300/,
    why: 'all of its connections are taken',
    advice: 'raise max_connections of Postgres, or stop programs that use it',
  },
  { fault: /^53/, why: 'it is short of memory or disk', advice: 'see the log of Postgres' },
  {
    fault: /^28000.*(no encryption|SSL off)/s,
    why: 'it accepts encrypted connections only',
    advice: 'put sslmode=require into DATABASE_URL',
  },
  {
    fault: /^(28P01|28000)/,
    why: 'it refuses this user or password',
    advice: 'correct them in DATABASE_URL; a sign such as @ or / is written in percent-encoding there',
  },
  {
    fault: /^3D000/,
    why: 'there is no database of this name on it',
    advice: 'create one with createdb, or correct the name at the end of DATABASE_URL',
  },
  {
    fault: /^42501/,
    why: 'this user may not create tables in it',
    advice: 'make the user the owner of the database',
  },
  { fault: /^25006/, why: 'it is read-only', advice: 'use the primary server, not a standby' },
  {
    fault: /does not support SSL/i,
    why: 'it does not offer encrypted connections',
    advice: 'turn on ssl in Postgres, or put sslmode=disable into DATABASE_URL where the network is private',
  },
  {
    fault: /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET)_|CERT_UNTRUSTED/,
    why: 'its certificate is not of a known authority',
    advice: CERTIFICATE,
  },
  {
    fault: /ALTNAME_INVALID/,
    why: 'its certificate is for another name',
    advice: 'put the name of the certificate into DATABASE_URL as the host',
  },
  {
    fault: /CERT_(HAS_EXPIRED|NOT_YET_VALID)/,
    why: 'its certificate is not valid today',
    advice: 'renew the certificate of Postgres, or correct the clock of this machine',
  },
  {
    fault: /^(EPROTO|ERR_SSL|ERR_TLS)|unexpected response.*SSL|SSL routines/i,
    why: 'no encrypted connection could be set up with it',
    advice: 'check that the port is that of Postgres, with TLS 1.2 or newer',
  },
  {
    fault: /SASL.*password must be a (non-empty )?string|password must be/i,
    why: 'it asks for a password, and DATABASE_URL has none',
    advice: 'add one: postgres://user:password@host/name',
  },
  {
    fault: /SASL|unknown authenticationOk/i,
    why: 'signing in to it failed, or it asks for a way to sign in that is not known here',
    advice: 'use scram-sha-256 or md5 in its pg_hba.conf, and check that this is the right server',
  },
  {
    fault: /^(ECONNRESET|EPIPE)|connection terminated|socket hang up/i,
    why: 'it closed the connection',
    advice: 'check that the port in DATABASE_URL is that of Postgres, and see the log of Postgres',
  },
  {
    fault: /unsupported startup parameter/i,
    why: 'it is a pooler that refuses settings of a connection',
    advice: `put ignore_startup_parameters = ${STARTUP_PARAMETERS.join(', ')} into the settings of PgBouncer`,
  },
  {
    fault: /^08/,
    why: 'it and this program do not understand each other',
    advice: 'check that the port in DATABASE_URL is that of Postgres, or of a pooler in session mode',
  },
]

/**
 * Returns an error for a person when a fault of the database that a person can correct made the work fail; otherwise
 * null. The message contains no user and no password.
 */
export function connectionFault(thrown: unknown, databaseUrl: string): DatabaseUnusableError | null {
  for (const error of causes(thrown)) {
    const text = `${'code' in error ? String(error.code) : ''} ${error.message}`.trimStart()
    const known = KNOWN.find(({ fault }) => fault.test(text))
    if (known) return unusable(databaseUrl, known.why, known.advice, thrown)
  }
  // Any other file that is missing is not a fault of the database.
  if (!isStoreAway(thrown) || causes(thrown).some((error) => 'code' in error && error.code === 'ENOENT')) return null
  return unusable(databaseUrl, 'it does not answer', 'check DATABASE_URL, and see the log of Postgres', thrown)
}

/** Returns the error for a database behind a pooler that gives each transaction any of its connections. */
export const transactionModeFault = (databaseUrl: string): DatabaseUnusableError =>
  unusable(
    databaseUrl,
    'a pooler before it gives each transaction another connection',
    'set pool_mode = session in PgBouncer, or connect to Postgres itself',
    null,
  )

const unusable = (databaseUrl: string, why: string, advice: string, cause: unknown): DatabaseUnusableError =>
  new DatabaseUnusableError(`the database ${placeOf(databaseUrl)} cannot be used: ${why}; ${advice}`, { cause })

/** Returns where the database is, without its user and password. */
function placeOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl)
  if (url === null) return 'of DATABASE_URL'
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  return host.startsWith('/') ? `in ${host}` : `at ${host || 'localhost'}:${url.port || '5432'}`
}
