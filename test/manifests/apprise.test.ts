import { describe, expect, test } from 'vitest'
import { destinationsOfApprise } from '../../manifests/import/apprise.ts'
import { messageOf, withMessage } from '../../manifests/import/changedetection-message.ts'
import { uptimeKumaDestinations } from '../../manifests/import/uptime-kuma-destinations.ts'

const to = (service: string, url: string, options?: object) => ({
  ...{ type: 'webhook', service, url },
  ...(options && { options }),
})
const API = 'https://api.telegram.org/bot123456:ABC/sendMessage'
const TEAMS = 'https://prod-1.example.com:443/workflows/w/triggers/manual/paths/invoke'
const RUN = 'api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=a%2Fb'

describe('An address of Apprise', () => {
  test.each<[string, readonly object[]]>([
    [
      'tgram://123456:ABC/-1001234/@news',
      [to('telegram', API, { chat_id: '-1001234' }), to('telegram', API, { chat_id: '@news' })],
    ],
    ['tgram://123456:ABC/-1001234:7', [to('telegram', API, { chat_id: '-1001234', message_thread_id: '7' })]],
    [
      'matrixs://syt_0@matrix.example.com/!a:example.com',
      [to('matrix', 'https://matrix.example.com', { room_id: '!a:example.com', access_token: 'syt_0' })],
    ],
    [
      'mmosts://bot@chat.example.com:8443/team/0123?channel=%23town',
      [to('mattermost', 'https://chat.example.com:8443/team/hooks/0123', { channel: 'town', username: 'bot' })],
    ],
    [
      'rockets://a/b@chat.example.com/#general',
      [to('rocket_chat', 'https://chat.example.com/hooks/a/b', { channel: '#general' })],
    ],
    [
      'gchat://space/key/token',
      [to('google_chat', 'https://chat.googleapis.com/v1/spaces/space/messages?key=key&token=token')],
    ],
    ['ntfy://kettle', [to('ntfy', 'https://ntfy.sh', { topic: 'kettle' })]],
    [
      'ntfys://tk_0@ntfy.example.com/a/b?priority=high&tags=bell',
      ['a', 'b'].map((topic) =>
        to('ntfy', 'https://ntfy.example.com', { topic, token: 'tk_0', priority: '4', tags: 'bell' }),
      ),
    ],
    [
      'gotifys://push.example.com/below/A0?priority=8',
      [to('gotify', 'https://push.example.com/below', { token: 'A0', priority: '8' })],
    ],
    [
      'pover://user@token/phone?sound=magic',
      [
        to('pushover', 'https://api.pushover.net/1/messages.json', {
          token: 'token',
          user: 'user',
          device: 'phone',
          sound: 'magic',
        }),
      ],
    ],
    ['pagerduty://R0@key/source', [to('pagerduty', 'https://events.pagerduty.com/v2/enqueue', { routing_key: 'R0' })]],
    ['workflows://prod-1.example.com:443/w/a%2Fb', [to('teams', `${TEAMS}?${RUN}`)]],
    [
      'apprises://apprise.example.com/kettle?tags=all',
      [to('apprise', 'https://apprise.example.com/notify/kettle', { tag: 'all' })],
    ],
  ])('%s becomes a destination', (address, found) => {
    expect(destinationsOfApprise(address)).toEqual(found)
  })

  test('of a request becomes one with the body that Apprise sends, or with the text of the message', () => {
    const [json] = destinationsOfApprise('jsons://me:pw@api.example.com/a?-x=1&+X-Key=k&verify=no')
    expect(json).toMatchObject({
      ...to('custom', 'https://api.example.com/a?x=1'),
      headers: { 'X-Key': 'k', Authorization: 'Basic bWU6cHc=' },
    })
    expect(JSON.parse((json as { body: string }).body)).toMatchObject({ version: '1.0', message: '{{changes}}' })
    expect(destinationsOfApprise('put://api.example.com/a')).toEqual([
      { ...to('custom', 'http://api.example.com/a'), method: 'PUT' },
    ])
  })

  test.each([
    'json://api.example.com/a?method=PATCH',
    'json://api.example.com/a?:message=text',
    'apprise://me:pw@apprise.example.com/kettle',
    'tgram://123456:ABC',
    'tgram://bot/chat',
    'matrix://user:password@matrix.example.com/!a:example.com',
    'matrix://token@matrix.example.com/#alias',
    'ntfy://user:password@ntfy.example.com/a',
    'rocket://user:password@chat.example.com/room',
    'pover://token',
    'sns://key/secret/us-east-1/+12223334444',
    'constructor://a',
    'no address',
    '',
  ])('%s has no equivalent', (address) => {
    expect(destinationsOfApprise(address)).toEqual([])
  })
})

