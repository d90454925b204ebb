const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the text of bytes without a mark of its byte order, or null where it is not UTF-8. */
export function textOfBytes(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes)
  } catch {
    return null
  }
}
