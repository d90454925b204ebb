const MOST = 60

/**
 * Returns a text as a part of the name of a file, which every system takes: letters and digits in small, and hyphens
 * for all else. Empty: it has no letter and no digit.
 */
export function fileName(text: string): string {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return Array.from(words.join('-')).slice(0, MOST).join('').replace(/-$/, '')
}
