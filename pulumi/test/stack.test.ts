import type * as Automation from '@pulumi/pulumi/automation/index.js'
import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServedApi, serveApi } from '../../test/support/api/served-api.ts'
import type { MonitorArgs } from '../src/rest.ts'
import { PROGRAM, rest } from './program.ts'

const { LocalWorkspace } = createRequire(join(PROGRAM, 'index.js'))('@pulumi/pulumi/automation') as typeof Automation

/** Registries of packages do not have the command, so that CI may be without it too. */
function hasPulumi(): boolean {
  try {
    execFileSync('pulumi', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    process.stdout.write('skipped: a stack of Pulumi: put the command pulumi on the PATH\n')
    return false
  }
}

const SPEC: MonitorArgs = {
  name: 'Price of the kettle',
  url: 'https://shop.example/kettle',
  scheduleIntervalSeconds: 900,
  extractConfig: { method: 'css', fields: { price: '.price' } },
  diffPredicate: { type: 'field_changes', field: 'price' },
}

describe.skipIf(!hasPulumi())('A stack of Pulumi', () => {
  let served: ServedApi
  let folder: string
  beforeAll(async () => {
    served = await serveApi()
    folder = await mkdtemp(join(tmpdir(), 'tidemark-stack-'))
    await cp(PROGRAM, folder, { recursive: true, verbatimSymlinks: true })
  })
  afterAll(async () => {
    await served.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Returns a stack whose program declares what `args` is at the time. */
  async function open(stackName: string, declare: () => { readonly id: unknown }) {
    const program = async () => ({ id: await Promise.resolve(declare().id) })
    const envVars = {
      PULUMI_BACKEND_URL: `file://${folder}`,
      PULUMI_CONFIG_PASSPHRASE: 'a phrase of the tests',
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    }
    const stack = await LocalWorkspace.createOrSelectStack(
      { stackName, projectName: 'shop', program },
      { workDir: folder, envVars },
    )
    for (const name of ['tidemark', 'other']) {
      await stack.setConfig(`${name}:baseUrl`, { value: served.baseUrl })
      await stack.setConfig(`${name}:apiKey`, { value: served.owner.api_key, secret: true })
    }
    return stack
  }

  const nameOf = async (id: string) => (await served.me.get(`/v1/monitors/${id}`)).body['name']

  test('is updated, looked at, replaced, refreshed, imported and destroyed', async () => {
    let args = SPEC
    const stack = await open('test', () => new rest.Monitor('kettle', args))
    const first = await stack.up()
    const id = String(first.outputs['id']?.value)
    expect(await nameOf(id)).toBe(SPEC.name)
    expect((await stack.preview()).changeSummary).toEqual({ same: 2 })

    args = { ...SPEC, name: 'Kettle' }
    const updated = await stack.up()
    expect(updated.summary.resourceChanges).toMatchObject({ update: 1 })
    expect([updated.outputs['id']?.value, await nameOf(id)]).toEqual([id, 'Kettle'])

    await served.me.patch(`/v1/monitors/${id}`, { name: 'Changed by somebody' })
    expect((await stack.refresh()).summary.resourceChanges).toMatchObject({ update: 1 })
    await stack.up()
    expect(await nameOf(id)).toBe('Kettle')

    // The state has the key of the API nowhere.
    expect(JSON.stringify(await stack.exportStack())).not.toContain(served.owner.api_key)

    const other = await open('other', () => new rest.Monitor('kettle', args, { import: id }))
    args = { ...args, externalKey: 'pulumi/shop/test/kettle' }
    const imported = await other.up()
    expect([imported.summary.resourceChanges, imported.outputs['id']?.value]).toEqual([{ create: 2 }, id])
    expect((await other.preview()).changeSummary).toEqual({ same: 2 })

    // The same installation under another name: the old record is deleted first, because it has the external key.
    args = { ...args, connection: 'other' }
    const replaced = await stack.up()
    expect(replaced.outputs['id']?.value).not.toBe(id)
    expect((await served.me.get(`/v1/monitors/${id}`)).status).toBe(404)

    await stack.destroy()
    expect((await served.me.get('/v1/monitors')).body.data).toEqual([])
  }, 300_000)
})
