import type { Command } from 'commander'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { commandLine, loadCommands } from '../../cli/command-line.ts'
import { REMOTE_COMMANDS } from '../../cli/remote/remote-commands.ts'
import { PAGES } from '../support/browser/search-pages.ts'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer, kubeAssets } from '../support/kubernetes/kube-assets.ts'
import { freePort } from '../support/network/free-port.ts'
import { html } from '../support/network/site.ts'
import { startShell } from '../support/process/cli-process.ts'
import { runnerApiOf } from '../support/process/runner-installation.ts'
import { type RemoteServer, startRemoteServer } from './remote/remote-server.ts'

// Some examples are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

const ROOT = join(import.meta.dirname, '../..')

const program = commandLine(process, '')
await loadCommands(
  process,
  program,
  program.commands.map((command) => command.name()),
)

/** Returns the examples of a command, and of those below it, without what explains them. */
function examplesOf(command: Command): readonly string[] {
  return [...ownExamplesOf(command), ...command.commands.flatMap(examplesOf)]
}

function ownExamplesOf(command: Command): readonly string[] {
  let help = ''
  command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp()
  return [...help.matchAll(/^ +\$ (.*)$/gm)].map(([, line = '']) => line.replace(/ {2,}\S.*$/, ''))
}

/** The examples of these are run by tests of their own. */
const OTHERS: ReadonlySet<string> = new Set([...REMOTE_COMMANDS.map(({ name }) => name), 'import'])
const local = [
  ...ownExamplesOf(program),
  ...program.commands.filter((command) => !OTHERS.has(command.name())).flatMap(examplesOf),
]

const KEY = 'the encryption key of a test'
const NEW_KEY = 'another key of a test'
const ROTATION = 'TIDEMARK_ENCRYPTION_KEY=<new>,<old>'
const TOKEN = 'TIDEMARK_RUNNER_TOKEN=$(./tidemark admin create-runner-token --job my-runner --json | jq -r .token)'
const RUNNER = 'export TIDEMARK_RUNNER_TOKEN; TIDEMARK_RUNNER_API_URL=http://127.0.0.1:8081 ./tidemark runner'
const OF_A_CLUSTER = /^kubectl |\/tidemark (operator|cluster-secret) /

/** What these say where there is nothing for them to do. */
const REFUSED: Readonly<Record<string, string>> = {
  './tidemark admin unread-page --engine google --out google.html.txt': 'no page of google is kept',
  './tidemark admin sync-billing': 'STRIPE_SECRET_KEY',
  './tidemark admin release-cluster --cluster 6b1c4f0e-9d0c-4c5e-8a5b-0d4a3b2c1f00':
    'no monitor is declared by a cluster',
}

/** What a command that goes on says when it has begun, and the signal that ends it. */
const GOING_ON: readonly (readonly [pattern: RegExp, says: RegExp, signal: NodeJS.Signals, code: number])[] = [
  [/\/tidemark serve/, /Tidemark is running at/, 'SIGTERM', 0],
  [/\/tidemark api$/, /"msg":"[^"]*listening/i, 'SIGTERM', 0],
  [/\/tidemark worker$/, /"msg":"/, 'SIGTERM', 0],
  [/\/tidemark browser$/, /starts browsers for the runner at/, 'SIGTERM', 0],
  [/\/tidemark operator /, /is watching the resources of https:/, 'SIGTERM', 0],
]

