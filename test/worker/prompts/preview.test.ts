import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { promptsOf } from '../../../boot/parts/model.ts'
import { readSettings, SettingsError } from '../../../boot/settings/read-config.ts'
import { createLogger } from '../../../core/logger.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { createPreviews, type Previews } from '../../../worker/previews/previews.ts'
import type { ClosablePrompts } from '../../../worker/prompts/prompts.ts'
import { MONITOR } from '../../support/api/monitor-requests.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { unpaidWork } from '../../support/database/spend-run.ts'
import { openSite, type Site } from '../../support/network/site.ts'
import { type ModelServer, openModelServer } from './model-server.ts'

const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const PROMPT = { method: 'prompt', prompt: 'What does it cost?' }

let model: ModelServer
let site: Site
let served: ServedApi
let previews: Previews
let prompts: ClosablePrompts | null = null
beforeAll(async () => {
  model = await openModelServer()
  site = await openSite()
  previews = createPreviews({
    egress,
    prompts: {
      // The store is opened by the API that the previews are part of.
      ask: (question, signal) => (prompts ?? open()).ask(question, signal),
      hasRoom: () => true,
    },
  })
  served = await serveApi('lite', { egress, previews })
})
afterEach(() => {
  model.questions.length = 0
})
afterAll(async () => {
  await previews.close()
  await prompts?.close()
  await served.close()
  await Promise.all([site[Symbol.asyncDispose](), model[Symbol.asyncDispose]()])
})

function open(): ClosablePrompts {
  prompts = promptsOf(
    { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm', TIDEMARK_LLM_CONCURRENCY: 4, TIDEMARK_LLM_TIMEOUT_SECONDS: 5 },
    { store: served.api.services.store, log: createLogger('silent'), isWaitedFor: true },
  )
  if (!prompts) throw new Error('no model')
  return prompts
}

const show = () =>
  served.me.post('/v1/monitors/preview', {
    ...MONITOR,
    url: site.url,
    extract_config: PROMPT,
    diff_predicate: { type: 'any_field_changes' },
  })
const used = async () => (await served.me.get('/v1/usage')).body['llmCallsThisMonth']

test('a preview asks the model as a run does, through the same cache and quota', async () => {
  model.says('$1')
  expect((await show()).body).toMatchObject({ status: 'success', fields: { result: '$1' }, fetch_method: 'static' })
  expect((await show()).body).toMatchObject({ status: 'success', fields: { result: '$1' } })
  expect(model.questions).toHaveLength(1)
  expect(await used()).toBe(1)
})

test('a preview tells what a run would fail with', async () => {
  site.price('$2')
  await served.api.sql(`update team_usage set llm_calls_used = 250 where team_id = '${served.owner.team_id}'`)
  expect((await show()).body).toMatchObject({ status: 'error', error_code: 'llm_quota', fields: {} })
  expect(model.questions).toHaveLength(0)
})

test('a preview without a model names the setting that is missing, and fetches nothing', async () => {
  const plain = createPreviews({ egress })
  const slot = plain.enter('team')
  if (slot.kind !== 'place') throw new Error('no slot')
  const before = site.requests.length
  const shown = await slot.run(unpaidWork('team'), {
    url: site.url,
    extract_config: { method: 'prompt', prompt: PROMPT.prompt },
    fetch_mode: 'auto',
    request_config: null,
    request_headers: null,
    visual_config: null,
  })
  const fault = { status: 'error', error_code: 'not_available', error_message: expect.stringContaining('LLM_BASE_URL') }
  expect(shown).toMatchObject({ kind: 'done', preview: fault })
  expect(site.requests).toHaveLength(before)
  slot.leave()
  await plain.close()
})

/** `tidemark check` on standard input, with a monitor that asks. */
function checkCommand(env: Record<string, string>): Promise<{ code: number | null; out: string; err: string }> {
  const monitor = JSON.stringify({
    ...MONITOR,
    extract_config: PROMPT,
    diff_predicate: { type: 'any_field_changes' },
    url: site.url,
  })
  const command = join(import.meta.dirname, '../../../cli/tidemark.ts')
  const child = spawn(process.execPath, [command, 'check', '--monitor', '-', '--json'], {
    env: { PATH: process.env['PATH'], TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8', ...env },
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdin.end(monitor)
  return new Promise((resolve) => void child.on('close', (code) => resolve({ code, out, err })))
}

test('`tidemark check` asks the model of the settings each time, or says which setting is missing', async () => {
  site.price('$3')
  model.says('$3')
  const asked = await checkCommand({ LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'sk-of-a-test', LLM_MODEL: 'another' })
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining('"result":"$3"') as string })
  expect(model.questions[0]).toMatchObject({
    headers: { authorization: 'Bearer sk-of-a-test' },
    body: { model: 'another' },
  })
  const unset = await checkCommand({})
  expect(unset.code).toBe(1)
  expect(unset.out).toContain('LLM_BASE_URL')
}, 120_000)

test.each([
  ['ftp://models.example.com/v1', 'LLM_BASE_URL'],
  ['http://me:secret@models.example.com/v1', 'LLM_BASE_URL'],
  ['https://models.example.com/v1?key=1', 'LLM_BASE_URL'],
  ['', 'LLM_BASE_URL'],
])('the settings refuse the address %j with a key', (LLM_BASE_URL, path) => {
  let faults: readonly string[] = []
  try {
    readSettings({ LLM_BASE_URL, LLM_API_KEY: 'sk-1' })
  } catch (error) {
    if (error instanceof SettingsError) faults = error.issues.map((issue) => issue.path)
  }
  expect(faults).toEqual([path])
})
