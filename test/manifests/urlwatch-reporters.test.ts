import { expect, test } from 'vitest'
import { readImport, readReporters } from '../../manifests/import/read-import.ts'

const JOBS = 'name: Kettle\nurl: https://shop.example.com/\n---\nname: Pot\nurl: https://shop.example.com/pot\n'
const TOKEN = 'T'.repeat(30)

/** Imports jobs with these reporters. */
function imported(report: object) {
  const reporters = readReporters('urlwatch', JSON.stringify({ display: { new: true }, report }))
  if (typeof reporters === 'string') throw new Error(reporters)
  const read = readImport('urlwatch', JOBS, { intervalSeconds: 3600, reporters })
  if (typeof read === 'string') throw new Error(read)
  const [first, second] = read.monitors.map(({ body }) => body['deliveries'])
  expect(second).toEqual(first)
  return { deliveries: first, report: read.report.slice(1) }
}

const DIGEST = 'One report of all jobs becomes one message a change: a digest collects them (docs/digests.md)'

test.each([
  [
    {
      discord: { webhook_url: 'https://discord.com/api/webhooks/1/a', subject: '[webchanges] {count} changes: {jobs}' },
    },
    [{ type: 'discord', webhookUrl: 'https://discord.com/api/webhooks/1/a' }],
  ],
  [
    { slack: { webhook_url: 'https://hooks.slack.com/services/a/b/c' } },
    [{ type: 'slack', webhookUrl: 'https://hooks.slack.com/services/a/b/c' }],
  ],
  [
    { mattermost: { webhook_url: 'https://chat.example.com/hooks/a' } },
    [{ type: 'webhook', service: 'mattermost', url: 'https://chat.example.com/hooks/a' }],
  ],
  [
    { webhook: { webhook_url: 'https://a.example.com/hook' } },
    [{ type: 'webhook', service: 'custom', url: 'https://a.example.com/hook', body: '{"text": "{{changes}}"}' }],
  ],
  [
    { email: { to: 'a@example.com, b@example.com', from: 'me@example.com', subject: 'News of {jobs}', html: true } },
    [
      { type: 'email', to: 'a@example.com', message: { title: 'News of {{monitor.name}}' } },
      { type: 'email', to: 'b@example.com', message: { title: 'News of {{monitor.name}}' } },
    ],
  ],
  [
    { telegram: { bot_token: `1:${TOKEN}`, chat_id: [11, '-22'], silent: true } },
    ['11', '-22'].map((chat_id) => ({
      type: 'webhook',
      service: 'telegram',
      url: `https://api.telegram.org/bot1:${TOKEN}/sendMessage`,
      options: { chat_id, disable_notification: 'true' },
    })),
  ],
  [
    { matrix: { homeserver: 'https://matrix.example.com/', access_token: TOKEN, room_id: '!a:example.com' } },
    [
      {
        type: 'webhook',
        service: 'matrix',
        url: 'https://matrix.example.com',
        options: { room_id: '!a:example.com', access_token: TOKEN },
      },
    ],
  ],
  [
    { gotify: { server_url: 'https://gotify.example.com', token: 'A1', priority: 4, title: null } },
    [
      {
        type: 'webhook',
        service: 'gotify',
        url: 'https://gotify.example.com',
        options: { token: 'A1', priority: '4' },
      },
    ],
  ],
  [
    { pushover: { app: 'a'.repeat(30), user: 'u'.repeat(30), device: null, sound: 'spacealarm', priority: 'high' } },
    [
      {
        type: 'webhook',
        service: 'pushover',
        url: 'https://api.pushover.net/1/messages.json',
        options: { token: 'a'.repeat(30), user: 'u'.repeat(30), sound: 'spacealarm', priority: '1' },
      },
    ],
  ],
])('the reporter of %j becomes a destination of each job', (given, deliveries) => {
  const report = Object.fromEntries(Object.entries(given).map(([name, all]) => [name, { enabled: true, ...all }]))
  expect(imported(report)).toEqual({ deliveries, report: [DIGEST] })
})

test('a reporter without an equivalent has a line, and one that is not enabled has none', () => {
  const report = {
    xmpp: { enabled: true, sender: 'a', recipient: 'b' },
    toString: { enabled: true },
    prowl: { enabled: false },
    slack: { webhook_url: 'https://hooks.slack.com/services/a/b/c' },
    stdout: { enabled: true },
    html: { diff: 'unified' },
  }
  expect(imported(report)).toEqual({
    deliveries: undefined,
    report: [
      'the reporter xmpp: no equivalent, or it is not complete',
      'the reporter toString: no equivalent, or it is not complete',
    ],
  })
})

test('a subject that counts has a line, and the mail has our title', () => {
  expect(imported({ email: { enabled: true, to: 'a@example.com', subject: '{count} in {jobs}' } })).toEqual({
    deliveries: [{ type: 'email', to: 'a@example.com' }],
    report: ['{count} in the subject of the reporter email: no equivalent', DIGEST],
  })
})

test.each([
  ['urlwatch', 'url: https://a.example.com/\n', 'is not the configuration of urlwatch: it has no report'],
  ['webchanges', '[]', 'is not the configuration of webchanges: it has no report'],
  ['urlwatch', ': : :', /^cannot be read: it is not YAML/],
  ['uptime-kuma', 'report: {}', 'is not read: uptime-kuma has its notifications in the file of its monitors'],
] as const)('of %s, the file %j is refused', (tool, text, why) => {
  expect(readReporters(tool, text)).toEqual(typeof why === 'string' ? why : expect.stringMatching(why))
})

test('without the file, a line says where destinations are', () => {
  const read = readImport('urlwatch', JOBS, { intervalSeconds: 3600 })
  expect(read).toMatchObject({
    report: [expect.any(String), 'Destinations are in another file: name it with --reporters'],
  })
})
