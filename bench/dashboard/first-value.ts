import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { shopPage } from '../../examples/shop-page.ts'
import { openSite } from '../../test/support/network/site.ts'
import { freePort } from '../installation/start-up.ts'

/** The way from an empty installation to the first value that a run stored, on the page to practise on. */
export interface FirstValue {
  readonly ms: number
  /** What a person does: a command, a form that is filled in and sent, a button. */
  readonly actions: number
}

const ROOT = join(import.meta.dirname, '../..')
const DOLLARS = 19.99

/** Starts with an empty folder, signs in, and makes a monitor by the keyboard. */
export async function measureFirstValue(browser: Browser): Promise<FirstValue> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-first-value-'))
  await using site = await openSite()
  const url = site.page('/', shopPage(DOLLARS, new Date(0)))
  let actions = 0
  const act = async (done: Promise<unknown>) => {
    actions += 1
    await done
  }
  const from = performance.now()
  const started = start(dataDir, await freePort())
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    let owner = NOBODY
    await act(started.owner.then((found) => (owner = found)))
    await page.goto(owner.base)
    await act(signIn(page, owner))
    await act(fill(page, 'The address of a page, an API or a feed', url))
    const price = page.getByText(`$${DOLLARS}`, { exact: true }).first()
    await price.waitFor({ timeout: 60_000 })
    await act(page.getByRole('button', { name: 'Watch it' }).press('Enter'))
    await page.waitForURL(/\/monitors\/[\w-]+$/)
    await price.waitFor()
    return { ms: performance.now() - from, actions }
  } finally {
    await context.close()
    await started.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function signIn(page: Page, { email, password }: Owner): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await fill(page, 'Password', password)
}

async function fill(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label)
  await field.fill(text)
  await field.press('Enter')
}

interface Owner {
  readonly base: string
  readonly email: string
  readonly password: string
}
const NOBODY: Owner = { base: '', email: '', password: '' }

interface Started {
  /** What the first start prints. */
  readonly owner: Promise<Owner>
  stop(): Promise<void>
}

function start(dataDir: string, port: number): Started {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TIDEMARK_DATA_DIR: dataDir,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_LOG_LEVEL: 'error',
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return {
    owner: ownerOf(child),
    async stop() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function ownerOf(child: ChildProcess): Promise<Owner> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it ended with ${code} instead of starting`)))
    let said = ''
    child.stdout?.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-10_000)
      const [, base] = /running at (http:\/\/[^\s"]+)/.exec(said) ?? []
      const [, email] = /E-mail\s+(\S+)\n/.exec(said) ?? []
      const [, password] = /Password\s+(\S+)\n/.exec(said) ?? []
      if (base && email && password) resolve({ base, email, password })
    })
  })
}
