import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver, type Receiver, reply, type Reply } from '../../support/worker/receiver.ts'

let watching: Watching
let receiver: Receiver
let answer: Reply = reply(200)
beforeAll(async () => {
  watching = await startWatching({ deliver: true })
  receiver = await openReceiver((...asked) => answer(...asked))
})
afterEach(() => {
  answer = reply(200)
  return watching.setClock(0)
})
afterAll(async () => {
  await watching.close()
  await receiver[Symbol.asyncDispose]()
})

const to = (path: string, more: object) => ({ url: `${receiver.url}/${path}`, type: 'webhook', ...more })
const chat = (path: string, more: object = {}) => ({ type: 'slack', webhookUrl: `${receiver.url}/${path}`, ...more })
const diff_predicate = { type: 'any_field_changes' }
const arrived = (path: string) => receiver.requests.filter(({ path: of }) => of.endsWith(`/${path}`))
const arriving = (path: string, count = 1) =>
  eventually(
    () => arrived(path),
    (found) => found.length >= count,
  ).then((found) => String(found[count - 1]?.body))

/** Lets a monitor with these keys fire; answers it. */
async function fire(more: object) {
  const page = await watching.watch({ value: 1 }, { diff_predicate, ...more })
  page.set({ value: 2 })
  await page.run()
  return page
}

describe('A message', () => {
  test('of a monitor is that of each destination that people read, and one of its own wins', async () => {
    await fire({
      name: 'Kettle',
      labels: { env: 'prod' },
      message: { title: '{{monitor.name}}: {{fields.value.after}}', text: 'in {{monitor.labels.env}}' },
      deliveries: [
        chat('slack'),
        chat('own', { message: { text: 'own {{fields.value.before}}' } }),
        to('gotify', { service: 'gotify', options: { token: 'A0' } }),
        to('plain', {}),
        to('events', { service: 'cloudevents' }),
      ],
    })
    expect(JSON.parse(await arriving('slack'))).toMatchObject({
      text: 'Kettle: 2',
      blocks: [{ text: { text: 'Kettle: 2' } }, { text: { text: 'in prod' } }, {}],
    })
    const own = await arriving('own')
    expect(own).toContain('own 1')
    expect(own).not.toContain('in prod')
    expect(JSON.parse(await arriving('gotify/message'))).toMatchObject({ title: 'Kettle: 2', message: 'in prod' })
    for (const path of ['plain', 'events']) expect(await arriving(path)).not.toContain('in prod')
  })

  test('has the values of fields that did not change too', async () => {
    const extract_config = { method: 'json_path', fields: { price: '$.price', title: '$.title' } }
    const message = { text: '{{fields.title.after}}: {{fields.price.before}} to {{fields.price.after}}' }
    const deliveries = [chat('both')]
    const page = await watching.watch(
      { price: 1, title: 'Kettle' },
      { diff_predicate, extract_config, message, deliveries },
    )
    page.set({ price: 2, title: 'Kettle' })
    await page.run()
    expect(await arriving('both')).toContain('Kettle: 1 to 2')
  })

  test('is the same on each attempt, also when the monitor was edited since', async () => {
    answer = reply(500)
    const message = { text: 'before the edit, {{monitor.labels.env}}' }
    const page = await fire({ message, labels: { env: 'old' }, deliveries: [chat('again')] })
    const first = await arriving('again')
    const { me } = watching.served
    await eventually(
      () => me.get(`/v1/deliveries?monitor_id=${page.id}`),
      ({ body: { data } }) => Number(data[0]?.['attempts']) === 1,
    )
    const edit = { message: { text: 'after it' }, labels: { env: 'new' }, deliveries: [] }
    expect((await me.patch(`/v1/monitors/${page.id}`, edit)).status).toBe(200)
    answer = reply(200)
    await watching.setClock(3600)
    expect(await arriving('again', 2)).toBe(first)
    expect(first).toContain('before the edit, old')
  })

  test('of the service custom has the body and the method that the user gave', async () => {
    const body = '{"now": "{{fields.value.after}}", "of": "{{monitor.name}}", "key": "a-key-of-the-user-0123"}'
    answer = reply(200, 'taken with a-key-of-the-user-0123')
    const page = await fire({
      name: 'Kettle',
      deliveries: [to('custom', { service: 'custom', body, method: 'PUT' }), to('text', { service: 'custom' })],
    })
    expect(JSON.parse(await arriving('custom'))).toEqual({ now: 2, of: 'Kettle', key: 'a-key-of-the-user-0123' })
    const [request] = arrived('custom')
    expect(request?.method).toBe('PUT')
    expect(request?.headers.get('service-signature')).toMatch(/^t=\d+,v1=/)
    expect(await arriving('text')).toMatch(/^Kettle\nvalue: 1 → 2/)

    const { me } = watching.served
    const { data } = (await me.get(`/v1/deliveries?monitor_id=${page.id}`)).body
    const delivery = data.find(({ destination }) => String(destination).endsWith('/custom'))
    const sent = await eventually(
      () => me.get(`/v1/deliveries/${String(delivery?.id)}`),
      ({ body: { status } }) => status === 'success',
    )
    expect(sent.body['response_body']).toBe('taken with [hidden]')
    const { as, api, owner } = watching.served
    const reader = as(await api.key(owner, 'read'))
    const shown = (await reader.get(`/v1/deliveries/${String(delivery?.id)}/request`)).body
    expect(shown).toMatchObject({ body: '********', method: 'PUT' })
    expect((await me.get(`/v1/deliveries/${String(delivery?.id)}/request`)).body['body']).toContain('a-key-of-the-user')
    const { body: read } = await reader.get(`/v1/monitors/${page.id}`)
    expect(read['deliveries']).toMatchObject([{ body: '********', method: 'PUT' }, {}])
  })

  test('is sent by a test of a stored destination', async () => {
    const message = { text: 'tried in {{monitor.labels.env}}: {{fields.value.after}}' }
    const page = await watching.watch(
      { value: 1 },
      { diff_predicate, message, labels: { env: 'x' }, deliveries: [chat('tried')] },
    )
    const tested = await watching.served.me.post('/v1/deliveries/test', { monitor_id: page.id, index: 0 })
    expect(tested.status).toBe(200)
    expect(await arriving('tried')).toContain('tried in x: ')
  })
})

