import type { AppriseAddress } from './apprise-address.ts'
import { PUSHOVER_ADDRESS, telegramAddress, toService as to } from './valid-deliveries.ts'

type Read = (address: AppriseAddress) => readonly object[]

/** A scheme with an s at its end is the same by TLS. */
const base = ({ host }: AppriseAddress, scheme: 'http' | 'https', path: readonly string[] = []): string =>
  `${scheme}://${[host, ...path].join('/')}`

const both = (name: string, read: (address: AppriseAddress, scheme: 'http' | 'https') => readonly object[]) => ({
  [name]: (address: AppriseAddress) => read(address, 'http'),
  [`${name}s`]: (address: AppriseAddress) => read(address, 'https'),
})

const OPEN_TOPIC = /^ntfy\.sh$/i

/** A host without a path is a topic of ntfy.sh. */
function ntfy(address: AppriseAddress, scheme: 'http' | 'https'): readonly object[] {
  const { host, user, password, path, query } = address
  const isOpen = path.length === 0 || OPEN_TOPIC.test(host)
  const topics = isOpen && !OPEN_TOPIC.test(host) ? [host, ...path] : path
  const token = query.get('token') ?? [password, user].find((text) => text.startsWith('tk_'))
  // A sign-in by a password has no equivalent.
  if (token === undefined && user !== '') return []
  const priority = PRIORITIES[query.get('priority') ?? ''] ?? query.get('priority')
  const url = isOpen ? 'https://ntfy.sh' : base(address, scheme)
  return topics.map((topic) => to('ntfy', url, { topic, token, priority, tags: query.get('tags') }))
}

const PRIORITIES: Readonly<Record<string, string>> = { min: '1', low: '2', default: '3', high: '4', max: '5' }

/** Rooms by their ids. An alias would have to be asked for at the server. */
const matrix = (address: AppriseAddress, scheme: 'http' | 'https'): readonly object[] => {
  const { user, password, path } = address
  const token = password === '' ? user : ''
  return path
    .filter((room) => room.startsWith('!'))
    .map((room) => to('matrix', base(address, scheme), { room_id: room, access_token: token }))
}

