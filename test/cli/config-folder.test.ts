import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runCli, startCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

vi.setConfig({ testTimeout: 240_000 })

const monitor = (name: string, interval: number | string = 3600) => `apiVersion: tidemark.dev/v1
kind: Monitor
metadata: { name: ${name}, namespace: shop }
spec:
  name: ${name}
  url: http://127.0.0.1:9/${name}
  scheduleIntervalSeconds: ${interval}
  extractConfig: { method: full_page }
  diffPredicate: { type: any_field_changes }
`

/** Commands find what the folder declares by namespace and name, and do not write it. */
async function findsByIdentity(environment: Record<string, string>, config: string): Promise<void> {
  const got = await runHere(['get', 'shop/kettle', '-o', 'json'], environment)
  expect(JSON.parse(got.stdout)).toMatchObject({ external_key: 'shop/kettle', declared_in: 'kettle.yaml' })
  for (const command of ['describe', 'run', 'runs'])
    expect(await runHere([command, 'shop/kettle'], environment)).toMatchObject({ code: 0, stderr: '' })
  const deleted = await runHere(['delete', 'shop/kettle'], environment)
  expect([deleted.code, deleted.stderr]).toEqual([1, expect.stringContaining('the file kettle.yaml of the folder')])
  const applied = await runHere(['apply', '-f', config], environment)
  expect([applied.code, applied.stderr]).toEqual([
    1,
    expect.stringMatching(/kettle\.yaml:1 .* the file kettle\.yaml in/),
  ])
}