describe('A message is refused', () => {
  const refused = async (more: object, path = '/v1/monitors') => {
    const spec = {
      name: 'Kettle',
      url: 'https://example.com/',
      schedule_interval_seconds: 600,
      extract_config: { method: 'css', fields: { price: '.price' } },
      diff_predicate,
      ...more,
    }
    const { status, body } = await watching.served.me.post(path, spec)
    expect(status).toBe(422)
    return (body['error'] as unknown as { details: readonly { path: string; message: string }[] }).details
  }

  test('with a name that cannot exist, with its column', async () => {
    expect(await refused({ message: { title: 'a {{monitor.nam}}', text: '{{fields.prise.after}}' } })).toEqual([
      { path: 'message.title', message: 'column 5: monitor.nam is no name that a message has' },
    ])
    expect(await refused({ message: { text: '{{fields.prise.after}} {{serp.rank}}' } })).toEqual([
      { path: 'message.text', message: 'column 10: extract_config has no field "prise"' },
    ])
    const deliveries = [to('a', { service: 'custom', body: '{"a": "{{fields.prise.after}}"}' })]
    expect(await refused({ deliveries })).toEqual([
      { path: 'deliveries[0].body', message: 'column 17: extract_config has no field "prise"' },
    ])
  })

  test('on a plain webhook and on cloudevents, and a body without custom', async () => {
    const message = { text: 'a' }
    const deliveries = [
      to('a', { message }),
      to('b', { service: 'cloudevents', message }),
      to('c', { service: 'teams', body: 'a' }),
    ]
    expect((await refused({ deliveries })).map(({ path }) => path)).toEqual([
      'deliveries[0].message',
      'deliveries[1].message',
      'deliveries[2].body',
    ])
  })

  test('by an edit that takes a field away which it names', async () => {
    const page = await watching.watch({ value: 1 }, { diff_predicate, message: { text: '{{fields.value.after}}' } })
    const extract_config = { method: 'json_path', fields: { other: '$.value' } }
    const { status, body } = await watching.served.me.patch(`/v1/monitors/${page.id}`, { extract_config })
    expect(status).toBe(422)
    expect(JSON.stringify(body)).toContain('extract_config has no field \\"value\\"')
  })

  test('of a search that names a field', async () => {
    const search = { name: 'a', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
    const taken = { ...search, message: { text: '{{serp.rank}} {{serp.engine}}' } }
    expect((await watching.served.me.post('/v1/serp-monitors', taken)).status).toBe(201)
    const answer = await watching.served.me.post('/v1/serp-monitors', {
      ...search,
      message: { text: '{{fields.a.after}}' },
    })
    expect(answer.status).toBe(422)
  })
})
