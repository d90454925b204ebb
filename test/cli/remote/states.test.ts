import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { forgetFired } from '../../support/database/change-runs.ts'
import { html, status } from '../../support/network/site.ts'
import { givenUp, type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: RemoteServer
beforeAll(async () => {
  remote = await startRemoteServer()
  const [taken, refused] = [remote.site.page('/taken', 'ok'), remote.site.page('/refused', status(400))]
  const to = (...urls: string[]) => ({ deliveries: urls.map((url) => ({ type: 'webhook', url })) })
  await remote.watch('arrived', to(taken))
  await remote.watch('half', to(taken, refused))
  await remote.watch('refused', to(refused))
  // There is no mail server.
  await remote.watch('mailed', { deliveries: [{ type: 'email', to: 'ada@example.com' }] })
  await remote.watch('silent')
  await remote.watch('unchanged', { ...to(taken), url: remote.site.page('/same', '<b class="price">$1</b>') })
  let isGone = false
  const url = remote.site.page('/gone', (answer, request, nth) =>
    (isGone ? status(404) : html('<b class="price">$1</b>'))(answer, request, nth),
  )
  await remote.watch('broken', { ...to(taken), url })
  const fields = { price: '.price', stock: '.stock' }
  await remote.watch('partly', { extract_config: { method: 'css', fields } })
  isGone = true
  remote.site.price('$2')
  await remote.sh('./tidemark run arrived half refused mailed silent unchanged --wait')
  await remote.sh('./tidemark run broken --wait; ./tidemark run broken --wait')
  await givenUp(remote, 3)
}, 120_000)
afterAll(() => remote[Symbol.asyncDispose]())

const GONE = 'answered with status 404. The page is gone; check the URL.'

describe('get', () => {
  const rows = async (words: string) => {
    const { code, stdout, stderr } = await remote.sh(`./tidemark get ${words}`)
    expect([code, stderr]).toEqual([0, ''])
    return stdout.split('\n')
  }

  test('shows how often the checks of a monitor have failed, and whether its last message arrived', async () => {
    const [head = '', ...lines] = await rows('')
    expect(head).toMatch(/^NAME +STATUS +LAST RUN +FAILURES +DELIVERED +WATCHES$/)
    const from = [head.indexOf('FAILURES'), head.indexOf('WATCHES')] as const
    const shown = Object.fromEntries(
      lines.slice(0, lines.indexOf('')).map((line) => [line.split(' ')[0], line.slice(...from).trim()]),
    )
    expect(shown).toEqual({
      arrived: '0         yes',
      half: '0         1 of 2',
      refused: '0         no',
      mailed: '0         no',
      silent: '0         no destination',
      unchanged: '0         -',
      broken: '2         -',
      partly: '0         no destination',
    })
  })

  test('says in words why the last check failed, and which message did not arrive', async () => {
    const lines = await rows('')
    const said = lines.slice(lines.indexOf('') + 1)
    expect(said).toHaveLength(5)
    expect(said).toContainEqual(expect.stringMatching(new RegExp(`^broken has failed 2 times in a row: .*${GONE}$`)))
    const message = 'the last message did not arrive: webhook http:\\S+/\\*{8} answered 400'
    for (const name of ['half', 'refused'])
      expect(said).toContainEqual(
        expect.stringMatching(new RegExp(`^${name}: ${message}; "\\./tidemark delivery [-0-9a-f]{36}" shows more$`)),
      )
  })

  test('says why a message was given up that no destination answered', async () => {
    const { stdout } = await remote.sh('./tidemark get mailed')
    expect(stdout).toMatch(
      /^mailed: the last message did not arrive: email ada@example.com: This installation has no mail server: .*more$/m,
    )
    const shown = await remote.sh('./tidemark deliveries mailed -o name | xargs ./tidemark delivery')
    expect(shown.stdout).toMatch(/^Status: +failed: given up, because another attempt would fail too$/m)
  })

  test('a monitor without trouble has no words below it', async () => {
    expect(await rows('arrived silent unchanged')).toHaveLength(5)
  })

  test('breaks these words where a terminal ends', async () => {
    const { stdout } = await remote.sh(`script -qec 'stty cols 80; NO_COLOR=1 ./tidemark get' /dev/null`)
    const lines = stdout.replaceAll('\r', '').split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines[0]).toMatch(/^NAME +STATUS/)
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain(GONE)
  })

  test('programs get the records of the API', async () => {
    const { stdout } = await remote.sh('./tidemark get broken --json')
    expect(JSON.parse(stdout)).toMatchObject({ name: 'broken', consecutive_failures: 2 })
  })
})

