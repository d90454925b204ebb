import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ServedApi, serveApi } from '../../test/support/api/served-api.ts'
import type { MonitorArgs } from '../src/rest.ts'
import { type DynamicProvider, startDynamicProvider } from './dynamic-provider.ts'
import { rest, runProgram } from './program.ts'

const SPEC: MonitorArgs = {
  name: 'Price of the kettle',
  url: 'https://shop.example/kettle',
  scheduleIntervalSeconds: 900,
  extractConfig: {
    method: 'css',
    fields: { price: '.price', old_price: '.old' },
    ignore: { selectors: ['.ad'] },
    clean: { old_price: [{ do: 'replace', pattern: '^was ', text: '' }, { do: 'unique' }] },
  },
  diffPredicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
  requestHeaders: { 'X-Token': 'a secret' },
  deliveries: [{ type: 'webhook', url: 'https://hooks.example/1', headers: { a_b: 'c' } }],
  visualConfig: { enabled: false, thresholdPct: 2 },
}

/** Returns what the engine gets of a program's monitor. */
async function declared(args: object = {}, name = 'kettle') {
  const { one } = await runProgram(() => new rest.Monitor(name, { ...SPEC, ...args }))
  const { __provider: text, ...inputs } = one('pulumi-nodejs:dynamic/tidemark:Monitor').inputs
  return { text: text as string, inputs: inputs as Record<string, unknown> }
}

