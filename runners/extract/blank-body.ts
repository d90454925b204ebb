import { type Failed, failed } from './page.ts'

export const noBody = (): Failed =>
  failed('empty_body', 'The answer has no body. Check the address, or whether it needs a browser (fetch_mode browser).')

/**
 * Returns whether the body is empty or only white space. Byte order marks and zero bytes count as white space, for
 * UTF-16.
 */
export function isBlank(body: Uint8Array): boolean {
  return body.every(
    (byte) =>
      byte === 32 ||
      (byte >= 9 && byte <= 13) ||
      byte === 0 ||
      byte === 0xef ||
      byte === 0xbb ||
      byte === 0xbf ||
      byte >= 0xfe,
  )
}
