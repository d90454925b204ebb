import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { derivedKey } from '../../core/derived-key.ts'

/**
 * Encrypts values that may contain credentials before they are stored. It uses AES-256-GCM with a fresh nonce each
 * time. The value is bound to its place (team, table, column), so that a value moved elsewhere does not open. Layout:
 * version 1, 12 bytes nonce, 16 bytes tag, ciphertext.
 */
export interface SecretBox {
  seal(place: SealedPlace, value: unknown): Buffer
  /** Throws an `UnreadableSecretError` when the key differs or the value was moved or altered. */
  open(place: SealedPlace, sealed: Uint8Array): unknown
}

/** The place of a sealed value. */
export interface SealedPlace {
  /** For the installation's own value: the id of the installation. */
  readonly teamId: string
  readonly column:
    | 'monitors.request_headers'
    | 'monitors.deliveries'
    | 'monitors.signing_secret'
    | 'deliveries.target'
    | 'installation.key_check'
}

/** Thrown when a sealed value cannot be opened. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError'
}

const VERSION = 1

/**
 * Returns the box for a key. `key` is the value of TIDEMARK_ENCRYPTION_KEY: any text; 32 random bytes as base64 or hex
 * are best.
 */
export function createSecretBox(key: string): SecretBox {
  // The key object is created once. Passing bytes would create one at each opening, at five times the cost.
  const derived = createSecretKey(derivedKey(key, 'secrets at rest'))
  const aad = (place: SealedPlace) => Buffer.from(`${place.teamId}|${place.column}`)
  return {
    seal(place, value) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', derived, nonce).setAAD(aad(place))
      const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
    },
    open(place, sealed) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
      if (bytes[0] !== VERSION || bytes.length < 29)
        throw new UnreadableSecretError('a sealed value is not of a known version')
      const decipher = createDecipheriv('aes-256-gcm', derived, bytes.subarray(1, 13))
        .setAAD(aad(place))
        .setAuthTag(bytes.subarray(13, 29))
      try {
        const opened: unknown = JSON.parse(
          Buffer.concat([decipher.update(bytes.subarray(29)), decipher.final()]).toString('utf8'),
        )
        return opened
      } catch (cause) {
        throw new UnreadableSecretError(
          'a secret cannot be opened: TIDEMARK_ENCRYPTION_KEY is not the one it was sealed with, or the value was ' +
            'altered',
          { cause },
        )
      }
    },
  }
}

/**
 * Returns a box that gives null for a value that does not open, and calls `onUnreadable` for it. One broken row must
 * not make a whole list unreadable.
 */
export function tolerantBox(
  box: SecretBox,
  onUnreadable: (error: UnreadableSecretError, place: SealedPlace) => void,
): SecretBox {
  return {
    seal: (place, value) => box.seal(place, value),
    open(place, sealed) {
      try {
        return box.open(place, sealed)
      } catch (error) {
        if (!(error instanceof UnreadableSecretError)) throw error
        onUnreadable(error, place)
        return null
      }
    },
  }
}
