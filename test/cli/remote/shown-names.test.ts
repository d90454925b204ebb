import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: RemoteServer
let kettle = ''
let rank = ''
beforeAll(async () => {
  remote = await startRemoteServer()
  remote.site.price('$1 for one kettle')
  kettle = await remote.watch('kettle')
  const search = { name: 'rank', keyword: 'electric kettle', schedule_interval_seconds: 86_400 }
  rank = (await remote.ask<{ id: string }>('POST', '/v1/serp-monitors', { ...search, target_domain: 'example.com' })).id
}, 60_000)
afterAll(() => remote[Symbol.asyncDispose]())

const missing = 'tidemark: there is no monitor "nothing"; "./tidemark get" shows all\n'

test('of several names those that exist are shown, with a line for each other one, and the exit code 1', async () => {
  const listed = await remote.sh('./tidemark get kettle nothing serpmonitor/rank')
  expect([listed.code, listed.stderr]).toEqual([1, missing])
  expect(listed.stdout).toMatch(/^NAME .*\nkettle .*\nrank .*\n$/)
  const names = await remote.sh('./tidemark get kettle nothing rank -o name')
  expect([names.code, names.stdout]).toEqual([1, `monitor/${kettle}\nserpmonitor/${rank}\n`])
})

test.each([
  ['nothing kettle', 1],
  ['nothing nothing', 0],
])('as JSON, %s gives a list of %i', async (words, count) => {
  const { code, stdout } = await remote.sh(`./tidemark get ${words} --json`)
  expect([code, (JSON.parse(stdout) as object[]).length]).toEqual([1, count])
})

test.each(['get nothing --json', 'get nothing -o name', 'describe nothing -o yaml', 'export nothing --json'])(
  '%s prints why, and nothing on standard output',
  async (line) => expect(await remote.sh(`./tidemark ${line}`)).toEqual({ code: 1, stdout: '', stderr: missing }),
)

test.each([
  ['describe nothing kettle', /^Name: +kettle$/m],
  ['export nothing kettle', /^ {2}name: kettle$/m],
  ['tail nothing kettle --limit 1 --count 1 -o name', /^run\/\S+\n$/],
])('%s does it for what exists', async (line, pattern) => {
  const { code, stdout, stderr } = await remote.sh(`./tidemark ${line}`)
  expect([code, stdout, stderr]).toEqual([1, expect.stringMatching(pattern), missing])
})

test('on a terminal of 40 columns no line is longer, and every value is there', async () => {
  const id = await remote.watch('A kettle with a name that is long enough for two lines of a terminal')
  const narrow = async (line: string) => {
    const { stdout } = await remote.sh(`script -qec 'stty cols 40; NO_COLOR=1 ./tidemark ${line}' /dev/null`)
    return stdout.replaceAll('\r', '').split('\n')
  }
  const shown = await narrow(`get kettle ${id}`)
  expect(shown.filter((line) => line.length > 40)).toEqual([])
  expect(shown.slice(0, 3)).toEqual([
    'NAME       kettle',
    'STATUS     active',
    expect.stringMatching(/^LAST RUN   \d+[sm]$/),
  ])
  expect(shown.join('\n')).toContain('\nNAME       A kettle with a name that is\n           long enough for two lines')
  const runs = await narrow('runs kettle --limit 1')
  expect(runs.find((line) => line.startsWith('RESULT'))).toBe('RESULT     price: $1 for one kettle')
  expect((await narrow(`describe ${id}`)).filter((line) => line.startsWith('  STATUS'))).toEqual([
    '  STATUS     success',
  ])
  await remote.ask('DELETE', `/v1/monitors/${id}`)
})
