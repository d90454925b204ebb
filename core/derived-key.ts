import { createHash, hkdfSync } from 'node:crypto'

/** The uses of TIDEMARK_ENCRYPTION_KEY. What one of them shows says nothing about the keys of the others. */
type KeyUse = 'secrets at rest' | 'sign-in sessions' | 'signed images' | 'applied resources'

/** Returns the 32 bytes that are derived from TIDEMARK_ENCRYPTION_KEY for one use. */
export const derivedKey = (encryptionKey: string, use: KeyUse): Buffer =>
  Buffer.from(hkdfSync('sha256', encryptionKey, createHash('sha256').update('tidemark').digest(), use, 32))
