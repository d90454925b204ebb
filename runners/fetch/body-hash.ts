import { hash } from 'node:crypto'

/**
 * Returns the first 16 bytes of SHA-256. A page's author must not be able to make two different pages that look
 * unchanged, so MD5 and SHA-1 are not used. One call over the whole body costs about the same as the streaming
 * interface (13.6 and 13.1 µs for 20 KB; SHA-1 11.7, MD5 26, BLAKE2b 21).
 */
export function bodyHash(body: Uint8Array): Uint8Array {
  return hash('sha256', body, 'buffer').subarray(0, 16)
}