describe('runs', () => {
  const newest = async (name: string) =>
    (await remote.sh(`./tidemark runs ${name}`)).stdout
      .split('\n')
      .slice(0, 2)
      .map((line) => line.split(/ {2,}/))

  test.each([
    ['arrived', 'yes', 'yes'],
    ['half', 'yes', '1 of 2'],
    ['refused', 'yes', 'no'],
    ['unchanged', 'no', '-'],
    ['silent', 'yes', 'no destination'],
    ['partly', 'no', 'no destination'],
  ])('shows whether a run of %s fired, and whether its messages arrived', async (name, fired, delivered) => {
    const [head = [], row = []] = await newest(name)
    const [at, then] = [head.indexOf('FIRED'), head.indexOf('DELIVERED')]
    expect([row[at], row[then]]).toEqual([fired, delivered])
  })

  test.each([
    ['run silent --wait', / \d+s +success +\d+ +yes +no destination +price: \$2 → \$3 /],
    ['tail silent --count 1 --limit 1', / silent success fired, no destination price: \$2 → \$3 /],
    ['changes silent --limit 1', /^silent +\S+ \(.* ago\) fired, no destination\n/],
  ])('of a monitor without a destination say so in %s too', async (words, line) => {
    if (words.startsWith('run')) remote.site.price('$3')
    expect((await remote.sh(`./tidemark ${words}`)).stdout).toMatch(line)
  })

  test('that an earlier version recorded say only what is known of them', async () => {
    for (const name of ['arrived', 'silent', 'unchanged']) await forgetFired(remote, { name })
    expect((await newest('arrived'))[1]).toContain('yes')
    for (const name of ['silent', 'unchanged']) expect((await newest(name))[1]).toContain('-')
    const { stdout } = await remote.sh('./tidemark changes silent --limit 1')
    expect(stdout).toMatch(/^silent +\S+ \(.* ago\) no destination\n/)
    const predicate = '{"type": "any_field_changes"}'
    const tried = await remote.sh(`./tidemark backtest silent --predicate '${predicate}'`)
    expect(tried.stdout).toMatch(/^\S+ +yes +- +price +/m)
    const known = await remote.sh(`./tidemark backtest half --predicate '${predicate}'`)
    expect(known.stdout).toMatch(/^\S+ +yes +yes +price +/m)
  })

  test('shows the warnings of a run', async () => {
    const { stdout } = await remote.sh('./tidemark runs partly --limit 1')
    expect(stdout).toMatch(/ price: \$1, stock: nothing; warning: .*stock/)
  })
})

test('describe shows the last error, and what became of the last messages', async () => {
  const head = async (name: string) => (await remote.sh(`./tidemark describe ${name}`)).stdout
  expect(await head('broken')).toMatch(new RegExp(`^Last error: +.*${GONE}$`, 'm'))
  expect(await head('silent')).toMatch(/^Last message: +no destination$/m)
  expect(await head('unchanged')).toMatch(/^Last message: +none$/m)
  expect(await head('half')).toMatch(/^Last message: +1 of 2 arrived \(\d+[sm] ago\)$/m)
  expect(await head('arrived')).toMatch(/^Last message: +arrived \(\d+[sm] ago\)$/m)
  expect(await head('refused')).toMatch(/^Last message: +did not arrive \(\d+[sm] ago\)$/m)
})
