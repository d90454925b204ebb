/** Keys whose text is never logged, at any depth. */
const SECRET_KEYS =
  'authorization|cookie|set-cookie|password|secret|signing_secret|token|session_token|access_token|api_?key'

/**
 * Patterns of secrets in a finished line, and their replacements. The logger's own redaction uses exact paths and case,
 * and sees neither messages nor addresses; so the line itself is searched.
 */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`("(?:${SECRET_KEYS})":)"(?:[^"\\\\]|\\\\.)*"`, 'gi'), '$1"[redacted]"'],
  [/\b(svc|tdr)_[0-9A-Za-z]{6,}/g, '$1_[redacted]'],
  [/\b(Bearer|Basic)\s+[^\s"',\\]+/gi, '$1 [redacted]'],
  [/:\/\/[^\s/"'@\\]+@/g, '://[redacted]@'],
  [/([?&](?:[\w-]*token|[\w-]*key|secret|password|passwd|sig|signature|auth|code)=)[^&\s"'#\\]+/gi, '$1[redacted]'],
  [/(hooks\.slack\.com\/)[^\s"'\\]+/gi, '$1[redacted]'],
  [/(\/api\/webhooks\/)[^\s"'\\]+/gi, '$1[redacted]'],
]

/** A session. Its token and its signature are looked for only where a signature is: words are many, and dots few. */
const SESSION = /\b[A-Za-z0-9]{32}\.[A-Za-z0-9+/%_-]{40,}={0,2}/g
const SIGNATURE = /\.[A-Za-z0-9+/%_-]{40}/

/** Returns the text without anything that looks like a secret. */
export function scrub(text: string): string {
  let clean = SIGNATURE.test(text) ? text.replace(SESSION, '[redacted session]') : text
  for (const [pattern, rest] of SECRET_TEXTS) clean = clean.replace(pattern, rest)
  return clean
}
