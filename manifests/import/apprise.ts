import { appriseAddress, decodedPart } from './apprise-address.ts'
import { APPRISE_SERVICES } from './apprise-services.ts'
import { validDeliveries } from './valid-deliveries.ts'

/**
 * Returns the destinations that an address of Apprise means; none where it is of another service. Apprise is the
 * library that many tools notify with; each service has its own scheme.
 */
export function destinationsOfApprise(address: string): readonly object[] {
  const parts = appriseAddress(address)
  const read = parts && Object.hasOwn(APPRISE_SERVICES, parts.scheme) ? APPRISE_SERVICES[parts.scheme] : undefined
  return validDeliveries(parts && read ? read(parts) : byType(address))
}

/** Returns the destinations that have a type: chats and mails. */
function byType(address: string): readonly object[] {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(address.trim()) ?? []
  const parts = (rest.split('?')[0] ?? '').split('/').filter((part) => part !== '')
  switch (scheme.toLowerCase()) {
    case 'discord': {
      const [id, token] = parts.map(withoutUser)
      return id && token ? [{ type: 'discord', webhookUrl: `https://discord.com/api/webhooks/${id}/${token}` }] : []
    }
    case 'slack': {
      const [a, b, c] = parts.map(withoutUser)
      return a && b && c ? [{ type: 'slack', webhookUrl: `https://hooks.slack.com/services/${a}/${b}/${c}` }] : []
    }
    case 'mailto':
    case 'mailtos':
      return mail(rest)
    case 'https':
      return chat(address)
    default:
      return []
  }
}

const withoutUser = (part: string): string => part.slice(part.lastIndexOf('@') + 1)

function chat(address: string): readonly object[] {
  const { hostname = '' } = URL.parse(address) ?? {}
  if (hostname === 'hooks.slack.com') return [{ type: 'slack', webhookUrl: address }]
  if (hostname === 'discord.com' || hostname === 'discordapp.com') return [{ type: 'discord', webhookUrl: address }]
  return []
}

/** The receivers are a parameter; without one, it is the account that sends. */
function mail(rest: string): readonly object[] {
  const to = new URLSearchParams(rest.split('?')[1] ?? '').get('to')
  if (to) return mailTo(to)
  const [, user = '', host = ''] = /^([^:@/]+)(?::[^@/]*)?@([^/?:]+)/.exec(rest) ?? []
  return user === '' || host === '' ? [] : mailTo(`${decodedPart(user)}@${host}`)
}

/** Returns a destination for each address of a list. */
export const mailTo = (addresses: string): readonly object[] =>
  addresses
    .split(/[\s,;]+/)
    .filter((address) => address.includes('@'))
    .map((to) => ({ type: 'email', to }))
