import { spawn } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../support/database/test-database.ts'
import { startKubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer, kubeAssets } from '../support/kubernetes/kube-assets.ts'
import { openSite, pageOf } from '../support/network/site.ts'
import { startCli } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = await readFile(join(ROOT, 'docs/custom-resources.md'), 'utf8')
const [, section = ''] = PAGE.split('\n## Start the operator\n')
const [install = '', apply = ''] = Array.from(section.matchAll(/```sh\n(.*?)```/gs), ([, text = '']) => text)

describeWithApiServer('The lines of docs/custom-resources.md that start an operator', () => {
  test('bring a change of a page from a manifest to a webhook', async () => {
    const kube = await startKubeApi()
    const database = await createTestDatabase()
    await using folder = await temporaryFolder()
    await using site = await openSite()
    const received: string[] = []
    const sink = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (chunk: string) => received.push(chunk))
      request.on('end', () => response.end())
    })
    await new Promise<void>((resolve) => void sink.listen(0, '127.0.0.1', resolve))
    const hook = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`
    const environment = {
      PATH: `${kubeAssets()}:${process.env['PATH']}`,
      HOME: folder.path,
      KUBECONFIG: kube.kubeconfig,
      DATABASE_URL: database.url,
      TIDEMARK_ENCRYPTION_KEY: 'a key of the tests, which is long enough',
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_OWNER_EMAIL: 'first@example.com',
      TIDEMARK_DATA_DIR: join(folder.path, 'data'),
      PORT: '0',
    }
    // The example watches a page of the internet: here it is one of the test, with a receiver of the test.
    await mkdir(join(folder.path, 'examples'))
    const example = await readFile(join(ROOT, 'examples/monitor.yaml'), 'utf8')
    const deliveries = `  deliveries:\n    - type: webhook\n      url: ${hook}\n`
    const manifest =
      example.replace('https://example.com/', site.url).replace('title: h1', 'title: .price') + deliveries
    await writeFile(join(folder.path, 'examples/monitor.yaml'), manifest)
    await cp(join(ROOT, 'crds'), join(folder.path, 'crds'), { recursive: true })
    await writeFile(join(folder.path, 'tidemark'), `#!/bin/sh\nexec "${join(ROOT, 'tidemark')}" "$@"\n`, {
      mode: 0o755,
    })

    /** Runs lines as a person pastes them. */
    const paste = (text: string) => {
      const child = spawn('bash', ['-ec', text], { cwd: folder.path, env: environment, detached: true })
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      const end = () => child.exitCode === null && child.pid !== undefined && process.kill(-child.pid, 'SIGTERM')
      return { said: () => said, ended, end }
    }
    await using serve = startCli(['serve'], environment)
    await serve.says(/Tidemark is running/)
    const operator = paste(install)
    try {
      await eventually(operator.said, (said) => said.includes('Tidemark is watching the resources of'), {
        forMs: 60_000,
      })
      const applied = paste(apply)
      expect(await applied.ended, applied.said()).toBe(0)
      expect(applied.said()).toMatch(/example-title +True/)
      const read = () => kube.call('GET', '/apis/tidemark.dev/v1/namespaces/default/monitors/example-title')
      await eventually(read, ({ body }) => body.status.values?.title === '$1', { forMs: 30_000 })
      site.answer((response) => response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf('$2')))
      await kube.kubectl('annotate', 'monitor', 'example-title', 'tidemark.dev/run-requested-at=now')
      await eventually(
        () => received.join('\n'),
        (text) => text.includes('$2'),
        { forMs: 30_000 },
      )
      const { body } = await eventually(read, (found) => found.body.status.lastChange !== undefined, {
        forMs: 30_000,
      })
      expect(body.status.lastChange.fields).toEqual([{ name: 'title', before: '$1', after: '$2' }])
    } finally {
      operator.end()
      await operator.ended
      serve.signal('SIGTERM')
      await serve.exited
      await new Promise((resolve) => sink.close(resolve))
      await database.drop()
      await kube.stop()
    }
  }, 180_000)
})
