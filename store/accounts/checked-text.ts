import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECK_LENGTH = 6

/**
 * Returns a new secret: the prefix, 30 random characters of base62 (178 bits), and 6 check characters, so that a
 * typing error is found without the store.
 */
export function newCheckedText(prefix: string): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return prefix + random + checkOf(random)
}

/** Returns whether the text has the form of a secret with that prefix. */
export function isCheckedText(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + RANDOM_LENGTH + CHECK_LENGTH) return false
  const random = text.slice(prefix.length, -CHECK_LENGTH)
  return /^[0-9A-Za-z]+$/.test(random) && checkOf(random) === text.slice(-CHECK_LENGTH)
}

/** Returns the hash that is stored for a secret. A slow hash would add nothing to 178 random bits. */
export const checkedTextHash = (text: string): Buffer => createHash('sha256').update(text).digest()

function checkOf(random: string): string {
  let rest = crc32(random)
  let check = ''
  for (let place = 0; place < CHECK_LENGTH; place += 1) {
    check = ALPHABET[rest % ALPHABET.length] + check
    rest = Math.floor(rest / ALPHABET.length)
  }
  return check
}
