import { createHash, hkdfSync } from 'node:crypto'

/** The uses of TIDEMARK_ENCRYPTION_KEY. What one of them shows says nothing about the keys of the others. */
type KeyUse =
  | 'secrets at rest'
  | 'sign-in sessions'
  | 'signed images'
  | 'applied resources'
  | 'marks of destinations'
  | 'name of the key'

/** Returns the keys that a value of TIDEMARK_ENCRYPTION_KEY lists, the newest first. */
export const listedKeys = (encryptionKey: string): readonly string[] =>
  encryptionKey
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')

/**
 * Returns the 32 bytes that are derived for one use from the newest key that TIDEMARK_ENCRYPTION_KEY lists. New
 * values are made with it.
 */
export const derivedKey = (encryptionKey: string, use: KeyUse): Buffer =>
  derive(listedKeys(encryptionKey)[0] ?? '', use)

/** Returns what `derivedKey` returns for each listed key, the newest first. Values made with any of them are valid. */
export const derivedKeys = (encryptionKey: string, use: KeyUse): readonly Buffer[] =>
  listedKeys(encryptionKey).map((key) => derive(key, use))

/** Returns the id of one key, eight hex digits, which is stored beside what it encrypts. It says nothing of the key. */
export const keyId = (key: string): string => derive(key, 'name of the key').toString('hex', 0, 4)

const derive = (key: string, use: KeyUse): Buffer =>
  Buffer.from(hkdfSync('sha256', key, createHash('sha256').update('tidemark').digest(), use, 32))
