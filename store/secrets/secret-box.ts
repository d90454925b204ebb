import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { derivedKey, keyId, listedKeys } from '../../core/derived-key.ts'

/**
 * Encrypts values that may contain credentials before they are stored. It uses AES-256-GCM with a fresh nonce each
 * time. The value is bound to its place (team, table, column, row), so that a value moved elsewhere does not open.
 * Layout: version 2, 4 bytes id of the key, 12 bytes nonce, 16 bytes tag, ciphertext.
 */
export interface SecretBox {
  /** The ids of the keys that it opens with, eight hex digits each. It seals with the first. */
  readonly keyIds: readonly string[]
  seal(place: SealedPlace, value: unknown): Buffer
  /** Throws an `UnreadableSecretError` when its key is not there, or when the value was moved or altered. */
  open(place: SealedPlace, sealed: Uint8Array): unknown
  /**
   * Returns 16 hex digits that are the same for the same text, until there is another newest key. Nobody can confirm a
   * guess of the text without the key.
   */
  mark(text: string): string
}

/** A box whose keys may change while it is used. */
export interface ChangingBox extends SecretBox {
  /** From now on it seals with the newest key of this list. It opens with all that it ever had. */
  adopt(encryptionKey: string): void
}

/** The columns that are encrypted, each with what identifies a row of it for its life: its `id`. */
export const SEALED_COLUMNS = [
  'monitors.request_headers',
  'monitors.deliveries',
  'monitors.signing_secret',
  'monitors.old_signing_secret',
  'deliveries.target',
  'notices.target',
  'idempotent_answers.answer',
  'asked_work.request',
  'asked_work.answer',
  'looks.answer',
  'looks.fetched',
  'looks.rendered',
  'encryption_keys.proof',
  'installation.session_key',
] as const

/** The place of a sealed value. */
export interface SealedPlace {
  /** For the installation's own values: the id of the installation. */
  readonly teamId: string
  readonly column: (typeof SEALED_COLUMNS)[number]
  /** The `id` of the row. */
  readonly rowId: string
}

/** Thrown when a sealed value cannot be opened. The message names the row and what to do, and no part of the value. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError'
  constructor({ column, rowId }: SealedPlace, why: string, options?: ErrorOptions) {
    super(`the secret in ${column} of the row ${rowId} cannot be opened: ${why}`, options)
  }
}

const VERSION = 2
const KEY_AT = 1
const NONCE_AT = KEY_AT + 4
const TAG_AT = NONCE_AT + 12
const BODY_AT = TAG_AT + 16

/** Returns the id of the key that a sealed value needs, as eight hex digits; null when it is not a sealed value. */
const sealedWith = (bytes: Buffer): string | null =>
  bytes[0] === VERSION && bytes.length >= BODY_AT ? bytes.toString('hex', KEY_AT, NONCE_AT) : null

/**
 * Returns the box for a value of TIDEMARK_ENCRYPTION_KEY: a list of keys, the newest first. Each is any text; 32 random
 * bytes as base64 or hex are best.
 */
export function createSecretBox(encryptionKey: string): ChangingBox {
  const keys = new Map<string, KeyObject>()
  let listed: readonly string[] = []
  let newest: { readonly key: KeyObject; readonly head: Buffer; readonly marking: KeyObject }
  adopt(encryptionKey)

  function adopt(list: string): void {
    // Each key object is created once. Passing bytes would create one at each opening, at five times the cost.
    for (const key of listedKeys(list)) keys.set(keyId(key), createSecretKey(derivedKey(key, 'secrets at rest')))
    const ids = listedKeys(list).map(keyId)
    const [id = ''] = ids
    const key = keys.get(id)
    if (key === undefined) throw new TypeError('an encryption key is needed')
    listed = ids
    const marking = createSecretKey(derivedKey(list, 'marks of destinations'))
    newest = { key, head: Buffer.concat([Buffer.of(VERSION), Buffer.from(id, 'hex')]), marking }
  }

  return {
    get keyIds() {
      return listed
    },
    adopt,
    mark: (text) => createHmac('sha256', newest.marking).update(text).digest('hex').slice(0, 16),
    seal(place, value) {
      const nonce = randomBytes(TAG_AT - NONCE_AT)
      const { key, head } = newest
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(place, head))
      const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return Buffer.concat([head, nonce, cipher.getAuthTag(), body])
    },
    open(place, sealed) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
      const id = sealedWith(bytes)
      if (id === null) throw new UnreadableSecretError(place, 'it is not of a known version; set it again')
      const key = keys.get(id)
      if (key === undefined)
        throw new UnreadableSecretError(
          place,
          `it was encrypted with the key ${id}, which TIDEMARK_ENCRYPTION_KEY does not list; add that key to the end ` +
            'of the list, or set the value again',
        )
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(NONCE_AT, TAG_AT))
        .setAAD(boundTo(place, bytes.subarray(0, NONCE_AT)))
        .setAuthTag(bytes.subarray(TAG_AT, BODY_AT))
      try {
        const opened: unknown = JSON.parse(
          Buffer.concat([decipher.update(bytes.subarray(BODY_AT)), decipher.final()]).toString('utf8'),
        )
        return opened
      } catch (cause) {
        throw new UnreadableSecretError(place, 'it was altered, or moved there from another row; set it again', {
          cause,
        })
      }
    },
  }
}

/** Returns the additional data: what a value opens with is fixed by its head, and where by its place. */
const boundTo = ({ teamId, column, rowId }: SealedPlace, head: Buffer): Buffer =>
  Buffer.concat([head, Buffer.from(`|${teamId}|${column}|${rowId}`)])

/**
 * Returns a box that gives null for a value that does not open, and calls `onUnreadable` for it. One broken row must
 * not make a whole list unreadable.
 */
export function tolerantBox(
  box: SecretBox,
  onUnreadable: (error: UnreadableSecretError, place: SealedPlace) => void,
): SecretBox {
  return {
    get keyIds() {
      return box.keyIds
    },
    seal: (place, value) => box.seal(place, value),
    mark: (text) => box.mark(text),
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
