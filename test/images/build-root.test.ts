import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ImageName, ROOT_FILE_SYSTEMS, type RootFileSystem, USER_ID } from '../../images/root-file-systems.ts'
import { ownImage } from '../cluster/image-archives.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { runInRoot, startInRoot } from './containers.ts'
import { describeWhole } from './whole-image.ts'

const run = promisify(execFile)
const ROOT = new URL('../../', import.meta.url).pathname
const BUILD = join(ROOT, 'images/build-root.ts')
const isDebian = existsSync('/usr/bin/apt-get') && process.getuid?.() === 0

// Packages are fetched and unpacked, and a browser of 300 MB is copied.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const build = (name: ImageName, folder: string, ...archive: readonly string[]) =>
  run(process.execPath, [BUILD, name, folder, ...archive])

/** A process that a page left behind in the container. */
const LEFT = 'left-behind'
const START = { proxyServer: 'http://127.0.0.1:9', heapMb: 512, spki: null, isSandboxed: false }

/** Returns the container that the chart starts browsers in. */
async function browserContainer(): Promise<{ readonly command: readonly string[] }> {
  const text = await readFile(join(ROOT, 'charts/tidemark/templates/runners.yaml'), 'utf8')
  const listed = /- name: browser\n(?:.*\n)*? +command: \[(.*)\]\n +args: \[browser\]\n/.exec(text)?.[1]
  if (listed === undefined) throw new Error('the template has no command for browsers')
  return { command: listed.split(', ') }
}

/** Returns the paths of all files below a folder, but for packages of npm. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .filter((path) => !path.includes('/node_modules/'))
}

/** Returns the paths of the modules in a bundle, from its folder on, as its maps name them. */
async function sourcesIn(folder: string): Promise<string[]> {
  const maps = (await readdir(folder)).filter((file) => file.endsWith('.map'))
  const texts = await Promise.all(maps.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => (JSON.parse(text) as { readonly sources: readonly string[] }).sources)
}

async function hashOf(folder: string): Promise<string> {
  const tar = `tar --sort=name --owner=0 --group=0 --numeric-owner -C "$1" -cf - . | sha256sum`
  return (await run('bash', ['-c', tar, 'bash', folder])).stdout
}

/** How Chromium prints a page and ends. A root file system alone has no sandbox. */
const DUMP = ['--headless', '--no-sandbox', '--disable-gpu', '--user-data-dir=/tmp/profile', '--dump-dom']
const btoa8 = (text: string) => Buffer.from(text).toString('base64')

/** The images for clusters. */
const PARTS = ['tidemark-service', 'tidemark-runner'] as const
const { run: PART } = ROOT_FILE_SYSTEMS['tidemark-service']
const WHOLE = ROOT_FILE_SYSTEMS.tidemark.run
const { CHROMIUM_PATH: CHROMIUM } = WHOLE.environment
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const PROGRAMS_OF_SYSTEMS = /\/(?:ba|da|z|k)?sh$|\/(?:apt|apt-get|dpkg|perl|python3?|busybox|psql)$/

/** Where the pages write images. A fresh clone does not have it. */
const IMAGES = 'images/root'

/** Returns the lines of a page that build the images for this machine. */
async function buildLines(page: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, page), 'utf8')
  return Array.from(text.matchAll(/^sudo (.* images\/build-root\.ts .* images\/root\/.*)$/gm), ([, line = '']) => line)
}

test.each([
  ['docs/quickstart.md', PARTS],
  ['docs/docker.md', ['tidemark']],
  ['images/README.md', Object.keys(ROOT_FILE_SYSTEMS)],
])('%s builds images by the command that the tests run', async (page, names) => {
  expect(await buildLines(page)).toEqual(
    names.map((name) => `node_modules/.bin/node images/build-root.ts ${name} ${IMAGES}/${name} ${IMAGES}/${name}.tar`),
  )
})