const mattermost = (address: AppriseAddress, scheme: 'http' | 'https'): readonly object[] => {
  const { path, user, query } = address
  const channels = (query.get('channel') ?? query.get('to') ?? '').split(',')
  const url = base(address, scheme, [...path.slice(0, -1), 'hooks', path.at(-1) ?? ''])
  return channels.map((channel) => to('mattermost', url, { channel: channel.replace(/^#/, ''), username: user }))
}

/** Only webhooks, whose two parts stand before the host. */
const rocketChat = (address: AppriseAddress, scheme: 'http' | 'https'): readonly object[] => {
  const { user, path } = address
  if (!/^[^/]+\/[^/]+$/.test(user)) return []
  const url = base(address, scheme, ['hooks', user])
  return path.length === 0 ? [to('rocket_chat', url)] : path.map((channel) => to('rocket_chat', url, { channel }))
}

const gotify = (address: AppriseAddress, scheme: 'http' | 'https'): readonly object[] => {
  const { path, query } = address
  const url = base(address, scheme, path.slice(0, -1))
  return [to('gotify', url, { token: path.at(-1), priority: /^\d+$/.exec(query.get('priority') ?? '')?.[0] })]
}

const appriseApi = (address: AppriseAddress, scheme: 'http' | 'https'): readonly object[] => {
  const { path, query, user } = address
  // A sign-in has no equivalent.
  if (user !== '') return []
  const url = base(address, scheme, [...path.slice(0, -1), 'notify', path.at(-1) ?? ''])
  return [to('apprise', url, { tag: query.get('tags') ?? query.get('to') })]
}

/** The JSON that Apprise itself sends. */
const APPRISE_JSON = JSON.stringify({
  version: '1.0',
  title: '{{monitor.name}}',
  message: '{{changes}}',
  attachments: [],
  type: 'info',
})

/** How the parameters of an address are told apart: those of the request, and others that have no equivalent. */
interface Parameters {
  /** Null: the parameter is not one of the request. */
  readonly sent: (name: string) => string | null
  readonly isUnknown: (name: string) => boolean
}

/** Apprise sends parameters with a minus; a colon is for its JSON. */
const OF_APPRISE: Parameters = {
  sent: (name) => (name.startsWith('-') ? name.slice(1) : null),
  isUnknown: (name) => name.startsWith(':'),
}
/** changedetection.io sends those without a sign. */
const OF_CHANGEDETECTION: Parameters = {
  sent: (name) => (/^[+:-]|^(method|format|overflow|verify|rto|cto)$/.test(name) ? null : name),
  isUnknown: () => false,
}

const METHODS: readonly string[] = ['POST', 'PUT']

function request(
  { host, user, password, path, query }: AppriseAddress,
  scheme: 'http' | 'https',
  { body, method, ...parameters }: Parameters & { readonly body?: string; readonly method: string },
): readonly object[] {
  const given = [...query]
  if (!METHODS.includes(method) || given.some(([name]) => parameters.isUnknown(name))) return []
  const sent = given.flatMap(([name, value]): [string, string][] => {
    const own = parameters.sent(name)
    return own === null ? [] : [[own, value]]
  })
  const search = new URLSearchParams(sent).toString()
  const headers = Object.fromEntries([
    ...given.flatMap(([name, value]) => (name.startsWith('+') ? [[name.slice(1), value]] : [])),
    ...(user === '' ? [] : [['Authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`]]),
  ]) as Readonly<Record<string, string>>
  const url = `${scheme}://${[host, ...path.map(encodeURIComponent)].join('/')}${search === '' ? '' : `?${search}`}`
  return [
    {
      type: 'webhook',
      service: 'custom',
      url,
      ...(body !== undefined && { body }),
      ...(method === 'PUT' && { method }),
      ...(Object.keys(headers).length > 0 && { headers }),
    },
  ]
}

/** The services of Apprise by their schemes, as far as there is one of the same name here. */
export const APPRISE_SERVICES: Readonly<Record<string, Read>> = {
  // The token of a bot has a colon, so it looks like a host with a port.
  tgram: ({ host: token, path, query }) =>
    path.map((chat) => {
      const [, id = chat, thread = query.get('topic') ?? query.get('thread')] = /^(-?\d+):(\d+)$/.exec(chat) ?? []
      const options = { chat_id: id, message_thread_id: thread }
      return to('telegram', telegramAddress(token), options)
    }),
  ...both('matrix', matrix),
  ...both('mmost', mattermost),
  ...both('rocket', rocketChat),
  ...both('ntfy', ntfy),
  ...both('gotify', gotify),
  ...both('apprise', appriseApi),
  ...both('json', (address, scheme) => {
    const method = (address.query.get('method') ?? 'POST').toUpperCase()
    return request(address, scheme, { ...OF_APPRISE, method, body: APPRISE_JSON })
  }),
  ...both('post', (address, scheme) => request(address, scheme, { ...OF_CHANGEDETECTION, method: 'POST' })),
  ...both('put', (address, scheme) => request(address, scheme, { ...OF_CHANGEDETECTION, method: 'PUT' })),
  gchat: ({ host, path: [key = '', token = ''], query }) => {
    const search = new URLSearchParams({ key, token }).toString()
    const url = `https://chat.googleapis.com/v1/spaces/${host}/messages?${search}`
    return [to('google_chat', url, { thread_key: query.get('thread') ?? query.get('threadKey') })]
  },
  pover: ({ user, host, path, query }) => {
    const priority = /^-?[0-9]$/.exec(query.get('priority') ?? '')?.[0]
    const options = { token: host, user, device: path.join(','), priority, sound: query.get('sound') }
    return [to('pushover', PUSHOVER_ADDRESS, options)]
  },
  pagerduty: ({ user, query }) => {
    const region = query.get('region') === 'eu' ? 'eu.' : ''
    return [to('pagerduty', `https://events.${region}pagerduty.com/v2/enqueue`, { routing_key: user })]
  },
  workflows: ({ host, path: [workflow = '', signature = ''] }) => {
    const run = 'api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0'
    const place = `https://${host}/workflows/${workflow}/triggers/manual/paths/invoke`
    return workflow === '' || signature === ''
      ? []
      : [to('teams', `${place}?${run}&sig=${encodeURIComponent(signature)}`)]
  },
}