test('tidemark serve --config follows a folder of manifests', async () => {
  await using folder = await temporaryFolder()
  const config = join(folder.path, 'monitors')
  await mkdir(config)
  await writeFile(join(config, 'kettle.yaml'), monitor('kettle'))
  await writeFile(join(config, 'toaster.yml'), monitor('toaster'))
  await using serve = startCli(['serve', '--config', config], {
    TIDEMARK_DATA_DIR: join(folder.path, 'data'),
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    PORT: '0',
  })
  const [banner = '', base = ''] = await serve.says(
    /Tidemark is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)\n[\s\S]*\n\n/,
  )
  const key = /API key\s+(svc_\w+)/.exec(banner)?.[1] ?? ''
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`${base}${path}`, { method, headers: { authorization: `Bearer ${key}` } })
    return { status: answer.status, text: await answer.text() }
  }
  interface Shown {
    readonly id: string
    readonly name: string
    readonly managed_by: string
    readonly schedule_interval_seconds: number
  }
  const monitors = async () => (JSON.parse((await ask('/v1/monitors')).text) as { data: Shown[] }).data
  const shown = async () =>
    (await monitors()).map((one) => `${one.name} ${one.managed_by} ${one.schedule_interval_seconds}`).toSorted()
  const becomes = (expected: readonly string[]) =>
    eventually(shown, (now) => JSON.stringify(now) === JSON.stringify(expected))
  const says = (text: string) =>
    eventually(
      async () => serve.stdout,
      (said) => said.includes(text),
    )
  const figure = async (name: string) =>
    Number(new RegExp(`^tidemark_config_${name} (.*)$`, 'm').exec((await ask('/metrics')).text)?.[1])

  // It is applied before the service says that it runs.
  expect(await shown()).toEqual(['kettle file 3600', 'toaster file 3600'])
  const [first] = await monitors()
  const refused = await ask(`/v1/monitors/${first?.id}`, 'DELETE')
  expect(refused.status).toBe(409)
  expect(refused.text).toMatch(
    new RegExp(`the manifest Monitor shop/${first?.name} in the file ${first?.name}\\.ya?ml of the folder of tidemark`),
  )
  expect(await figure('manifests')).toBe(2)
  await findsByIdentity({ TIDEMARK_URL: base, TIDEMARK_API_KEY: key, HOME: folder.path }, config)

  await writeFile(join(config, 'kettle.yaml'), monitor('kettle', 7200))
  await becomes(['kettle file 7200', 'toaster file 3600'])

  // Half of a file, and then one that is not valid: nothing changes, not even what another file says.
  await writeFile(join(config, 'toaster.yml'), monitor('toaster', 60))
  await writeFile(join(config, 'lamp.yaml'), monitor('lamp').replace(/ \}\nspec[^]*/, ''))
  await says('lamp.yaml:3: is not YAML')
  // A file that cannot be read hides no fault of another one.
  await writeFile(join(config, 'kettle.yaml'), monitor('kettle', 7).replace('shop }', 'Shop }'))
  await says('kettle.yaml:3: metadata.namespace must have')
  await says('kettle.yaml:7: spec.scheduleIntervalSeconds must be at least 60')
  await writeFile(join(config, 'kettle.yaml'), monitor('kettle', 7200))
  await writeFile(join(config, 'lamp.yaml'), monitor('lamp', '5'))
  await says('lamp.yaml:7: spec.scheduleIntervalSeconds must be at least 60')
  expect(await shown()).toEqual(['kettle file 7200', 'toaster file 3600'])
  expect(await figure('faults')).toBe(1)
  await writeFile(join(config, 'lamp.yaml'), monitor('lamp'))
  await becomes(['kettle file 7200', 'lamp file 3600', 'toaster file 60'])
  expect(await figure('faults')).toBe(0)

  // A file that is gone.
  await rm(join(config, 'lamp.yaml'))
  await becomes(['kettle file 7200', 'lamp api 3600', 'toaster file 60'])
  await says('its manifest is gone: the monitor goes on, and belongs to the API now')

  // A file that is cut off.
  await writeFile(join(config, 'toaster.yml'), '')
  await says('toaster.yml:1: is empty')
  expect(await shown()).toEqual(['kettle file 7200', 'lamp api 3600', 'toaster file 60'])
  await writeFile(join(config, 'toaster.yml'), monitor('toaster', 60))
  await eventually(
    () => figure('faults'),
    (faults) => faults === 0,
  )

  // A manifest with another name takes its monitor over: the first look releases it, and the next one adopts it.
  const kettle = (await monitors()).find(({ name }) => name === 'kettle')?.id
  const renamed = `{ name: blue-kettle, annotations: { tidemark.dev/adopt: ${kettle} },`
  await writeFile(join(config, 'kettle.yaml'), monitor('kettle', 7200).replace('{ name: kettle,', renamed))
  await says('some manifests of the folder were refused')
  await becomes(['kettle file 7200', 'lamp api 3600', 'toaster file 60'])
  expect((await monitors()).find(({ name }) => name === 'kettle')?.id).toBe(kettle)

  // The folder of a ConfigMap: the files are links, and one link is moved to change all of them at once.
  for (const [version, interval] of [
    ['..1', 300],
    ['..2', 600],
  ] as const) {
    await mkdir(join(config, version))
    for (const name of ['lamp', 'urn']) await writeFile(join(config, version, `${name}.yaml`), monitor(name, interval))
  }
  await symlink('..1', join(config, '..data'))
  for (const name of ['lamp', 'urn']) await symlink(`..data/${name}.yaml`, join(config, `${name}.yaml`))
  await becomes(['kettle file 7200', 'lamp file 300', 'toaster file 60', 'urn file 300'])
  await symlink('..2', join(config, '..data_tmp'))
  await rename(join(config, '..data_tmp'), join(config, '..data'))
  await becomes(['kettle file 7200', 'lamp file 600', 'toaster file 60', 'urn file 600'])
  for (const name of ['lamp.yaml', 'urn.yaml', '..data', '..1', '..2'])
    await rm(join(config, name), { recursive: true })
  await becomes(['kettle file 7200', 'lamp api 600', 'toaster file 60', 'urn api 600'])

  // An empty folder, and none.
  for (const name of ['kettle.yaml', 'toaster.yml']) await rename(join(config, name), join(folder.path, name))
  await says('has no manifest of a monitor: what it declared before stays')
  await rm(config, { recursive: true })
  await says('is not there')
  expect(await shown()).toEqual(['kettle file 7200', 'lamp api 600', 'toaster file 60', 'urn api 600'])

  serve.signal('SIGTERM')
  expect(await serve.exited).toBe(0)
})

test('a folder that is missing, or that is a file, keeps the service from starting', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'kettle.yaml')
  await writeFile(file, monitor('kettle'))
  const environment = { TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0' }
  const start = (config: string) => runCli(['serve', '--config', config], environment)
  const missing = join(folder.path, 'monitor')
  expect(await start(missing)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      `tidemark: --config ${missing} does not exist: name a folder of manifests, which may be empty; nothing was ` +
      'started\n',
  })
  expect((await start(file)).stderr).toContain(`--config ${file} is no folder`)
  expect((await start('')).stderr).toContain('--config is empty: name a folder of manifests')
  expect(await readdir(folder.path)).toEqual(['kettle.yaml'])
})
