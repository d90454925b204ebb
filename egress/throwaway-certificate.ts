import { LRUCache } from 'lru-cache'
import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { addressBytes } from './address.ts'

/** Certificates that the egress proxy answers its own browsers with. Nobody else accepts or gets to see them. */
interface Throwaway {
  /** The hash of the key, as `--ignore-certificate-errors-spki-list` takes it. */
  readonly spki: string
  contextFor(host: string): SecureContext
}

const MAX_HOSTS = 1_000
const DAY_MS = 86_400_000

let made: Throwaway | undefined

/** Returns the certificates of this process. Their key is made once, and never leaves its memory. */
export const throwaway = (): Throwaway => (made ??= makeThrowaway())

function makeThrowaway(): Throwaway {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const contexts = new LRUCache<string, SecureContext>({ max: MAX_HOSTS })
  return {
    spki: hash('sha256', spki, 'base64'),
    contextFor(host) {
      const known = contexts.get(host) ?? createSecureContext({ key, cert: certificateFor(host, spki, privateKey) })
      contexts.set(host, known)
      return known
    },
  }
}

// DER, as in RFC 5280. Node reads certificates and does not make them.
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const length = content.length
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...head), content])
}
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes))
const utcTime = (at: number) =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const NAME = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('Tidemark egress proxy')))))
const VERSION_3 = der(0xa0, der(0x02, Buffer.of(2)))

/** Returns a certificate for one host, signed with its own key, in PEM. */
function certificateFor(host: string, spki: Buffer, key: KeyObject): string {
  const now = Date.now()
  const name = isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, Buffer.from(addressBytes(host) ?? []))
  const alternative = sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(name)))
  const serial = der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)]))
  const validity = sequence(utcTime(now - DAY_MS), utcTime(now + 90 * DAY_MS))
  const content = sequence(
    VERSION_3,
    serial,
    ECDSA_SHA256,
    NAME,
    validity,
    NAME,
    spki,
    der(0xa3, sequence(alternative)),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, key))
  const lines =
    sequence(content, ECDSA_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
