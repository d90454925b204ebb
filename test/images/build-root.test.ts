import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ENTRYPOINT, type ImageName, ROOT_FILE_SYSTEMS, USER_ID } from '../../images/root-file-systems.ts'
import { ownImage } from '../cluster/image-archives.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'

const run = promisify(execFile)
const ROOT = new URL('../../', import.meta.url).pathname
const BUILD = join(ROOT, 'images/build-root.ts')
const isDebian = existsSync('/usr/bin/apt-get') && process.getuid?.() === 0

// Packages are fetched and unpacked, and a browser of 300 MB is copied.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const build = (name: ImageName, folder: string, ...archive: readonly string[]) =>
  run(process.execPath, [BUILD, name, folder, ...archive])

/** Runs a program in a root file system, as the user of the image, without a network. */
async function inRoot(folder: string, command: readonly string[]) {
  const script = `mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" &&
    chmod 1777 "$1/tmp" && r=$1 && shift && exec chroot --userspec=${USER_ID}:${USER_ID} "$r" "$@"`
  const args = ['--mount', '--pid', '--fork', '--net', 'bash', '-c', script, 'bash', folder, ...command]
  try {
    const { stdout, stderr } = await run('unshare', args, { env: { HOME: '/tmp', PATH: process.env['PATH'] } })
    return { code: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, text: stdout + stderr }
  }
}

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