test('A program registers no more of the methods than calls into the package', async () => {
  const { text } = await declared()
  expect(text.length).toBeLessThan(5_000)
  expect(text).toContain('@tidemark/pulumi/provider')
  expect(text).not.toMatch(/fetch\(|apiKey/)
})

test('Destinations and headers are secrets, in what a preview prints and in the state', async () => {
  const { one } = await runProgram(() => new rest.Monitor('kettle', SPEC))
  const found = one('pulumi-nodejs:dynamic/tidemark:Monitor')
  expect(found.secretOutputs).toEqual(['deliveries', 'requestHeaders'])
  expect(found.secrets.toSorted()).toEqual(['deliveries', 'requestHeaders'])
  const { deliveries: _, requestHeaders: __, ...bare } = SPEC
  const without = await runProgram(() => new rest.Monitor('kettle', bare))
  expect(without.one('pulumi-nodejs:dynamic/tidemark:Monitor').secrets).toEqual([])
})

test('Project, stack and name are the external key, unless the program names one', async () => {
  const unnamed = await declared()
  expect(unnamed.inputs['externalKey']).toBe('pulumi/shop/test/kettle')
  expect((await declared({ externalKey: undefined })).inputs).toEqual(unnamed.inputs)
  const own = await runProgram(() => new rest.Monitor('kettle', { ...SPEC, externalKey: 'mine' }))
  expect(own.one('pulumi-nodejs:dynamic/tidemark:Monitor').inputs.externalKey).toBe('mine')
})

test('What is imported has the external key that it has, and is no import of the engine', async () => {
  const { one } = await runProgram(() => new rest.Monitor('kettle', SPEC, { import: 'an-id' }))
  const found = one('pulumi-nodejs:dynamic/tidemark:Monitor')
  expect(found.inputs).not.toHaveProperty('externalKey')
  expect([found.inputs.importedId, found.importId]).toEqual(['an-id', ''])
})

describe('A monitor over the REST API', () => {
  let served: ServedApi
  let started: Awaited<ReturnType<typeof startDynamicProvider>>
  let provider: DynamicProvider
  let inputs: Record<string, unknown>
  let count = 0

  beforeAll(async () => {
    served = await serveApi()
    started = await startDynamicProvider({
      'tidemark:baseUrl': served.baseUrl,
      'tidemark:apiKey': served.owner.api_key,
      'wrong:baseUrl': served.baseUrl,
      'wrong:apiKey': 'svc_wrong',
      'closed:baseUrl': 'http://127.0.0.1:1/',
      'closed:apiKey': 'svc_any',
      'keyless:baseUrl': served.baseUrl,
      'renamed:baseUrl': `${served.baseUrl}/`,
      'renamed:apiKey': served.owner.api_key,
    })
  })
  afterAll(async () => {
    await started.stop()
    await served.close()
  })
  beforeEach(async () => {
    const registered = await declared({}, `kettle-${(count += 1)}`)
    inputs = registered.inputs
    provider = started.of(registered.text)
  })

  const stored = async (id: string) => (await served.me.get(`/v1/monitors/${id}`)).body

  test('is created as the program declares it', async () => {
    const checked = await provider.check({}, inputs)
    expect(checked).toEqual({ inputs, failures: [] })
    const { id, outs } = await provider.create(checked.inputs)
    expect(outs).toEqual(inputs)
    expect(await stored(id)).toMatchObject({
      name: SPEC.name,
      schedule_interval_seconds: 900,
      extract_config: SPEC.extractConfig,
      diff_predicate: SPEC.diffPredicate,
      request_headers: SPEC.requestHeaders,
      deliveries: SPEC.deliveries,
      visual_config: { enabled: false, thresholdPct: 2 },
      external_key: inputs['externalKey'],
      fetch_mode: 'auto',
      status: 'active',
    })
  })

  test('differs where the program differs, not where it writes a default', async () => {
    const { id, outs } = await provider.create(inputs)
    const differs = async (more: object) => (await provider.diff(id, outs, { ...inputs, ...more })).changes
    expect(await differs({})).toBe(false)
    expect(await differs({ fetchMode: 'auto', notifyOn: [], labels: {} })).toBe(false)
    expect(await differs({ visualConfig: { thresholdPct: 2, enabled: false, fullPage: true } })).toBe(false)
    expect(await differs({ fetchMode: 'browser' })).toBe(true)
    expect(await differs({ requestHeaders: { 'X-Token': 'another' } })).toBe(true)
    expect(await differs({ suspend: true })).toBe(true)
    // What a preview does not know yet.
    expect(await differs({ url: '04da6b54-80e4-46f7-96ec-b56ff0331ba9' })).toBe(true)
    expect(await provider.diff(id, outs, { ...inputs, connection: 'other' })).toEqual({
      changes: true,
      replaces: ['connection'],
      deleteBeforeReplace: false,
    })
  })

  test('is deleted before it is made again where another name stands for the same installation', async () => {
    const { id, outs } = await provider.create(inputs)
    const renamed = { ...inputs, connection: 'renamed' }
    const { replaces, deleteBeforeReplace } = await provider.diff(id, outs, renamed)
    expect([replaces, deleteBeforeReplace]).toEqual([['connection'], true])
    // What the engine does then. In the other order the name would be taken.
    await expect(provider.create(renamed)).rejects.toThrow(/CONFLICT/)
    await provider.delete(id, outs)
    expect((await stored((await provider.create(renamed)).id))['external_key']).toBe(inputs['externalKey'])
    expect((await provider.diff(id, outs, { ...inputs, connection: 'closed' })).deleteBeforeReplace).toBe(false)
  })

  test('is updated without a new id, and what the program leaves out has its default again', async () => {
    const { id, outs } = await provider.create(inputs)
    const { requestHeaders: _, ...rest } = inputs
    const news = { ...rest, name: 'Kettle', labels: { shop: 'a' } }
    expect(await provider.update(id, outs, news)).toEqual(news)
    expect(await stored(id)).toMatchObject({ id, name: 'Kettle', request_headers: null, labels: { shop: 'a' } })
    expect((await provider.diff(id, news, news)).changes).toBe(false)
  })

  test('is read as it was declared, and as it is after others have changed it', async () => {
    const { id, outs } = await provider.create(inputs)
    expect(await provider.read(id, outs)).toEqual({ id, props: outs, inputs: outs })
    await served.me.patch(`/v1/monitors/${id}`, { name: 'Changed', fetch_mode: 'browser' })
    const found = await provider.read(id, outs)
    expect(found.props).toEqual({ ...outs, name: 'Changed', fetchMode: 'browser' })
    expect((await provider.diff(id, found.props, inputs)).changes).toBe(true)
    await provider.update(id, found.props, inputs)
    expect(await stored(id)).toMatchObject({ name: SPEC.name, fetch_mode: 'auto' })
  })

  test('is read with its secrets where the key may only read', async () => {
    const { id, outs } = await provider.create(inputs)
    const readers = await startDynamicProvider({
      'tidemark:baseUrl': served.baseUrl,
      'tidemark:apiKey': await served.api.key(served.owner, 'read'),
    })
    const { text } = await declared()
    expect((await readers.of(text).read(id, outs)).props).toEqual(outs)
    await expect(readers.of(text).update(id, outs, { ...inputs, name: 'Kettle' })).rejects.toThrow(/tidemark:apiKey/)
    await readers.stop()
  })

  test('is imported unchanged where the program says what it has', async () => {
    const { id } = await provider.create({ ...inputs, suspend: true })
    const before = await stored(id)
    const news = { ...inputs, suspend: true, importedId: id }
    expect((await provider.check({}, news)).failures).toEqual([])
    const { id: imported, outs } = await provider.create(news)
    expect(imported).toBe(id)
    expect(await stored(id)).toEqual(before)
    expect((await provider.read(id, outs)).props).toEqual(outs)
    // With the option, and when it is taken out again.
    expect((await provider.diff(id, outs, news)).changes).toBe(false)
    expect((await provider.diff(id, outs, { ...inputs, suspend: true })).changes).toBe(false)
    expect(await provider.diff(id, outs, { ...news, importedId: 'another' })).toMatchObject({
      changes: true,
      replaces: ['importedId'],
    })
  })

  test('is not imported where the program says something else, and stays as it is', async () => {
    const { id } = await provider.create(inputs)
    const before = await stored(id)
    const wrong = { ...inputs, importedId: id, name: 'Kettle', externalKey: undefined, suspend: true }
    await expect(provider.create(wrong)).rejects.toThrow(
      new RegExp(`${id} differs from the program in name, externalKey, suspend:[^]*adopt`),
    )
    expect(await stored(id)).toEqual(before)
    const nobody = '00000000-0000-4000-8000-000000000000'
    await expect(provider.create({ ...inputs, importedId: nobody })).rejects.toThrow(`no Monitor with the id ${nobody}`)
  })

  test('is not imported by the engine of Pulumi, which reads it without the text of the methods', async () => {
    const { id } = await provider.create(inputs)
    await expect(started.readOfImport(id)).rejects.toThrow(/code must be a string/)
  })

  test('is gone for the engine when it is gone', async () => {
    const { id, outs } = await provider.create(inputs)
    await provider.delete(id, outs)
    expect((await served.me.get(`/v1/monitors/${id}`)).status).toBe(404)
    expect((await provider.read(id, outs)).id).toBe('')
    await provider.delete(id, outs)
  })

  test('is paused by suspend, and left to people without it', async () => {
    const { id, outs } = await provider.create({ ...inputs, suspend: true })
    expect((await stored(id)).status).toBe('paused')
    await provider.update(id, outs, { ...inputs, suspend: false })
    expect((await stored(id)).status).toBe('active')
    await provider.update(id, { ...inputs, suspend: false }, inputs)
    await served.me.post(`/v1/monitors/${id}/pause`)
    expect((await provider.read(id, inputs)).props).toEqual(inputs)
    await provider.update(id, inputs, { ...inputs, name: 'Kettle' })
    expect((await stored(id)).status).toBe('paused')
  })

  test('takes over one that is there by its id, and says how when the name is taken', async () => {
    const { id } = await provider.create(inputs)
    await expect(provider.create(inputs)).rejects.toThrow(new RegExp(`${id}[^]*adopt`))
    const adopted = await provider.create({ ...inputs, adopt: id, name: 'Kettle' })
    expect(adopted.id).toBe(id)
    expect(await stored(id)).toMatchObject({ name: 'Kettle' })
    await served.me.post(`/v1/monitors/${id}/pause`)
    await provider.create({ ...inputs, adopt: id, suspend: false })
    expect((await stored(id)).status).toBe('active')
  })

  test.each([
    ['wrong', /UNAUTHORIZED[^]*pulumi config set --secret wrong:apiKey/],
    ['closed', /127\.0\.0\.1:1\/ does not answer[^]*closed:baseUrl/],
    ['keyless', /pulumi config set --secret keyless:apiKey/],
    ['none', /pulumi config set none:baseUrl/],
  ])('says what to set for the connection %s', async (connection, words) => {
    await expect(provider.create({ ...inputs, connection })).rejects.toThrow(words)
  })

  test('is refused by the API with the path of each fault', async () => {
    const wrong = { ...inputs, diffPredicate: { type: 'field_changes', field: 'weight' } }
    expect((await provider.check({}, wrong)).failures).toEqual([])
    await expect(provider.create(wrong)).rejects.toThrow(/VALIDATION_ERROR[^]*diff_predicate/)
  })

  test('of a search is created, updated, read and deleted too', async () => {
    const spec = {
      name: 'Rank',
      keyword: 'kettle',
      scheduleIntervalSeconds: 3600,
      targetDomain: 'shop.example',
      locationCode: 'GB',
    }
    const { one } = await runProgram(() => new rest.SerpMonitor('rank', spec))
    const { __provider: text, ...first } = one('pulumi-nodejs:dynamic/tidemark:SerpMonitor').inputs
    const searches = started.of(text)
    const { id, outs } = await searches.create(first)
    expect(await searches.read(id, outs)).toEqual({ id, props: outs, inputs: outs })
    await searches.update(id, outs, { ...first, pages: 2 })
    expect((await served.me.get(`/v1/serp-monitors/${id}`)).body).toMatchObject({
      pages: 2,
      target_domain: 'shop.example',
    })
    await searches.delete(id, outs)
    expect((await searches.read(id, outs)).id).toBe('')
  })

  describe('behind a server that fails at times', () => {
    const seen: { method: string; path: string; key: string | undefined }[] = []
    let failing: (path: string, nth: number) => number | 'lost' | null = () => null
    const relay = createServer((incoming, outgoing) => {
      const { method = '', url = '', headers } = incoming
      seen.push({ method, path: url, key: headers['idempotency-key'] as string | undefined })
      const status = failing(url, seen.filter(({ path }) => path === url).length)
      if (typeof status === 'number') {
        incoming.resume()
        outgoing.writeHead(status, { 'retry-after': '0' }).end()
        return
      }
      const sent = request(`${served.baseUrl}${url}`, { method, headers }, (answer) => {
        if (status === 'lost') {
          answer.resume().on('end', () => incoming.socket.destroy())
          return
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      incoming.pipe(sent)
    })
    let behind: Awaited<ReturnType<typeof startDynamicProvider>>
    beforeAll(async () => {
      await new Promise<void>((resolve) => void relay.listen(0, '127.0.0.1', resolve))
      behind = await startDynamicProvider({
        'tidemark:baseUrl': `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
        'tidemark:apiKey': served.owner.api_key,
      })
    })
    afterAll(async () => {
      await behind.stop()
      relay.closeAllConnections()
      await new Promise((resolve) => relay.close(resolve))
    })
    beforeEach(() => void seen.splice(0))

    test('is tried again, with the same key for the same creation', async () => {
      failing = (path, nth) => (path === '/v1/monitors' && nth < 3 ? 503 : null)
      const { text } = await declared()
      const { id } = await behind.of(text).create(inputs)
      expect(id).toMatch(/^[-0-9a-f]{36}$/)
      expect(seen.map(({ path }) => path)).toEqual(['/v1/monitors', '/v1/monitors', '/v1/monitors'])
      expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
      expect(seen[0]?.key).toMatch(/^[-0-9a-f]{36}$/)
    })

    test('is created once when the answer is lost', async () => {
      failing = (path, nth) => (path === '/v1/monitors' && nth === 1 ? 'lost' : null)
      const { text } = await declared()
      const { id } = await behind.of(text).create(inputs)
      expect(seen).toHaveLength(2)
      const { body } = await served.me.get(`/v1/monitors?external_key=${String(inputs['externalKey'])}`)
      expect(body.data.map((each) => each['id'])).toEqual([id])
    })

    test('is paused from the start, so that it never runs before it is paused', async () => {
      failing = () => null
      const { text } = await declared()
      const { id } = await behind.of(text).create({ ...inputs, suspend: true })
      expect(seen.map(({ path }) => path)).toEqual(['/v1/monitors?paused=true'])
      expect((await served.me.get(`/v1/monitors/${id}/runs`)).body.data).toEqual([])
      seen.splice(0)
      await behind.of(text).update(id, { ...inputs, suspend: true }, { ...inputs, name: 'Kettle' })
      await behind.of(text).update(id, { ...inputs, name: 'Kettle' }, { ...inputs, suspend: true })
      const at = `/v1/monitors/${id}`
      expect(seen.map(({ path }) => path)).toEqual([at, `${at}/resume`, `${at}/pause`, at])
    })

    test('is known to the engine by its id when it was adopted and could not be paused', async () => {
      failing = (path) => (path.endsWith('/pause') ? 500 : null)
      const { text } = await declared()
      const { id } = await behind.of(text).create(inputs)
      const failed = await behind
        .of(text)
        .create({ ...inputs, adopt: id, suspend: true })
        .catch((error: unknown) => error)
      const details = (failed as { metadata: { get(name: string): Buffer[] } }).metadata.get('grpc-status-details-bin')
      expect(details[0]?.toString()).toContain(id)
    })
  })
})
