import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import type { HttpCheckSource } from '../../../runners/client/http-check-source.ts'
import { keptToken, startTokenRenewal } from '../../../runners/client/token-renewal.ts'
import type { ReusedRunnerToken } from '../../../store/accounts/credentials/runner-token-exchange.ts'
import { createRunnerToken } from '../../../store/accounts/credentials/runner-tokens.ts'
import { openTcpProxy } from '../../support/network/tcp-proxy.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type TrustedSide, openTrustedSide } from './trusted-side.ts'

const DAY = 86_400
let side: TrustedSide
let folder: Awaited<ReturnType<typeof temporaryFolder>>
const started: { stop(): Promise<void> }[] = []
beforeAll(async () => {
  side = await openTrustedSide()
})
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()))
  await side.database.setClock('0')
  await side.database.query('delete from notice_events')
  await folder[Symbol.asyncDispose]()
})
afterAll(() => side[Symbol.asyncDispose]())

const fileOf = (name = 'token') => join(folder.path, name)

async function renewable(job = 'kitchen'): Promise<string> {
  const { token } = await createRunnerToken(side.database.store, { job, ttlSeconds: 10 * DAY, isRenewed: true })
  return token
}

/** Asks the runner API as a program of its own. */
async function post(token: string, verb = 'exchange', body: object = {}) {
  const answer = await fetch(`${side.runnerApiUrl}/runner/${verb}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const json = (await answer.json()) as { token?: string; error?: { code: string; message: string } }
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), ...json }
}
const beat = (token: string) => post(token, 'heartbeat', { checks: [] })

/** A runner with its token in a file, and its renewal. */
async function runner(token: string, { url = side.runnerApiUrl, file = fileOf() } = {}) {
  await writeFile(file, `${token}\n`)
  const refused: number[] = []
  const source = await side.httpCheckSource({
    token,
    url,
    reread: () => keptToken(file),
    onRefused: ({ status }) => void refused.push(status),
  })
  const lines: string[] = []
  const log = logOf(lines)
  const renew = () => {
    const renewal = startTokenRenewal({ source, file, log })
    started.push(renewal)
    return renewal
  }
  await source.greet()
  return { source, refused, lines, renew, file }
}
const otherThan = (file: string, token: string) =>
  eventually(
    () => keptToken(file),
    (kept) => kept !== null && kept !== token,
  )

/** The source, with a count of the looks at its token, and the error of each exchange; null: it was made. */
function watch(source: HttpCheckSource) {
  const answers: unknown[] = []
  const watched = {
    ...source,
    looks: 0,
    answers,
    renewInMs() {
      watched.looks += 1
      return source.renewInMs()
    },
    async exchangeToken() {
      const exchanged = source.exchangeToken()
      await exchanged.then(
        () => answers.push(null),
        (error: unknown) => answers.push(error),
      )
      return exchanged
    },
  }
  return watched
}
const authorizationOf = (source: HttpCheckSource) => source.authorization().slice('Bearer '.length)

describe('the exchange', () => {
  test('gives a token with its validity, and is refused for one that is not renewed', async () => {
    const token = await renewable()
    expect(await beat(token)).toMatchObject({ status: 200, renew_ms: expect.any(Number) })
    expect(await post(token)).toMatchObject({
      ...{ status: 200, token: expect.stringMatching(/^tdr_\w{36}$/) },
      ...{ token_ms: 10 * DAY * 1000, renew_ms: 5 * DAY * 1000 },
    })
    const pod = await side.token('pod')
    expect(await beat(pod.token)).not.toHaveProperty('renew_ms')
    expect(await post(pod.token)).toMatchObject({ status: 409, error: { code: 'CONFLICT' } })
    expect((await post(token, 'exchange', { more: 1 })).status).toBe(422)
  })

  test('is made once a minute, and says when to try again', async () => {
    const token = await renewable()
    await post(token)
    expect(await post(token)).toMatchObject({ status: 429, retryAfter: '60' })
  })

  test('keeps the checks that were claimed with the token before', async () => {
    const { source } = await runner(await renewable())
    await side.database.monitors(await side.database.team(), { queue: 'browser' })
    const [task] = await source.claim(1)
    if (!task) throw new Error('nothing was claimed')
    source.useToken((await source.exchangeToken()).token)
    expect(await source.heartbeat([task])).toEqual(new Set([task.no]))
    await source.release([task], 0)
  })

  test('ends the token before, whose use revokes both; the log and a callback say whose it was', async () => {
    const reused: ReusedRunnerToken[] = []
    const { url } = await side.serve({ onReused: (one) => void reused.push(one) })
    const ask = (token: string) =>
      fetch(`${url}/runner/heartbeat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ checks: [] }),
      }).then(({ status }) => status)
    const first = await renewable('stolen from')
    const { token: second = '' } = await post(first)
    expect([await ask(first), await ask(second), await ask(first), await ask(second)]).toEqual([200, 200, 401, 200])
    await side.database.setClock('16 minutes')
    expect([await ask(first), await ask(second), await ask(first)]).toEqual([401, 401, 401])
    expect(reused).toEqual([{ id: expect.any(Number), job: 'stolen from' }])
    expect(side.log.filter((line) => line.includes('a runner token was used after another one'))).toHaveLength(1)
    expect(side.log.join('')).not.toContain(first)
  })
})

