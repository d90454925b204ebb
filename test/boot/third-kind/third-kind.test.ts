import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KINDS } from '../../../boot/kinds.ts'
import { egressPolicy } from '../../../boot/parts/egress.ts'
import { createStack } from '../../../boot/process/stack.ts'
import { startApi } from '../../../boot/roles/start-api.ts'
import { startWorker } from '../../../boot/roles/start-worker.ts'
import { readSettings } from '../../../boot/settings/read-config.ts'
import { createLogger } from '../../../core/logger.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { createTestOwner } from '../../support/database/test-owner.ts'
import { runOn } from '../../support/database/test-template.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver, type Receiver } from '../../support/worker/receiver.ts'
import { verifier } from '../../support/worker/signature-verifier.ts'
import { CONSTANT, CONSTANT_MIGRATION } from './constant-kind.ts'

const ENCRYPTION_KEY = 'a key of thirty-two characters!!'
const log = createLogger('silent')
const stack = createStack(log)
let database: TestDatabase
let receiver: Receiver
let address: string
let key: string

beforeAll(async () => {
  database = await createTestDatabase()
  await runOn(database.url, CONSTANT_MIGRATION)
  receiver = await openReceiver()
  const folder = await temporaryFolder()
  stack.defer('its folder', async () => folder[Symbol.asyncDispose]())
  const settings = readSettings({
    DATABASE_URL: database.url,
    TIDEMARK_ENCRYPTION_KEY: ENCRYPTION_KEY,
    TIDEMARK_DATA_DIR: folder.path,
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    TIDEMARK_BROWSER_PAGES: '0',
    PORT: '0',
  })
  const context = {
    kinds: [...KINDS, CONSTANT],
    settings,
    databaseUrl: database.url,
    databaseFolder: null,
    encryptionKey: ENCRYPTION_KEY,
    secrets: createSecretBox(ENCRYPTION_KEY),
    egress: egressPolicy(settings),
    browsers: null,
    dashboardUrl: null,
    registry: new Registry(),
    log,
    tracer: undefined,
    stack,
  }
  const worker = await startWorker(context)
  const { stopping, wake, sinceProgress } = { stopping: new AbortController().signal, ...worker }
  const api = await startApi({ ...context, stopping, wake, sinceProgress })
  address = api.address
  const { sessionKey } = api.services
  const owner = await createTestOwner(worker.store, {
    email: 'owner@example.com',
    plan: 'scale',
    serp: true,
    sessionKey,
  })
  key = owner.api_key
})
afterAll(async () => {
  await stack.unwind(10_000)
  await receiver[Symbol.asyncDispose]()
  await database.drop()
})

async function call(method: string, path: string, body?: object) {
  const answer = await fetch(address + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, never> & { readonly data: unknown[] } }
}

/** Its runs, newest first, once there are so many and none of them is under way. */
const runsOf = (id: string, count: number) =>
  eventually(
    async () => (await call('GET', `/v1/constants/${id}/runs`)).body.data as { readonly status: string }[],
    (runs) => runs.length >= count && runs.every(({ status }) => status !== 'running'),
  )

test('a further kind of monitor needs one line of the table, from the request to the webhook', async () => {
  const wanted = { name: 'Answer', schedule_interval_seconds: 3_600, constant: '42' }
  const refused = await call('POST', '/v1/constants', { ...wanted, url: 'https://example.com/' })
  expect(refused.status).toBe(422)

  const deliveries = [{ type: 'webhook', url: receiver.url }]
  const { status, body: made } = await call('POST', '/v1/constants', { ...wanted, deliveries })
  expect([status, made]).toMatchObject([201, { ...wanted, status: 'active' }])
  const [first] = await runsOf(made['id'] ?? '', 1)
  expect(first).toMatchObject({ status: 'success', extracted: { constant: '42' }, diff: {}, fired: false })
  expect(await call('GET', '/v1/monitors')).toMatchObject({ body: { data: [] } })

  const path = `/v1/constants/${String(made['id'])}`
  const rotated = await call('POST', `${path}/signing-secret/rotate`)
  expect(await call('PATCH', path, { constant: '43' })).toMatchObject({ status: 200, body: { constant: '43' } })
  expect(await call('POST', `${path}/run`)).toMatchObject({ status: 200 })
  const diff = { fields_changed: ['constant'], before: { constant: '42' }, after: { constant: '43' } }
  const [second] = await runsOf(made['id'] ?? '', 2)
  expect(second).toMatchObject({ status: 'success', diff, fired: true, delivery_triggered: true })

  const [sent] = await eventually(
    async () => receiver.requests,
    (requests) => requests.length > 0,
  )
  expect(JSON.parse(String(sent?.body))).toMatchObject({ monitor_id: made['id'], diff, monitor: { name: 'Answer' } })
  const signature = sent?.headers.get('service-signature') ?? ''
  expect(verifier?.verifyHeader(sent?.body ?? '', signature, rotated.body['secret'] ?? '', 300)).toBe(true)
})
