/**
 * Returns the destination that an address of Apprise means, or null. Apprise is the library that many tools notify
 * with; each service has a scheme of its own.
 */
export function destinationOfApprise(address: string): object | null {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(address.trim()) ?? []
  const parts = (rest.split('?')[0] ?? '').split('/').filter((part) => part !== '')
  switch (scheme.toLowerCase()) {
    case 'discord': {
      const [id, token] = parts.map(withoutUser)
      return id && token ? { type: 'discord', webhookUrl: `https://discord.com/api/webhooks/${id}/${token}` } : null
    }
    case 'slack': {
      const [a, b, c] = parts.map(withoutUser)
      return a && b && c ? { type: 'slack', webhookUrl: `https://hooks.slack.com/services/${a}/${b}/${c}` } : null
    }
    case 'mailto':
    case 'mailtos':
      return mail(rest)
    case 'json':
    case 'post':
      return { type: 'webhook', url: `http://${rest}` }
    case 'jsons':
    case 'posts':
      return { type: 'webhook', url: `https://${rest}` }
    case 'https':
      return chat(address)
    default:
      return null
  }
}

const withoutUser = (part: string): string => part.slice(part.lastIndexOf('@') + 1)

function chat(address: string): object | null {
  const { hostname = '' } = URL.parse(address) ?? {}
  if (hostname === 'hooks.slack.com') return { type: 'slack', webhookUrl: address }
  if (hostname === 'discord.com' || hostname === 'discordapp.com') return { type: 'discord', webhookUrl: address }
  return null
}

/** The receiver is a parameter; without one, it is the account that sends. */
function mail(rest: string): object | null {
  const to = new URLSearchParams(rest.split('?')[1] ?? '').get('to')
  const [, user = '', host = ''] = /^([^:@/]+)(?::[^@/]*)?@([^/?:]+)/.exec(rest) ?? []
  const address = to?.split(',')[0] ?? (user !== '' && host !== '' ? `${decodeURIComponent(user)}@${host}` : '')
  return address.includes('@') ? { type: 'email', to: address } : null
}
