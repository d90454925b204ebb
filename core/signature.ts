import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The greatest age of a signature, in seconds; also the greatest lead over the receiver's clock. */
export const SIGNATURE_TOLERANCE_SECONDS = 300

/** The greatest number of signatures, and of characters, that `verify` reads: a header is untrusted text. */
const MAX_SIGNATURES = 10
const MAX_HEADER = 4096

/**
 * Returns the value of `Service-Signature`: `t=<unix seconds>,v1=<hex>`. There is one `v1=` for each secret in the
 * given order, so that both secrets of a rotation sign (new first). The signature is the hex HMAC-SHA256 of `<t>.<raw
 * body>`. The key is the secret's text as shown, its 64 characters as bytes; it is not decoded from hex, as receivers'
 * libraries expect.
 */
export function sign(secrets: readonly string[], timestampSeconds: number, rawBody: string | Uint8Array): string {
  let header = `t=${timestampSeconds}`
  for (const secret of secrets) header += `,v1=${mac(secret, timestampSeconds, rawBody).toString('hex')}`
  return header
}

/** The data that a receiver has. */
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
 * Verifies a signature as a receiver does, for examples and tests. Signatures are compared in constant time, and the
 * timestamp must be within the tolerance before or after now. The reason is for logs; a receiver answers all of them
 * with the same 400.
 */
export function verify(received: Received): { ok: true } | { ok: false; reason: 'malformed' | 'expired' | 'mismatch' } {
  const { header, rawBody, secrets, nowSeconds, toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS } = received
  const parsed = parseHeader(header)
  if (!parsed) return { ok: false, reason: 'malformed' }
  let matches = false
  for (const secret of secrets) {
    const expected = mac(secret, parsed.timestamp, rawBody)
    for (const signature of parsed.signatures) {
      // All are compared, so that the time does not show which one matched.
      if (timingSafeEqual(signature, expected)) matches = true
    }
  }
  if (!matches) return { ok: false, reason: 'mismatch' }
  if (Math.abs(nowSeconds - Number(parsed.timestamp)) > toleranceSeconds) return { ok: false, reason: 'expired' }
  return { ok: true }
}

/** Returns a new signing secret: 64 hex digits of 32 random bytes. */
export function newSigningSecret(random: (size: number) => Uint8Array = randomBytes): string {
  return Buffer.from(random(32)).toString('hex')
}

function mac(secret: string, timestamp: number | string, rawBody: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
}

/** The timestamp stays text: its digits were signed, not the number that they mean. */
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
