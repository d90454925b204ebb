import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ManifestServer, startManifestServer } from './manifest-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: ManifestServer
beforeAll(async () => {
  remote = await startManifestServer()
}, 60_000)
afterAll(() => remote[Symbol.asyncDispose]())

test('more than ten monitors are deleted only with --yes where nobody can be asked', async () => {
  const names = Array.from({ length: 12 }, (_, nth) => `kettle-${nth}`)
  for (const name of names) await remote.write(`monitors/${name}.yaml`, remote.manifest(name))
  expect(await remote.sh('./tidemark apply -f monitors')).toMatchObject({ code: 0 })
  for (const name of names.slice(1)) await rm(join(remote.folder, `monitors/${name}.yaml`))
  await remote.write('monitors/pot.yaml', remote.manifest('pot'))
  const shown = await remote.sh('./tidemark diff -f monitors --prune')
  expect(shown.stdout.match(/^- delete monitor shop\/kettle-/gm)).toHaveLength(11)
  const refused = await remote.sh('./tidemark apply -f monitors --prune')
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('11 monitors would be deleted')])
  // Nothing else was done either.
  expect(await remote.list()).toHaveLength(12)
  expect(await remote.sh('./tidemark apply -f monitors --prune --yes')).toMatchObject({ code: 0 })
  expect(await remote.list()).toHaveLength(2)

  for (const name of names.slice(1)) await remote.write(`monitors/${name}.yaml`, remote.manifest(name))
  expect(await remote.sh('./tidemark apply -f monitors')).toMatchObject({ code: 0 })
  const all = `./tidemark delete ${names.map((name) => `shop/${name}`).join(' ')}`
  expect(await remote.sh(all)).toMatchObject({ code: 2, stdout: '' })
  expect(await remote.list()).toHaveLength(13)
  expect(await remote.sh(`${all} --yes`)).toMatchObject({ code: 0 })
  expect((await remote.list()).map(({ name }) => name)).toEqual(['The pot'])
})