/** Starts a program as the first process of a container, beside one that is left there. */
function startInRoot(folder: string, command: readonly string[]) {
  const user = `--userspec=${USER_ID}:${USER_ID}`
  const script = `mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" &&
    chmod 1777 "$1/tmp" && r=$1 && shift || exit 1
    chroot ${user} "$r" ${ENTRYPOINT[0]} -e 'setInterval(() => {}, 1e6)' ${LEFT} &
    exec chroot ${user} "$r" "$@"`
  const args = ['--mount', '--pid', '--fork', '--net', 'bash', '-c', script, 'bash', folder, ...command]
  const settings = { TIDEMARK_BROWSER_SOCKET: '/data/socket', TIDEMARK_DATA_DIR: '/tmp/tidemark' }
  const { environment } = ROOT_FILE_SYSTEMS['tidemark-runner']
  const child = spawn('unshare', args, {
    env: { HOME: '/tmp', PATH: process.env['PATH'], ...environment, ...settings },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return {
    /** All processes of the container, those that have ended too. */
    processes: () => processesBelow(child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      // All of the container end with its first process. A signal that comes with the end of its parent would not reach
      // that one: it changed its user.
      const [first] = await childrenOf(child.pid ?? 0)
      if (first === undefined) child.kill('SIGKILL')
      else process.kill(first, 'SIGKILL')
      await ended
    },
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return children
    .split(' ')
    .filter((text) => text !== '')
    .map(Number)
}

async function processesBelow(pid: number): Promise<{ readonly line: string }[]> {
  const all = await Promise.all(
    (await childrenOf(pid)).map(async (child) => {
      const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      return [{ line }, ...(await processesBelow(child))]
    }),
  )
  return all.flat()
}

/** Returns the paths of all files below a folder, but for packages of npm. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .filter((path) => !path.includes('/node_modules/'))
}

async function hashOf(folder: string): Promise<string> {
  const tar = `tar --sort=name --owner=0 --group=0 --numeric-owner -C "$1" -cf - . | sha256sum`
  return (await run('bash', ['-c', tar, 'bash', folder])).stdout
}

const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const PROGRAMS_OF_SYSTEMS = /\/(?:ba|da|z|k)?sh$|\/(?:apt|apt-get|dpkg|perl|python3?|busybox|psql)$/

/** Where the pages write images. A fresh clone does not have it. */
const IMAGES = 'images/root'

/** Returns the lines of a page that build the images. */
async function buildLines(page: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, page), 'utf8')
  return Array.from(text.matchAll(/^sudo (.* images\/build-root\.ts .*)$/gm), ([, line = '']) => line)
}

test.each(['docs/quickstart.md', 'images/README.md'])(
  '%s builds both images by the command that the tests run',
  async (page) => {
    expect(await buildLines(page)).toEqual(
      Object.keys(ROOT_FILE_SYSTEMS).map(
        (name) => `node_modules/.bin/node images/build-root.ts ${name} ${IMAGES}/${name} ${IMAGES}/${name}.tar`,
      ),
    )
  },
)

describeIf(isDebian, 'run as root on Debian')('The root file system', () => {
  let made: string
  let folder: string
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'tidemark-images-'))
    // The tests of a cluster use them again.
    folder = process.env['TIDEMARK_TEST_IMAGES'] ?? join(made, IMAGES)
    await mkdir(folder, { recursive: true })
    for (const name of ['tidemark', 'tidemark-runner'] as const) await ownImage(folder, name)
  })
  afterAll(() => rm(made, { recursive: true, force: true }))

  test.each(['tidemark', 'tidemark-runner'] as const)('of %s has no shell and no package manager', async (name) => {
    const files = await filesOf(join(folder, name))
    expect(files.filter((path) => PROGRAMS_OF_SYSTEMS.test(path))).toEqual([])
    expect(files).toContain('/usr/share/tidemark/debian-packages.txt')
    expect(files).toContain('/opt/tidemark/cli/tidemark.ts')
    expect(files.filter((path) => path.startsWith('/opt/tidemark/test'))).toEqual([])
    // An API serves them; no other Markdown is needed.
    const isPage = (path: string) => path.startsWith('/opt/tidemark/docs/')
    expect(files.some(isPage)).toBe(name === 'tidemark')
    expect(files.includes('/opt/tidemark/dashboard/dist/index.html')).toBe(name === 'tidemark')
    for (const path of ['dashboard/src', 'node_modules/react', 'node_modules/vite'])
      expect(existsSync(join(folder, name, 'opt/tidemark', path)), path).toBe(false)
    expect(files.filter((path) => path.startsWith('/opt/') && path.endsWith('.md') && !isPage(path))).toEqual([])
  })

  test.each(['tidemark', 'tidemark-runner'] as const)('of %s runs the program as a user', async (name) => {
    expect(await inRoot(join(folder, name), [...ENTRYPOINT, '--version'])).toEqual({ code: 0, text: `${version}\n` })
  })

  test('of tidemark loads every command', async () => {
    for (const command of ['api', 'worker', 'operator', 'migrate']) {
      const { code, text } = await inRoot(join(folder, 'tidemark'), [...ENTRYPOINT, command])
      expect(code, text).not.toBe(0)
      expect(text).toContain('DATABASE_URL')
      expect(text).not.toMatch(/^\s+at /m)
    }
  })

  test('of tidemark-runner runs a runner and Chromium, and has nothing of the trusted side', async () => {
    const root = join(folder, 'tidemark-runner')
    const refused = await inRoot(root, [...ENTRYPOINT, 'runner'])
    expect(refused.text).toContain('TIDEMARK_RUNNER_TOKEN')
    expect(refused.text).not.toMatch(/^\s+at /m)
    const page = 'data:text/html,<p id=x></p><script>x.textContent=6*7</script>'
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--user-data-dir=/tmp/profile', '--dump-dom']
    const { CHROMIUM_PATH: chromium } = ROOT_FILE_SYSTEMS['tidemark-runner'].environment
    expect((await inRoot(root, [chromium, ...flags, page])).text).toContain('<p id="x">42</p>')
    for (const name of ['api', 'store', 'worker', 'operator', 'monitors', 'accounts', 'deliveries'])
      expect(existsSync(join(root, 'opt/tidemark', name)), name).toBe(false)
    for (const name of ['pg', 'slonik', 'fastify', 'better-auth', '@kubernetes', 'nodemailer'])
      expect(existsSync(join(root, 'opt/tidemark/node_modules', name)), name).toBe(false)
  })

  test('of tidemark-runner has an init that collects browsers, and what they left is ended', async () => {
    const root = join(folder, 'tidemark-runner')
    const { command } = await browserContainer()
    await using container = startInRoot(root, [...command, 'browser'])
    await eventually(() => existsSync(join(root, 'data/socket')), Boolean)
    const left = await eventually(container.processes, (all) => all.some(({ line }) => line.includes(LEFT)))
    expect(left.length).toBeGreaterThan(2)
    for (let browser = 0; browser < 2; browser++) {
      const connection = connect(join(root, 'data/socket'))
      connection.write(`${JSON.stringify({ start: START })}\n`)
      await eventually(container.processes, (all) => all.filter(({ line }) => line.includes('/chromium')).length > 2)
      connection.destroy()
      // The init and the launcher. Those that end meanwhile are read in part.
      const programs = async () => (await container.processes()).map(({ line }) => line.split('\0')[0])
      await eventually(programs, (all) => all.join(' ') === `${command[0]} ${ENTRYPOINT[0]}`)
    }
  })

  test('is the same for the same commit', async () => {
    await build('tidemark', join(made, 'again'))
    expect(await hashOf(join(made, 'again'))).toBe(await hashOf(join(folder, 'tidemark')))
  })

  test('is the one layer of the image archive, which runs as the Containerfile says', async () => {
    const archive = join(folder, 'tidemark.tar')
    const read = async (path: string) => JSON.parse((await run('tar', ['-xOf', archive, path])).stdout)
    // What Docker reads, and what containerd reads.
    const [{ Config, Layers, RepoTags }] = await read('manifest.json')
    const [named] = (await read('index.json')).manifests
    expect(RepoTags).toEqual([`tidemark:${version}`])
    expect(named.annotations['io.containerd.image.name']).toBe(`docker.io/library/tidemark:${version}`)
    const manifest = await read(`blobs/${named.digest.replace(':', '/')}`)
    expect(Config).toBe(`blobs/${manifest.config.digest.replace(':', '/')}`)
    expect(Layers).toEqual([`blobs/${manifest.layers[0].digest.replace(':', '/')}`])
    const { config, rootfs } = await read(Config)
    expect(config).toEqual({ Entrypoint: ENTRYPOINT, Env: ['HOME=/tmp'], User: `${USER_ID}:${USER_ID}` })
    const hash = await run('bash', ['-c', 'tar -xOf "$1" "$2" | sha256sum', 'bash', archive, Layers[0]])
    expect(rootfs.diff_ids).toEqual([`sha256:${hash.stdout.slice(0, 64)}`])
    const again = join(made, 'unpacked')
    await run('bash', ['-c', 'mkdir "$3" && tar -xOf "$1" "$2" | tar -xC "$3"', 'bash', archive, Layers[0], again])
    expect(await hashOf(again)).toBe(await hashOf(join(folder, 'tidemark')))
  })

  test('is not written into a folder that exists', async () => {
    await expect(build('tidemark', folder)).rejects.toThrow('EEXIST')
  })
})

test.each([
  ['Containerfile', 'tidemark'],
  ['Containerfile.runner', 'tidemark-runner'],
] as const)('%s says how the image of %s runs', async (file, name) => {
  const text = await readFile(join(ROOT, 'images', file), 'utf8')
  expect(text).toContain(`ENTRYPOINT ${JSON.stringify(ENTRYPOINT).replace(',', ', ')}\n`)
  expect(text).toContain(`USER ${USER_ID}:${USER_ID}\n`)
  const environment = Object.entries({ HOME: '/tmp', ...ROOT_FILE_SYSTEMS[name].environment })
  expect(text).toContain(`ENV ${environment.map(([key, value]) => `${key}=${value}`).join(' ')}\n`)
})
