import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { PUBLIC_NAMES } from '../../../schema/public-names.ts'
import { TO_TRY } from '../../../tools/generate/install-ways.ts'
import { verifyLines } from '../../../tools/generate/verify-page.ts'
import type { ReleaseManifest } from '../../../tools/release/release-manifest.ts'
import { scriptedPage } from '../../support/network/scripted-page.ts'
import { openSite } from '../../support/network/site.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { openRegistries, type Registries, TOOLS } from './registries.ts'

const execute = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
const BUILDER = 'https://forge.example/workflows/release'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let registries: Registries
let target: string

/** Runs a program as who publishes or installs: with its keys, and no other configuration. */
async function run(program: string, args: readonly string[], cwd = folder.path): Promise<string> {
  const key = `npm_config_//${registries.npm.slice('http://'.length)}:_authToken`
  const own = { HOME: folder.path, GNUPGHOME: join(folder.path, 'gpg'), COSIGN_PASSWORD: 'of a test', [key]: 'any' }
  // What runs this test has settings of npm in the environment.
  const others = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
  const env = { ...others, ...own, PATH: `${TOOLS}:${process.env['PATH']}`, TMPDIR: join(folder.path, 'tmp') }
  const { stdout, stderr } = await execute(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })
  return stdout + stderr
}

const release = (to: string) =>
  run(process.execPath, [
    join(ROOT, 'tools/release.ts'),
    ...['--dry-run', version, '--to', to, '--arch', 'amd64', '--builder', BUILDER],
    ...['--registry', `${registries.images}/tidemark`],
  ])

const publish = (...args: readonly string[]) =>
  run(process.execPath, [
    join(ROOT, 'tools/publish-release.ts'),
    ...[target, '--key', join(folder.path, 'cosign.key'), '--gpg-key', 'release@tidemark.example', '--plain-http'],
    ...['--charts', `${registries.images}/charts`, '--npm-registry', registries.npm, ...args],
  ])