describe('a runner', () => {
  test('renews its token at half of its life, and writes it into its file, for this account alone', async () => {
    const token = await renewable()
    const { source, renew, file, lines } = await runner(token)
    renew()
    await side.database.setClock('4 days')
    await source.greet()
    expect(source.renewInMs()).toBeGreaterThan(0)
    await side.database.setClock('6 days')
    await source.greet()
    expect(source.renewInMs()).toBe(0)
    const kept = await otherThan(file, token)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await eventually(
      () => authorizationOf(source),
      (used) => used === kept,
    )
    await source.greet()
    expect(source.tokenMs()).toBeGreaterThan(9.9 * DAY * 1000)
    expect((await beat(token)).status).toBe(401)
    expect(await readdir(folder.path)).toEqual(['token'])
    expect(lines.join('')).toContain('the runner token was renewed')
    expect(lines.join('')).not.toMatch(/tdr_\w/)
  })

  test('whose answer was lost goes on with its token, and one that starts again exchanges it again', async () => {
    const token = await renewable()
    await using way = await openTcpProxy(side.runnerApiUrl)
    const first = await runner(token, { url: way.url })
    await side.database.setClock('6 days')
    await first.source.greet()
    way.swallowAnswerTo('/runner/exchange')
    const renewal = first.renew()
    await eventually(
      () => way.resets,
      (count) => count > 0,
    )
    await renewal.stop()
    await first.source.greet()
    expect([first.refused, await keptToken(first.file)]).toEqual([[], token])
    await side.database.setClock('6 days 61 seconds')
    const again = await runner(token)
    again.renew()
    const kept = await otherThan(again.file, token)
    await again.source.greet()
    expect((await beat(kept ?? '')).status).toBe(200)
    expect(await side.database.query('select from notice_events')).toEqual([])
  })

  test('that was killed between the file and the first use goes on with what the file has', async () => {
    const token = await renewable()
    const { token: next = '' } = await post(token)
    const { source, refused } = await runner(next)
    await side.database.setClock('16 minutes')
    await source.greet()
    expect(refused).toEqual([])
  })

  test('that cannot write its file goes on with its token, and says so', async () => {
    const token = await renewable()
    const { source, refused, lines } = await runner(token)
    started.push(startTokenRenewal({ source, file: fileOf('none/token'), log: logOf(lines) }))
    await side.database.setClock('6 days')
    await source.greet()
    await eventually(
      () => lines.join(''),
      (text) => text.includes('could not be renewed'),
    )
    await source.greet()
    expect([refused, authorizationOf(source)]).toEqual([[], token])
  })

  test('that cannot write its file tries again an hour later, not each minute', async () => {
    const token = await renewable()
    const { source, lines } = await runner(token)
    await side.database.setClock('6 days')
    await source.greet()
    const watched = watch(source)
    const now = performance.now.bind(performance)
    let ahead = 0
    using _ = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)
    started.push(startTokenRenewal({ source: watched, file: fileOf('none/token'), log: logOf(lines) }))
    await eventually(
      () => lines.join(''),
      (text) => text.includes('could not be renewed'),
    )
    ahead = 300_000
    await side.database.setClock('6 days 5 minutes')
    const { looks } = watched
    await eventually(
      () => watched.looks,
      (count) => count > looks + 1,
    )
    expect(watched.answers).toEqual([null])
    ahead = 3_700_000
    await side.database.setClock('6 days 62 minutes')
    await eventually(
      () => watched.answers,
      (answers) => answers.length > 1,
    )
    expect(watched.answers).toEqual([null, null])
  })

  test('whose token was just exchanged tries later, which is no outage', async () => {
    const token = await renewable()
    const { source, lines, file } = await runner(token)
    await side.database.setClock('6 days')
    await source.greet()
    await post(token)
    const watched = watch(source)
    const renewal = startTokenRenewal({ source: watched, file, log: logOf(lines) })
    await eventually(
      () => watched.answers,
      (answers) => answers.length > 0,
    )
    await renewal.stop()
    expect(watched.answers).toMatchObject([{ status: 429 }])
    expect([lines, source.outage.failures, await keptToken(file)]).toEqual([[], 0, token])
  })

  test('takes up what another process wrote into the file: a refusal is not the end', async () => {
    const token = await renewable()
    const [one, other] = [await runner(token), await runner(token)]
    await side.database.setClock('6 days')
    const { token: next } = await one.source.exchangeToken()
    await writeFile(one.file, `${next}\n`)
    one.source.useToken(next)
    await one.source.greet()
    await other.source.greet()
    expect(authorizationOf(other.source)).toBe(next)
    expect([one.refused, other.refused]).toEqual([[], []])
  })

  test('with a copy of a renewed token is refused, and the next use revokes that of the other one', async () => {
    const token = await renewable()
    const [one, thief] = [await runner(token), await runner(token, { file: fileOf('copy') })]
    one.source.useToken((await one.source.exchangeToken()).token)
    await writeFile(one.file, authorizationOf(one.source))
    await one.source.greet()
    await side.database.setClock('16 minutes')
    await expect(thief.source.greet()).rejects.toMatchObject({ status: 401 })
    await expect(one.source.greet()).rejects.toMatchObject({ status: 401 })
    expect([one.refused, thief.refused]).toEqual([[401], [401]])
  })

  test('takes nothing from a file that holds no token, or is none', async () => {
    await writeFile(fileOf(), 'two\nlines\n')
    expect(await keptToken(fileOf())).toBeNull()
    expect(await keptToken(folder.path)).toBeNull()
    expect(await keptToken('/dev/zero')).toBeNull()
    expect((await readFile(fileOf(), 'utf8')).length).toBeGreaterThan(0)
  })
})

const logOf = (lines: string[]) => createLogger('info', { write: (line) => void lines.push(line) })
