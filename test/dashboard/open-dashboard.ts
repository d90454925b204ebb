import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { sessionCookieName } from '../../api/auth/sign-in-options.ts'
import { dashboardRoutes } from '../../api/dashboard/dashboard-routes.ts'
import { buildApp } from '../../api/http/app.ts'
import { servedRoutesOf } from '../../api/routes.ts'
import { createServices, type ServicesOptions } from '../../api/services.ts'
import { SERVED_KINDS } from '../../boot/kinds.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { buildDashboard } from '../../tools/build/build-dashboard.ts'
import { createTestApi, ENCRYPTION_KEY, type TestApi } from '../support/api/test-api.ts'
import { startTestBrowser } from '../support/browser/test-browser.ts'
import { freePort } from '../support/network/free-port.ts'

const SOURCE = join(import.meta.dirname, '../../dashboard')

/** What the page did that it must not do, in order. */
interface Watched {
  /** Reports of the content security policy, errors of scripts, and messages of the console about errors. */
  readonly faults: readonly string[]
  /** Requests to another origin than ours. */
  readonly strangers: readonly string[]
  /** Addresses of all requests. */
  readonly asked: readonly string[]
}

interface OpenedPage {
  readonly page: Page
  readonly watched: Watched
}

/** The served API with its own database, and a real browser. */
export interface Dashboard extends AsyncDisposable {
  readonly api: TestApi
  readonly base: string
  /** The folder of the built files, which are those of the source. */
  readonly built: string
  /** Opens a page of a browser of its own. With an owner it is signed in. */
  open(path: string, as: Pick<CreatedOwner, 'session_token'> | null, how?: OpenOptions): Promise<OpenedPage>
  /** Closes all pages: one that a failed test has left open has a stream. */
  closePages(): Promise<void>
  /** Serves the same at another address, by a port of its own on loopback. */
  serveAs(base: string): Promise<OtherAddress>
}

interface OpenOptions {
  readonly width?: number
  /** The address under which the browser knows it, if it is another one. */
  readonly base?: string
  readonly context?: BrowserContextOptions
}

/** The dashboard at another address than its own. */
interface OtherAddress {
  readonly port: number
  /** Streams that are open there. */
  streams(): number
}

const COLLECT = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy', event.violatedDirective, event.blockedURI, event.sample))`

/** What its API has. Without a differ it compares no texts, and without a store of objects it has no pictures. */
type DashboardOptions = Partial<Omit<ServicesOptions, 'baseUrl' | 'dashboardUrl'>>

export type StartOptions = DashboardOptions & { readonly port?: number }

/** Where its browser runs. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64'

/** `port`: the one that is served, where something has to know it beforehand. */
export async function startDashboard({ port: given, ...options }: StartOptions = {}): Promise<Dashboard> {
  // Forms name the address that they come from, so it has to be known before there is a server.
  const port = given ?? (await freePort())
  const base = `http://127.0.0.1:${port}`
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-dashboard-'))
  const built = join(folder, 'dist')
  await buildDashboard(SOURCE, built)
  const table = servedRoutesOf(SERVED_KINDS, dashboardRoutes(built))
  const api = await createTestApi({ ...options, baseUrl: base, dashboardUrl: base }, table)
  await api.app.listen({ host: '127.0.0.1', port })
  const browser = await startTestBrowser()
  const others = new AsyncDisposableStack()
  const contexts = new Set<BrowserContext>()
  return {
    api,
    base,
    built,
    async open(path, as, { width = 1280, base: at = base, context: how = {} } = {}) {
      const viewport = { width, height: 800 }
      const context = await browser.playwright.newContext({ viewport, locale: 'en-US', ...how })
      contexts.add(context)
      if (as) await signIn(context, at, as)
      await context.addInitScript(COLLECT)
      const page = await context.newPage()
      const watched = watch(page, at)
      await page.goto(at + path)
      return { page, watched }
    },
    async closePages() {
      await Promise.all([...contexts].map((context) => context.close()))
      contexts.clear()
    },
    async serveAs(at) {
      const { services, databaseUrl } = api
      const own = { ...services, databaseUrl, encryptionKey: ENCRYPTION_KEY, baseUrl: at, dashboardUrl: at }
      const there = createServices(own)
      others.defer(() => there.close())
      const app = buildApp(there, table)
      others.defer(() => app.close())
      const address = await app.listen({ host: '127.0.0.1', port: 0 })
      return { port: Number(new URL(address).port), streams: () => there.events.open }
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]()
      await others.disposeAsync()
      await api.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const signIn = (context: BrowserContext, base: string, { session_token: token }: Pick<CreatedOwner, 'session_token'>) =>
  context.addCookies([
    { name: sessionCookieName(base), value: encodeURIComponent(token), url: base, httpOnly: true, sameSite: 'Lax' },
  ])

function watch(page: Page, base: string): Watched {
  const [faults, strangers, asked]: string[][] = [[], [], []]
  page.on('console', (message) => void (message.type() === 'error' && faults?.push(message.text())))
  page.on('pageerror', (error) => void faults?.push(error.message))
  page.on('request', (request) => {
    asked?.push(request.url().slice(base.length))
    if (!request.url().startsWith(`${base}/`)) strangers?.push(request.url())
  })
  return { faults: faults ?? [], strangers: strangers ?? [], asked: asked ?? [] }
}
