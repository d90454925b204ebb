import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'svc_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECK_LENGTH = 6
const SHAPE = /^svc_[0-9A-Za-z]{36}$/

/** How many characters of a key are stored and shown (DESIGN §6). */
const SHOWN = 8

/** A key's text: `svc_`, 30 random characters of base62 (178 bits), and 6 that check them, so that a typing error is seen without the store. */
export function newApiKeyText(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return PREFIX + random + checkOf(random)
}

/** Whether this can be a key at all. */
export function isApiKeyText(text: string): boolean {
  if (!SHAPE.test(text)) return false
  const random = text.slice(PREFIX.length, -CHECK_LENGTH)
  return checkOf(random) === text.slice(-CHECK_LENGTH)
}

/** What is stored of a key. A slow hash would add nothing to 178 random bits. */
export const apiKeyHash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** What is shown of a key. */
export const apiKeyPrefix = (text: string): string => text.slice(0, SHOWN)

function checkOf(random: string): string {
  let rest = crc32(random)
  let check = ''
  for (let place = 0; place < CHECK_LENGTH; place += 1) {
    check = ALPHABET[rest % ALPHABET.length] + check
    rest = Math.floor(rest / ALPHABET.length)
  }
  return check
}
