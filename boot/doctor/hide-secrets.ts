import { listedKeys } from '../../core/derived-key.ts'
import { scrub } from '../../core/scrub.ts'
import { SECRET_SETTINGS } from '../../schema/config/secret-settings.ts'
import type { Environment } from '../settings/read-config.ts'

/** A shorter text, or one of these, is in too many texts by chance. */
const SHORTEST = 6
const COMMON: ReadonlySet<string> = new Set(['postgres', 'password', 'tidemark', 'secret'])

/** How explanations write a user and a password in an address. */
const EXAMPLE = '://user:password@'

/**
 * Returns a function that takes out of a text what a report must not contain: the values of secret settings, with the
 * parts of those that are addresses or lists, and the home folder. No check puts one in; this is for what others say.
 */
export function hideSecrets(environment: Environment, home: string): (text: string) => string {
  const secrets = SECRET_SETTINGS.flatMap((name) => partsOf(environment[name] ?? ''))
    .filter((text) => text.length >= SHORTEST && !COMMON.has(text.toLowerCase()))
    .toSorted((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of secrets) clean = clean.replaceAll(secret, '[redacted]')
    const shown = home.length > 1 ? clean.replaceAll(home, '~') : clean
    return shown.split(EXAMPLE).map(scrub).join(EXAMPLE)
  }
}

function partsOf(value: string): readonly string[] {
  const url = URL.parse(value)
  const ofUrl = url === null ? [] : [url.password, decoded(url.password), ...url.searchParams.values()]
  // A password that breaks its address is between the scheme and the last @.
  const userinfo = /:\/\/(.*)@/s.exec(value)?.[1] ?? ''
  const password = userinfo.slice(userinfo.indexOf(':') + 1)
  return [value, ...ofUrl, userinfo, password, decoded(password), ...listedKeys(value), ...value.split(/[=,]/)]
}

/** Returns a text without percent-encoding; as it is where that is not valid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