describeIf(isDebian, 'run as root on Debian')('The root file system', () => {
  let made: string
  let folder: string
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'tidemark-images-'))
    // The tests of a cluster use them again.
    folder = process.env['TIDEMARK_TEST_IMAGES'] ?? join(made, IMAGES)
    await mkdir(folder, { recursive: true })
    for (const name of [...PARTS, 'tidemark'] as const) await ownImage(folder, name)
  })
  afterAll(() => rm(made, { recursive: true, force: true }))

  /** Makes an empty folder that every user may write to, as a volume is. */
  async function makeData(): Promise<string> {
    const data = await mkdtemp(join(made, 'data-'))
    await chmod(data, 0o1777)
    return data
  }
  const inRoot = async (name: ImageName, command: readonly string[], environment = {}) =>
    runInRoot(join(folder, name), { command, data: await makeData(), environment })

  test.each(PARTS)('of %s has no shell and no package manager', async (name) => {
    const files = await filesOf(join(folder, name))
    expect(files.filter((path) => PROGRAMS_OF_SYSTEMS.test(path))).toEqual([])
    // With its source, by which vulnerabilities are known.
    const packages = await readFile(join(folder, name, 'usr/share/tidemark/debian-packages.txt'), 'utf8')
    expect(packages).toMatch(/^libc6 \S+ glibc \S+$/m)
    expect(files).toContain('/opt/tidemark/bin/tidemark.js')
    for (const path of ['test', 'bench', 'tools', 'cli'])
      expect(existsSync(join(folder, name, 'opt/tidemark', path)), path).toBe(false)
    // An API serves them.
    expect(files.some((path) => path.startsWith('/opt/tidemark/docs/'))).toBe(name === 'tidemark-service')
    expect(files.includes('/opt/tidemark/dashboard/dist/index.html')).toBe(name === 'tidemark-service')
    for (const path of ['dashboard/src', 'node_modules/react', 'node_modules/vite'])
      expect(existsSync(join(folder, name, 'opt/tidemark', path)), path).toBe(false)
    expect(files).toEqual(expect.arrayContaining(['/opt/tidemark/LICENSE', '/opt/tidemark/LICENSES.md']))
  })

  test.each([
    ['tidemark', 1_100e6],
    ['tidemark-service', 280e6],
    ['tidemark-runner', 800e6],
  ] as const)('of %s takes no more than %d bytes of a node', async (name, limit) => {
    const { stdout } = await run('du', ['-sb', join(folder, name)])
    expect(Number(stdout.split('\t', 1)[0])).toBeLessThanOrEqual(limit)
  })

  test.each(PARTS)('of %s runs the program as a user', async (name) => {
    expect(await inRoot(name, [...PART.entrypoint, '--version'])).toEqual({ code: 0, text: `${version}\n` })
  })

  test('of tidemark-service loads every command', async () => {
    for (const command of ['api', 'worker', 'operator', 'migrate']) {
      const { code, text } = await inRoot('tidemark-service', [...PART.entrypoint, command])
      expect(code, text).not.toBe(0)
      expect(text).toContain('DATABASE_URL')
      expect(text).not.toMatch(/^\s+at /m)
    }
  })

  test('of tidemark-runner runs a runner and Chromium, and has nothing of the trusted side', async () => {
    const root = join(folder, 'tidemark-runner')
    const refused = await inRoot('tidemark-runner', [...PART.entrypoint, 'runner'])
    expect(refused.text).toContain('TIDEMARK_RUNNER_TOKEN')
    expect(refused.text).not.toMatch(/^\s+at /m)
    const page = 'data:text/html,<p id=x></p><script>x.textContent=6*7</script>'
    expect((await inRoot('tidemark-runner', [CHROMIUM, ...DUMP, page])).text).toContain('<p id="x">42</p>')
    for (const name of ['pg', 'slonik', 'fastify', 'better-auth', '@kubernetes', 'nodemailer'])
      expect(existsSync(join(root, 'opt/tidemark/node_modules', name)), name).toBe(false)
    const sources = await sourcesIn(join(root, 'opt/tidemark/dist'))
    expect(sources).toContain('../runners/browser/browsers.ts')
    const TRUSTED = /^\.\.\/(?:api|store|worker|operator|monitors|accounts|deliveries|manifests)\//
    expect(sources.filter((path) => TRUSTED.test(path))).toEqual([])
    const DATABASE = /\/node_modules\/(?:pg|slonik|fastify|better-auth|@kubernetes|nodemailer)\//
    expect(sources.filter((path) => DATABASE.test(path))).toEqual([])
  })

  test.each(['tidemark', 'tidemark-runner'] as const)('of %s has fonts for what pages are written in', async (name) => {
    const page = (await readFile(join(import.meta.dirname, 'fonts.html'), 'utf8')).replaceAll(/^ +/gm, '')
    const { text } = await inRoot(name, [CHROMIUM, ...DUMP, `data:text/html;base64,${btoa8(page)}`])
    expect(text).toContain('<p class="serif">')
    expect(/<pre id="missing">([^<]*)<\/pre>/.exec(text)?.[1]).toBe('')
  })

  test('of tidemark-runner has an init that collects browsers, and what they left is ended', async () => {
    const { command } = await browserContainer()
    const data = await makeData()
    await using container = startInRoot(join(folder, 'tidemark-runner'), {
      command: [...command, 'browser'],
      data,
      environment: {
        CHROMIUM_PATH: CHROMIUM,
        TIDEMARK_BROWSER_SOCKET: '/data/socket',
        TIDEMARK_DATA_DIR: '/tmp/tidemark',
      },
      beside: [PART.entrypoint[0], '-e', 'setInterval(() => {}, 1e6)', LEFT],
    })
    await eventually(() => existsSync(join(data, 'socket')), Boolean)
    const left = await eventually(container.processes, (all) => all.some(({ line }) => line.includes(LEFT)))
    expect(left.length).toBeGreaterThan(2)
    for (let browser = 0; browser < 2; browser++) {
      const connection = connect(join(data, 'socket'))
      connection.write(`${JSON.stringify({ start: START })}\n`)
      await eventually(container.processes, (all) => all.filter(({ line }) => line.includes('/chromium')).length > 2)
      connection.destroy()
      // The init and the launcher. Those that end meanwhile are read in part.
      const programs = async () => (await container.processes()).map(({ line }) => line.split('\0')[0])
      await eventually(programs, (all) => all.join(' ') === `${command[0]} ${PART.entrypoint[0]}`)
    }
  })

  describe('of tidemark', () => {
    describeWhole(() => ({ root: join(folder, 'tidemark'), makeData }))
  })

  test('is the same for the same commit, and so is its archive', async () => {
    await build('tidemark-service', join(made, 'again'), join(made, 'again.tar'))
    expect(await hashOf(join(made, 'again'))).toBe(await hashOf(join(folder, 'tidemark-service')))
    const sumOf = async (path: string) => (await run('bash', ['-c', 'sha256sum < "$1"', 'bash', path])).stdout
    expect(await sumOf(join(made, 'again.tar'))).toBe(await sumOf(join(folder, 'tidemark-service.tar')))
  })

  test('is the one layer of the image archive, which runs as the Containerfile says', async () => {
    const archive = join(folder, 'tidemark-service.tar')
    const read = async (path: string) => JSON.parse((await run('tar', ['-xOf', archive, `./${path}`])).stdout)
    // What Docker reads, and what containerd reads.
    const [{ Config, Layers, RepoTags }] = await read('manifest.json')
    const [named] = (await read('index.json')).manifests
    expect(RepoTags).toEqual([`tidemark-service:${version}`])
    expect(named.annotations['io.containerd.image.name']).toBe(`docker.io/library/tidemark-service:${version}`)
    const manifest = await read(`blobs/${named.digest.replace(':', '/')}`)
    expect(Config).toBe(`blobs/${manifest.config.digest.replace(':', '/')}`)
    expect(Layers).toEqual([`blobs/${manifest.layers[0].digest.replace(':', '/')}`])
    const { config, rootfs } = await read(Config)
    expect(config).toEqual({
      Entrypoint: PART.entrypoint,
      Env: ['HOME=/tmp'],
      User: `${USER_ID}:${USER_ID}`,
    })
    const hash = await run('bash', ['-c', 'tar -xOf "$1" "./$2" | sha256sum', 'bash', archive, Layers[0]])
    expect(rootfs.diff_ids).toEqual([`sha256:${hash.stdout.slice(0, 64)}`])
    const again = join(made, 'unpacked')
    await run('bash', ['-c', 'mkdir "$3" && tar -xOf "$1" "./$2" | tar -xC "$3"', 'bash', archive, Layers[0], again])
    expect(await hashOf(again)).toBe(await hashOf(join(folder, 'tidemark-service')))
  })

  test('is not written into a folder that exists', async () => {
    await expect(build('tidemark-service', folder)).rejects.toThrow('EEXIST')
  })
})

test.each([
  ['Containerfile', 'tidemark'],
  ['Containerfile.service', 'tidemark-service'],
  ['Containerfile.runner', 'tidemark-runner'],
] as const)('%s says how the image of %s runs', async (file, name) => {
  const lines = (await readFile(join(ROOT, 'images', file), 'utf8')).split('\n')
  const how: RootFileSystem['run'] = ROOT_FILE_SYSTEMS[name].run
  const list = (words: readonly string[]) => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`
  const environment = Object.entries(how.environment).map(([key, value]) => `${key}=${value}`)
  expect(lines.filter((line) => !line.startsWith('#') && line !== '')).toEqual([
    'FROM scratch',
    'COPY . /',
    `USER ${USER_ID}:${USER_ID}`,
    `ENV ${environment.join(' ')}`,
    ...how.ports.map((port) => `EXPOSE ${port}`),
    ...how.volumes.map((volume) => `VOLUME ${volume}`),
    `ENTRYPOINT ${list(how.entrypoint)}`,
    ...(how.command.length > 0 ? [`CMD ${list(how.command)}`] : []),
  ])
})
