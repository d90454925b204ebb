/** Signs of a browser. The first that is found counts: most browsers name others, too. */
const BROWSERS = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^tidemark-cli\//, './tidemark'],
  [/^curl\//, 'curl'],
] as const
const SYSTEMS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

const MOST = 60

const firstOf = (signs: readonly (readonly [RegExp, string])[], text: string): string | null =>
  signs.find(([sign]) => sign.test(text))?.[1] ?? null

/** Returns what signed in, by the name that it gave itself, which may be false: `Firefox on Windows`. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null) return 'An unknown device'
  const browser = firstOf(BROWSERS, userAgent)
  const system = firstOf(SYSTEMS, userAgent)
  if (browser === null) return userAgent.slice(0, MOST)
  return system === null ? browser : `${browser} on ${system}`
}
