import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Seconds that a signature may be old, or ahead of the receiver's clock. */
export const SIGNATURE_TOLERANCE_SECONDS = 300

/** Signatures and characters that `verify` looks at, at most: a header is a stranger's text. */
const MAX_SIGNATURES = 10
const MAX_HEADER = 4096

/**
 * The value of `Service-Signature`: `t=<unix seconds>,v1=<hex>`, one `v1=` for each secret in the given order, so that
 * both secrets of a rotation sign (new first). The signature is the hex HMAC-SHA256 of `<t>.<raw body>`. The key is the
 * secret's text as it is shown, its 64 characters as bytes: not decoded from hex, as receivers' libraries expect.
 */
export function sign(secrets: readonly string[], timestampSeconds: number, rawBody: string | Uint8Array): string {
  let header = `t=${timestampSeconds}`
  for (const secret of secrets) header += `,v1=${mac(secret, timestampSeconds, rawBody).toString('hex')}`
  return header
}

/** What a receiver has in hand. */
interface Received {
  /** The value of `Service-Signature`. */
  readonly header: string
  /** The body as it arrived, before any parsing. */
  readonly rawBody: string | Uint8Array
  /** The secret, or both while one is being rotated. */
  readonly secrets: readonly string[]
  readonly nowSeconds: number
  /** Default 300. */
  readonly toleranceSeconds?: number
}

/**
 * What a receiver does, for our examples and tests. Signatures are compared in constant time, and the timestamp must
 * lie within the tolerance on both sides of now. The reason is for logs; a receiver answers all of them with one and
 * the same 400.
 */
export function verify(received: Received): { ok: true } | { ok: false; reason: 'malformed' | 'expired' | 'mismatch' } {
  const { header, rawBody, secrets, nowSeconds, toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS } = received
  const parsed = parseHeader(header)
  if (!parsed) return { ok: false, reason: 'malformed' }
  let matches = false
  for (const secret of secrets) {
    const expected = mac(secret, parsed.timestamp, rawBody)
    for (const signature of parsed.signatures) {
      // All are compared, so that the time taken does not say which one matched.
      if (timingSafeEqual(signature, expected)) matches = true
    }
  }
  if (!matches) return { ok: false, reason: 'mismatch' }
  if (Math.abs(nowSeconds - Number(parsed.timestamp)) > toleranceSeconds) return { ok: false, reason: 'expired' }
  return { ok: true }
}

/** A new signing secret: 64 hex digits of 32 random bytes. */
export function newSigningSecret(random: (size: number) => Uint8Array = randomBytes): string {
  return Buffer.from(random(32)).toString('hex')
}

function mac(secret: string, timestamp: number | string, rawBody: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
}

/** The timestamp stays text: what was signed is its digits, not the number that they mean. */
function parseHeader(header: string): { timestamp: string; signatures: Buffer[] } | null {
  if (header.length > MAX_HEADER) return null
  let timestamp: string | null = null
  const signatures: Buffer[] = []
  for (const part of header.split(',')) {
    const [, name, value = ''] = /^\s*(t|v1)=(.*?)\s*$/.exec(part) ?? []
    if (name === 't') {
      if (timestamp !== null || !/^\d{1,12}$/.test(value)) return null
      timestamp = value
    }
    if (name === 'v1' && /^[0-9a-f]{64}$/i.test(value)) signatures.push(Buffer.from(value, 'hex'))
  }
  const isUsable = timestamp !== null && signatures.length > 0 && signatures.length <= MAX_SIGNATURES
  return isUsable && timestamp !== null ? { timestamp, signatures } : null
}
