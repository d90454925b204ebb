import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deviceCookieName } from './sign-in-options.ts'

/** What a marker is made with. */
interface DeviceKeys {
  readonly sessionKey: string
  readonly baseUrl: string
}

const LIVES_SECONDS = 365 * 86_400

/**
 * Returns a cookie that marks the browser as one from which this account was signed in to. It opens nothing: it only
 * gives the browser its own count of the attempts to sign in. It outlives the session and the sign-out.
 */
export function newDeviceCookie(keys: DeviceKeys, account: string): string {
  const id = randomBytes(12).toString('base64url')
  const value = `${id}.${signature(keys.sessionKey, account, id)}`
  const secure = keys.baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${deviceCookieName(keys.baseUrl)}=${value}; Max-Age=${LIVES_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

/** Returns the id of the device; null without a marker, or with one of another account. */
export function knownDevice(cookies: string | undefined, keys: DeviceKeys, account: string): string | null {
  const prefix = `${deviceCookieName(keys.baseUrl)}=`
  const pair = pairsOf(cookies).find((text) => text.startsWith(prefix))
  const [id = '', given = ''] = pair?.slice(prefix.length).split('.') ?? []
  return id !== '' && isSame(given, signature(keys.sessionKey, account, id)) ? id : null
}

/** Returns the cookies without the marker: the sign-in library asks more of a request with cookies. */
export function withoutDevice(cookies: string | undefined, { baseUrl }: Pick<DeviceKeys, 'baseUrl'>): string {
  const prefix = `${deviceCookieName(baseUrl)}=`
  return pairsOf(cookies)
    .filter((text) => text !== '' && !text.startsWith(prefix))
    .join('; ')
}

const pairsOf = (cookies: string | undefined) => (cookies ?? '').split(';').map((text) => text.trim())

const signature = (key: string, account: string, id: string) =>
  createHmac('sha256', key).update(`known device ${account} ${id}`).digest('base64url')

function isSame(given: string, right: string): boolean {
  const one = Buffer.from(given)
  const other = Buffer.from(right)
  return one.length === other.length && timingSafeEqual(one, other)
}
