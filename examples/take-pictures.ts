import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followVisualExample, PICTURES } from './visual-example.ts'

/**
 * Takes the pictures of README and docs/visual.md again. It starts its own Tidemark and the example page, follows
 * docs/visual.md, and writes to `docs/images`.
 */

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'docs/images')

const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-pictures-'))
const environment = { TIDEMARK_DATA_DIR: dataDir, TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8', PORT: '0' }
const children: ChildProcess[] = []
try {
  const [, page = ''] = await start(['examples/changing-page.ts', '--port', '0'], /the page\s+(\S+)\/\s/)
  const [, tidemark = '', key = ''] = await start(
    ['cli/tidemark.ts', 'serve'],
    /running at (\S+)\n[^]*API key\s+(svc_\w+)/,
  )
  const { changed, pictures } = await followVisualExample({ tidemark, key, page })
  await mkdir(FOLDER, { recursive: true })
  for (const picture of PICTURES) await writeFile(join(FOLDER, `kettle-${picture}.png`), pictures[picture])
  process.stdout.write(`${changed.visual_change_pct} % changed; docs/images has the pictures\n`)
} finally {
  await Promise.all(children.map(end))
  await rm(dataDir, { recursive: true, force: true })
}

/** Starts a program of this repository and waits until its output matches. */
async function start(args: readonly string[], says: RegExp): Promise<RegExpExecArray> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += String(text)
    const match = says.exec(said)
    if (match === null) continue
    child.stdout.resume()
    return match
  }
  throw new Error(`${args[0]} did not start:\n${said}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
