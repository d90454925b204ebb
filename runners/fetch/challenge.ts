import type { IncomingHttpHeaders } from 'node:http'

/** The part of a refusal's body that is searched. */
export const CHALLENGE_BYTES = 64 * 1024

/** Texts that the challenge pages of well-known bot protections contain and ordinary error pages do not. */
const MARKERS = [
  '/cdn-cgi/challenge-platform/',
  'cf-challenge',
  'cf_chl_opt',
  'captcha-delivery.com',
  '_Incapsula_Resource',
  'px-captcha',
  'sucuri_cloudproxy_js',
  'awswaf.com',
  'g-recaptcha',
  'h-captcha',
]

/** Returns whether the response headers mark a challenge, whatever the status. */
export function isChallengeHeader(headers: IncomingHttpHeaders): boolean {
  const waf = headers['x-amzn-waf-action']
  return headers['cf-mitigated'] === 'challenge' || waf === 'challenge' || waf === 'captcha'
}

/**
 * Returns whether a refusal's body is a challenge page. Call it only for 403 and 503: on a page that was served, a
 * captcha is a form field.
 */
export function isChallengePage(body: Uint8Array): boolean {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, CHALLENGE_BYTES)).toString('latin1')
  return MARKERS.some((marker) => text.includes(marker))
}