beforeAll(async () => {
  folder = await temporaryFolder()
  for (const name of ['tmp', 'gpg']) await mkdir(join(folder.path, name), { mode: 0o700 })
  const upstream = (await execute('npm', ['config', 'get', 'registry'])).stdout.trim()
  registries = await openRegistries(folder.path, upstream)
  target = join(folder.path, `release-${version}`)
  await run('cosign', ['generate-key-pair'])
  const user = 'release@tidemark.example'
  await run('gpg', ['--batch', '--passphrase', '', '--quick-generate-key', user, 'rsa2048', 'sign', 'never'])
  await release(target)
  await publish()
})
afterAll(async () => {
  await registries[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const manifestOf = async () => JSON.parse(await readFile(join(target, 'release.json'), 'utf8')) as ReleaseManifest
const verifyBlob = (path: string) => {
  const key = ['--key', join(folder.path, 'cosign.pub'), '--insecure-ignore-tlog']
  return run('cosign', ['verify-blob', ...key, '--bundle', join(target, 'SHA256SUMS.sigstore.json'), path])
}
const verify = (reference: string) =>
  run('cosign', [
    ...['verify', '--key', join(folder.path, 'cosign.pub'), '--insecure-ignore-tlog'],
    ...['--allow-http-registry', '--allow-insecure-registry', reference],
  ])

describe('A release that is published', () => {
  test('is left as it is when it is published again', async () => {
    const said = await publish()
    expect(said).toContain(`npm/tidemark-${version}.tgz is published with these bytes.`)
    expect(said).toContain(`The release ${version} is published.`)
  })

  test('is the same when it is built again, byte for byte', async () => {
    const again = join(folder.path, 'again')
    await release(again)
    expect(await readFile(join(again, 'SHA256SUMS'), 'utf8')).toBe(await readFile(join(target, 'SHA256SUMS'), 'utf8'))
  })

  test('has checksums that are signed, and of which no byte can be changed', async () => {
    expect(await verifyBlob(join(target, 'SHA256SUMS'))).toContain('Verified OK')
    const changed = join(folder.path, 'SHA256SUMS')
    const text = await readFile(join(target, 'SHA256SUMS'), 'utf8')
    await writeFile(
      changed,
      text.replace(/^./, (sign) => (sign === '0' ? '1' : '0')),
    )
    await expect(verifyBlob(changed)).rejects.toThrow(/signature|digest/i)
  })

  test('has images under the digests of the release, which are signed', async () => {
    const { images } = await manifestOf()
    expect(images.map(({ name }) => name)).toEqual(['tidemark', 'tidemark-service', 'tidemark-runner'])
    for (const { repository, digest } of images) {
      expect((await run('crane', ['digest', '--insecure', `${repository}:${version}`])).trim()).toBe(digest)
      expect(await verify(`${repository}@${digest}`)).toContain(digest)
    }
  })

  test('gives no signature to an image that is another one', async () => {
    const [image] = (await manifestOf()).images
    const other = `${image?.repository}:other`
    await run('crane', ['mutate', '--insecure', `${image?.repository}:${version}`, '--label', 'a=b', '--tag', other])
    await expect(verify(other)).rejects.toThrow(/no (?:matching )?signatures/i)
  })

  test('is not published where a file is another one', async () => {
    const path = join(target, 'openapi.json')
    const text = await readFile(path, 'utf8')
    await writeFile(path, `${text} `)
    await expect(publish()).rejects.toThrow('not those of the release: openapi.json')
    await writeFile(path, text)
  })

  test('has a chart that Helm verifies, and that names both images by digest', async () => {
    await run('gpg', ['--export', '--output', join(folder.path, 'keys.gpg')])
    const charts = join(folder.path, 'charts')
    await mkdir(charts)
    const chart = `oci://${registries.images}/charts/tidemark`
    const options = ['--version', version, '--plain-http', '--verify', '--keyring', join(folder.path, 'keys.gpg')]
    await run('helm', ['pull', chart, ...options], charts)
    const [archive = ''] = (await readdir(charts)).filter((name) => name.endsWith('.tgz'))
    const values = parse(await run('helm', ['show', 'values', archive], charts)) as {
      readonly image: object
      readonly runner: { readonly image: object }
    }
    const [, service, runner] = (await manifestOf()).images
    expect(values.image).toMatchObject({ repository: service?.repository, digest: service?.digest })
    expect(values.runner.image).toMatchObject({ repository: runner?.repository, digest: runner?.digest })
    const shown = await run(
      'helm',
      ['template', 'x', archive, '--kube-version', '1.34.0', ...TO_TRY.split(' ')],
      charts,
    )
    expect(shown).toContain(`image: "${service?.repository}@${service?.digest}"`)
    await verify(`${registries.images}/charts/tidemark:${version}`)
    const file = join(charts, archive)
    await writeFile(file, Buffer.concat([await readFile(file), Buffer.from([0])]))
    await expect(run('helm', ['verify', archive, '--keyring', join(folder.path, 'keys.gpg')], charts)).rejects.toThrow(
      /sha256 sum does not match/,
    )
  })
})

test('The commands of docs/verify-a-release.md verify a release, in a folder with the key', async () => {
  await copyFile(join(folder.path, 'cosign.pub'), join(target, 'cosign.pub'))
  const [image] = (await manifestOf()).images
  // A registry without TLS is for tests alone.
  const lines = verifyLines({ ...PUBLIC_NAMES, published: false }, `${image?.repository}@${image?.digest}`).map(
    (line) => line.replace('cosign verify ', 'cosign verify --allow-http-registry --allow-insecure-registry '),
  )
  expect(lines).toHaveLength(3)
  for (const line of lines) await run('sh', ['-c', line], target)
  await rm(join(target, 'cosign.pub'))
})

describe('A package that is installed from a registry, without scripts', () => {
  let own: string
  beforeAll(async () => {
    own = join(folder.path, 'own')
    await mkdir(own)
    await writeFile(join(own, 'package.json'), '{"private":true}')
    const packages = ['tidemark', '@tidemark/pulumi', '@pulumi/pulumi', '@pulumi/kubernetes']
    await run('npm', ['install', '--ignore-scripts', '--registry', registries.npm, ...packages], own)
  })

  test('has a command that checks a page, in a browser too', async () => {
    await using site = await openSite()
    site.answer(scriptedPage('$7'))
    const node = join(ROOT, 'node_modules/node/bin/node')
    const command = [join(own, 'node_modules/.bin/tidemark'), 'check', site.url, '--css', 'price=.price', '--browser']
    const shell = `TIDEMARK_ALLOW_PRIVATE_CIDRS=127.0.0.0/8 "${node}" ${command.join(' ')}`
    expect(await run('sh', ['-c', shell], own)).toContain('$7')
  })

  test('has the provider for Pulumi', async () => {
    const program = `const { Monitor } = require('@tidemark/pulumi/rest'); console.log(typeof Monitor)`
    expect((await run(process.execPath, ['-e', program], own)).trim()).toBe('function')
    const installed = await readFile(join(own, 'node_modules/@tidemark/pulumi/package.json'), 'utf8')
    expect(JSON.parse(installed)).toMatchObject({ version })
  })
})