describe('A notification of Uptime Kuma', () => {
  test.each<[object, object]>([
    [
      { type: 'telegram', telegramBotToken: '123456:ABC', telegramChatID: '-1', telegramSendSilently: true },
      to('telegram', API, { chat_id: '-1', disable_notification: 'true' }),
    ],
    [
      { type: 'matrix', homeserverUrl: 'https://m.example.com', internalRoomId: '!a:b', accessToken: 't' },
      to('matrix', 'https://m.example.com', { room_id: '!a:b', access_token: 't' }),
    ],
    [
      { type: 'mattermost', mattermostWebhookUrl: 'https://m.example.com/hooks/0', mattermostchannel: 'town' },
      to('mattermost', 'https://m.example.com/hooks/0', { channel: 'town' }),
    ],
    [
      { type: 'rocket.chat', rocketwebhookURL: 'https://r.example.com/hooks/0' },
      to('rocket_chat', 'https://r.example.com/hooks/0'),
    ],
    [
      { type: 'GoogleChat', googleChatWebhookURL: 'https://chat.googleapis.com/v1/spaces/0' },
      to('google_chat', 'https://chat.googleapis.com/v1/spaces/0'),
    ],
    [{ type: 'teams', webhookUrl: 'https://t.example.com/w' }, to('teams', 'https://t.example.com/w')],
    [
      { type: 'ntfy', ntfyserverurl: 'https://ntfy.sh', ntfytopic: 'kettle', ntfyPriority: 4 },
      to('ntfy', 'https://ntfy.sh', { topic: 'kettle', priority: '4' }),
    ],
    [
      { type: 'gotify', gotifyserverurl: 'https://g.example.com', gotifyapplicationToken: 'A0', gotifyPriority: 8 },
      to('gotify', 'https://g.example.com', { token: 'A0', priority: '8' }),
    ],
    [
      { type: 'pushover', pushoverapptoken: 'a', pushoveruserkey: 'u', pushoverpriority: '0' },
      to('pushover', 'https://api.pushover.net/1/messages.json', { token: 'a', user: 'u', priority: '0' }),
    ],
    [
      {
        type: 'PagerDuty',
        pagerdutyIntegrationUrl: 'https://events.pagerduty.com/v2/enqueue',
        pagerdutyIntegrationKey: 'R0',
      },
      to('pagerduty', 'https://events.pagerduty.com/v2/enqueue', { routing_key: 'R0' }),
    ],
    [{ type: 'apprise', appriseURL: 'ntfy://kettle' }, to('ntfy', 'https://ntfy.sh', { topic: 'kettle' })],
  ])('%j becomes a destination', (settings, found) => {
    expect(uptimeKumaDestinations(settings as never)).toEqual([found])
  })

  test.each([
    { type: 'pushover', pushoverapptoken: 'a' },
    { type: 'pushy' },
    { type: 'ntfy', ntfyAuthenticationMethod: 'usernamePassword' },
    {},
  ])('%j has no equivalent', (settings) => {
    expect(uptimeKumaDestinations(settings)).toBeNull()
  })
})

describe('A text of changedetection.io', () => {
  const read = (watch: object, application: object = {}) => {
    const missed: string[] = []
    return { message: messageOf(watch as never, application as never, (what) => void missed.push(what)), missed }
  }

  test('becomes a message with the names that are here', () => {
    const watch = {
      notification_title: 'New at {{ watch_title }}',
      notification_body: '{{watch_url}}\n{{diff}}\n{{ diff_url }}',
    }
    expect(read(watch)).toEqual({
      message: { title: 'New at {{monitor.name}}', text: '{{monitor.url}}\n{{changes}}\n{{run.url}}' },
      missed: [],
    })
  })

  test.each([
    ['diff_added', 'changes'],
    ['diff_removed', 'changes'],
    ['diff_full', 'changes'],
    ['diff_patch', 'changes'],
    ['triggered_text', 'changes'],
    ['preview_url', 'run.url'],
  ])('has a line in the report for {{%s}}, whose meaning is another one here', (name, here) => {
    expect(read({}, { notification_body: `It: {{${name}}}, {{ ${name} }}`, notification_title: '{{diff}}' })).toEqual({
      message: { title: '{{changes}}', text: `It: {{${here}}}, {{${here}}}` },
      missed: [`{{${name}}} in the text of notifications, which becomes {{${here}}}`],
    })
  })

  test('is left out with a line for each of its names that is unknown', () => {
    expect(
      read({ notification_body: '{{current_snapshot}} {{ llm }} {{diff_added}} {{current_snapshot}} <b>' }),
    ).toEqual({
      message: null,
      missed: ['{{current_snapshot}}', '{{ llm }}', 'HTML'].map((what) => `${what} in the text of notifications`),
    })
  })

  test('is the body of a request, which gets no message', () => {
    const [post] = destinationsOfApprise('posts://api.example.com/a?x=1')
    const json = destinationsOfApprise('json://api.example.com/a')[0] ?? {}
    const message = { title: 'a', text: '{"token": "0123", "text": "{{changes}}"}' }
    expect(withMessage([post ?? {}, json], message)).toEqual({
      deliveries: [{ ...to('custom', 'https://api.example.com/a?x=1'), body: message.text }, json],
    })
    const mail = { type: 'email', to: 'a@example.com' }
    expect(withMessage([mail], message)).toEqual({ deliveries: [mail], message })
  })

  test('is counted with the names that it has then', () => {
    expect(read({ notification_title: `{{diff}}${'a'.repeat(191)}` })).toEqual({
      message: null,
      missed: ['more than is taken in the title of notifications'],
    })
  })

  test('is left to our words where it is that of the tool', () => {
    const own = {
      notification_title: 'ChangeDetection.io Notification - {{ watch_url }}',
      notification_body: '{{watch_url}} had a change.\n---\n{{diff}}\n---\n',
    }
    expect(read({}, own)).toEqual({ message: null, missed: [] })
  })

  test.each([
    ['{{current_snapshot}}', '{{current_snapshot}} in the text of notifications'],
    ['{% if x %}a{% endif %}', '{% if x %} in the text of notifications'],
    ['{{ diff | upper }}', '{{ diff | upper }} in the text of notifications'],
    ['<b>{{diff}}</b>', 'HTML in the text of notifications'],
    ['a {{', '{{ in the text of notifications'],
  ])('%s is named in the report', (text, line) => {
    expect(read({ notification_body: text })).toEqual({ message: null, missed: [line] })
  })
})
