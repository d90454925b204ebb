import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runCli, startCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { openReceiver } from '../support/worker/receiver.ts'

vi.setConfig({ testTimeout: 240_000 })

const monitor = (name: string, interval = 3600, more = '') => `apiVersion: tidemark.dev/v1
kind: Monitor
metadata: { name: ${name}, namespace: shop }
spec:
  name: ${name}
  url: http://127.0.0.1:9/${name}
  scheduleIntervalSeconds: ${interval}
  extractConfig: { method: full_page }
  diffPredicate: { type: any_field_changes }
${more}`

test('tidemark serve --config --prune deletes the monitors whose files are gone, where they are few', async () => {
  await using folder = await temporaryFolder()
  await using receiver = await openReceiver()
  const config = join(folder.path, 'monitors')
  const file = (name: string) => join(config, `${name}.yaml`)
  await mkdir(config)
  const names = Array.from({ length: 12 }, (_, n) => `m${n + 1}`)
  for (const name of names) await writeFile(file(name), monitor(name))
  const hook = `  deliveries: [{ type: webhook, url: '${receiver.url}' }]\n  notifyOn: [failing]\n`
  await writeFile(file('hooked'), monitor('hooked', 3600, hook))
  await using serve = startCli(['serve', '--config', config, '--prune'], {
    TIDEMARK_DATA_DIR: join(folder.path, 'data'),
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    PORT: '0',
  })
  const [banner = '', base = ''] = await serve.says(
    /Tidemark is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)\n[\s\S]*\n\n/,
  )
  const key = /API key\s+(svc_\w+)/.exec(banner)?.[1] ?? ''
  const ask = async (path: string) =>
    (await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}` } })).text()
  const managed = async () => {
    const { data } = JSON.parse(await ask('/v1/monitors?limit=100')) as { data: { name: string; managed_by: string }[] }
    return Object.fromEntries(data.map((one) => [one.name, one.managed_by]))
  }
  const figure = async (name: string) =>
    Number(new RegExp(`^tidemark_config_${name} (.*)$`, 'm').exec(await ask('/metrics'))?.[1])
  const saying = (text: string) =>
    eventually(
      () => serve.stdout,
      (said) => said.includes(text),
    )

  await saying('--prune is on: monitors whose files are gone from the folder of manifests are deleted')
  expect(Object.keys(await managed())).toHaveLength(13)

  // One file of thirteen.
  await rm(file('m1'))
  await saying('--prune judges them unless they are back in 10 seconds')
  await saying('its manifest is gone: the monitor was deleted')
  expect(Object.keys(await managed())).not.toContain('m1')

  // Two at once are too many.
  for (const name of ['m2', 'm3']) await rm(file(name))
  await saying('too many manifests are gone at once: none of their monitors was deleted')
  expect(await managed()).toMatchObject({ m2: 'api', m3: 'api', m4: 'file' })
  await eventually(
    () => receiver.requests.length,
    (count) => count === 1,
  )
  const { message } = JSON.parse(String(receiver.requests[0]?.body)) as { message: string }
  await eventually(
    () => figure('released'),
    (count) => count === 2,
  )
  // What the notice says does it.
  const [, words = ''] = /^\.\/tidemark (delete --yes .*)$/m.exec(message) ?? []
  expect(words).toBe('delete --yes shop/m2 shop/m3')
  const environment = { TIDEMARK_URL: base, TIDEMARK_API_KEY: key, HOME: folder.path }
  expect(await runHere(words.split(' '), environment)).toMatchObject({ code: 0, stderr: '' })
  expect(Object.keys(await managed())).toHaveLength(10)
  await eventually(
    () => figure('released'),
    (count) => count === 0,
  )

  // Beside a fault nothing is deleted: one in the folder, and one of a manifest alone.
  await writeFile(file('m5'), monitor('m5', 7))
  await rm(file('m4'))
  await saying('m5.yaml:7: spec.scheduleIntervalSeconds must be at least 60')
  await writeFile(file('m5'), monitor('m5'))
  const adopting = monitor('m13').replace('shop }', 'shop, annotations: { tidemark.dev/adopt: none } }')
  await writeFile(file('m13'), adopting)
  await saying('nothing is deleted while a manifest of the folder is refused')
  expect(await managed()).toMatchObject({ m4: 'file' })
  await rm(file('m13'))
  await eventually(managed, (now) => !('m4' in now))

  // An empty folder, and none.
  await rename(config, join(folder.path, 'away'))
  await saying('is not there')
  await mkdir(config)
  await saying('has no manifest of a monitor: what it declared before stays')
  expect(new Set(Object.values(await managed()))).toEqual(new Set(['file']))
  serve.signal('SIGTERM')
  expect(await serve.exited).toBe(0)
})

test('--prune without a folder keeps the service from starting', async () => {
  expect(await runCli(['serve', '--prune'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'tidemark: --prune is about the folder of --config: name that as well, or leave --prune out; nothing was ' +
      'started\n',
  })
})