describe('the examples in the help of the other commands', () => {
  let remote: RemoteServer
  let settings: Record<string, string>
  let known: readonly (readonly [string | RegExp, string])[]
  beforeAll(async () => {
    remote = await startRemoteServer()
    const { folder, site, databaseUrl, base, key } = remote
    settings = {
      DATABASE_URL: databaseUrl,
      TIDEMARK_ENCRYPTION_KEY: KEY,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_SERP_ENDPOINTS: JSON.stringify({ google: site.origin, bing: site.origin }),
      PORT: '0',
    }
    const page = '<!doctype html><h1>A kettle</h1><main><a href="/">more</a></main><b class="price">$1</b>'
    const stated = { '@context': 'https://schema.org', '@type': 'Product', name: 'Kettle', offers: { price: '1.00' } }
    const meta = '<meta itemprop="price" content="1">'
    for (const name of ['page.html', 'saved.html']) await writeFile(join(folder, name), meta + page)
    const monitor = {
      name: 'Kettle',
      url: site.page('/kettle', page),
      schedule_interval_seconds: 3600,
      extract_config: { method: 'css', fields: { price: '.price' } },
      diff_predicate: { type: 'any_field_changes' },
    }
    await writeFile(join(folder, 'monitor.json'), JSON.stringify(monitor))
    await mkdir(join(folder, 'monitors'))
    await writeFile(
      join(folder, 'monitors', 'kettle.json'),
      JSON.stringify({
        apiVersion: 'tidemark.dev/v1',
        kind: 'Monitor',
        metadata: { name: 'kettle' },
        spec: {
          name: 'Kettle',
          url: site.url,
          scheduleIntervalSeconds: 3600,
          extractConfig: { method: 'full_page' },
          diffPredicate: { type: 'any_field_changes' },
        },
      }),
    )
    await writeFile(join(folder, 'other.yaml'), await readFile(join(ROOT, 'examples/cookbook/price-drop.yaml')))
    await writeFile(join(folder, 'urls.yaml'), 'url: https://example.com/\n')
    const feed =
      '<rss version="2.0"><channel><item><title>New</title><guid>1</guid><link>/1</link></item></channel></rss>'
    site.page('/search', (response, request, nth) =>
      html(request.url?.includes('laufschuhe') ? PAGES.bing : PAGES.google)(response, request, nth),
    )
    for (const email of ['me@example.com', 'gone@example.com'])
      await remote.sh(`./tidemark admin create-owner --email ${email}`, settings)
    const line = './tidemark admin create-key --email me@example.com --name old --json'
    const { id } = JSON.parse((await remote.sh(line, settings)).stdout) as { id: string }
    known = [
      ['https://example.com/api', site.page('/api', (answer) => answer.end('{"data":{"version":1}}'))],
      ['https://example.com/', site.page('/example', page)],
      [
        'https://shop.example/item',
        site.page('/item', `${page}<script type="application/ld+json">${JSON.stringify(stated)}</script>`),
      ],
      [
        'https://news.example.com/feed.xml',
        site.page('/feed', (answer) => answer.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed)),
      ],
      ['0f5d6c1e-2c58-4b0a-8d5e-6f1a2b3c4d5e', id],
      [/create-owner --email me@example.com$/, 'create-owner --email grace@example.com'],
      ['create-owner --email me@example.com', 'create-owner --email heidi@example.com'],
      ['--to me@example.com', '--to you@example.com'],
      ['postgres://…', databaseUrl],
      ['TIDEMARK_ENCRYPTION_KEY=…', `TIDEMARK_ENCRYPTION_KEY='${KEY}'`],
      [ROTATION, `TIDEMARK_ENCRYPTION_KEY='${NEW_KEY},${KEY}'`],
      ['http://127.0.0.1:8080', base],
      ['TIDEMARK_API_KEY=…', `TIDEMARK_API_KEY=${key}`],
      ['/run/browser/socket', join(folder, 'socket')],
      ['<id of a team>', (await remote.ask<{ id: string }>('GET', '/v1/team')).id],
      ['PORT=9000', `PORT=${await freePort()}`],
      ['PORT=9100', `PORT=${await freePort()}`],
    ]
  }, 120_000)
  afterAll(() => remote[Symbol.asyncDispose]())

  const filled = (line: string) => known.reduce((text, [from, to]) => text.replace(from, to), line)

  async function follow(line: string): Promise<void> {
    const goingOn = GOING_ON.find(([pattern]) => pattern.test(line))
    const isWatching = line.includes('--watch')
    if (!goingOn && !isWatching) {
      const { code, stderr } = await remote.sh(filled(line), settings)
      const refused = REFUSED[line]
      // What was encrypted with the old key is not any more.
      if (line.startsWith(ROTATION)) settings = { ...settings, TIDEMARK_ENCRYPTION_KEY: NEW_KEY }
      return expect([code, stderr]).toEqual([refused === undefined ? 0 : 1, expect.stringContaining(refused ?? '')])
    }
    await using process = remote.start(filled(line).replace('./tidemark', 'exec ./tidemark'), {
      ...settings,
      TIDEMARK_BROWSER_PAGES: '0',
    })
    if (isWatching) await process.complains(/Checked again when/)
    else await process.says(goingOn?.[1] ?? /./)
    process.signal(goingOn?.[2] ?? 'SIGINT')
    expect(await process.exited).toBe(goingOn?.[3] ?? 130)
  }

  describeWithApiServer('with an API server', () => {
    let kube: KubeApi
    beforeAll(async () => {
      kube = await startKubeApi()
      await kube.call('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
      await symlink(join(ROOT, 'crds'), join(remote.folder, 'crds'))
      const path = `${kubeAssets()}:${process.env['PATH']}`
      settings = { ...settings, KUBECONFIG: kube.kubeconfig, PATH: path }
    }, 60_000)
    afterAll(() => kube.stop())

    test.each(local.filter((line) => OF_A_CLUSTER.test(line)))('%s', follow)
  })

  test('npm start', async () => {
    expect(local).toContain('npm start')
    await using npm = startShell('exec npm start', settings)
    const [, base = ''] = await npm.says(/Tidemark is running at (http:\S+)\n/)
    npm.signal('SIGTERM')
    await npm.exited
    // The server has ended with it.
    await expect(fetch(base)).rejects.toThrow('fetch failed')
  })

  test(`${TOKEN}; ${RUNNER}`, async () => {
    expect(local).toEqual(expect.arrayContaining([TOKEN, RUNNER]))
    await using worker = remote.start('exec ./tidemark worker', {
      ...settings,
      TIDEMARK_BROWSER_PAGES: '0',
      TIDEMARK_RUNNER_API_PORT: '0',
    })
    await worker.says(/runner API listening/)
    const lines = `${filled(TOKEN)}\n${RUNNER.replace('./tidemark', 'exec ./tidemark')}`
    await using runner = remote.start(lines.replace('http://127.0.0.1:8081', await runnerApiOf(worker)), settings)
    await runner.says(/Tidemark is rendering for/)
    runner.signal('SIGTERM')
    expect(await runner.exited).toBe(0)
  })

  const others: readonly string[] = ['npm start', TOKEN, RUNNER]
  test.each([...new Set(local)].filter((line) => !others.includes(line) && !OF_A_CLUSTER.test(line)))('%s', follow)
})
