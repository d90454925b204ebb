import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { sessionCookieName } from '../api/auth/sign-in-options.ts'
import { startServer } from '../bench/support/database.ts'
import { ENCRYPTION_KEY } from '../bench/support/worker-process.ts'
import { createOwner } from '../store/accounts/accounts.ts'
import { ensureSessionKey } from '../store/accounts/credentials/session-key.ts'
import { openStore } from '../store/db/client.ts'
import { createSecretBox } from '../store/secrets/secret-box.ts'
import { screensOf } from '../test/dashboard/screens.ts'
import { seedStatusPages } from '../test/dashboard/seeded-status.ts'
import { startTestBrowser } from '../test/support/browser/test-browser.ts'
import { buildDashboard } from './build/build-dashboard.ts'
import { addDemoPeople, asker } from './screenshots/demo-people.ts'
import { addDemoSearches } from './screenshots/demo-searches.ts'
import { startDemoSite } from './screenshots/demo-site.ts'
import { makeDemoTeam } from './screenshots/demo-team.ts'

// `npm run screenshots [DIR]` serves the product, lets it watch a few pages that change over some weeks, and writes
// pictures of every screen in both themes and two widths: DIR/NAME-light-1280.png. Default: ./screenshots. With
// `--docs` those that the documentation shows are written to docs/images, too.

const THEMES = ['light', 'dark'] as const
const WIDTHS = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
] as const
type Look = (typeof WIDTHS)[number] & { readonly theme: (typeof THEMES)[number] }

/** The pictures of the documentation. */
const SHOWN = ['list', 'changes', 'monitor', 'run-of-text', 'new-looked', 'deliveries', 'team', 'searches-keyword']

const { values: options, positionals } = parseArgs({ options: { docs: { type: 'boolean' } }, allowPositionals: true })
const [folder = 'screenshots'] = positionals
await mkdir(folder, { recursive: true })
await using left = new AsyncDisposableStack()
const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-screenshots-'))
left.defer(() => rm(dataDir, { recursive: true, force: true }))

console.log('building the dashboard')
const source = join(import.meta.dirname, '../dashboard')
await buildDashboard(source, join(source, 'dist'))

console.log('starting the server')
const server = await startServer()
left.defer(() => server.stop())
const database = await server.create('screenshots')
left.defer(() => database.close())
const owner = await makeOwner()
const base = await serve()
const site = await startDemoSite()
left.defer(() => site.close())

console.log('checking pages that change')
const team = await makeDemoTeam({ base, key: owner.api_key, database, site })
await addDemoPeople(base, owner, database)
await seedStatusPages(asker(base, owner))
const store = await openStore({ url: database.url, name: 'screenshots', connections: 1 })
left.defer(() => store.end())
const search = await addDemoSearches(base, owner.api_key, { store, secrets: createSecretBox(ENCRYPTION_KEY) })
const shown = { ...team, look: `${site.base}/shop`, search }

const browser = left.use(await startTestBrowser())
const looks = THEMES.flatMap((theme) => WIDTHS.map((size) => ({ theme, ...size })))
for (const screen of screensOf(shown)) for (const look of looks) console.log(await pictureOf(screen, look))
if (options.docs === true)
  for (const name of SHOWN)
    await sharp(join(folder, `${name}-light-1280.png`))
      .png({ palette: true, compressionLevel: 9 })
      .toFile(join(import.meta.dirname, `../docs/images/dashboard-${name}.png`))

async function pictureOf(screen: ReturnType<typeof screensOf>[number], { theme, width, height }: Look) {
  const context = await browser.playwright.newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: 'en-US',
  })
  const session = { name: sessionCookieName(base), value: encodeURIComponent(owner.session_token), url: base }
  if (screen.isPublic !== true) await context.addCookies([session])
  const page = await context.newPage()
  await page.goto(base + screen.path)
  await screen.arrive(page)
  // The stream of events never ends, so the network is never idle. Plots and counts come after the first rows.
  await pause(600)
  const path = join(folder, `${screen.name}-${theme}-${width}.png`)
  await page.screenshot({ path, animations: 'disabled' })
  await context.close()
  return path
}

async function makeOwner() {
  const store = await openStore({ url: database.url, name: 'screenshots', connections: 1 })
  try {
    const sessionKey = await ensureSessionKey(store, createSecretBox(ENCRYPTION_KEY), ENCRYPTION_KEY)
    const made = await createOwner(store, { email: 'ada@example.com', plan: 'unlimited', serp: true, sessionKey })
    if (!made.ok) throw new Error(made.reason)
    return made.owner
  } finally {
    await store.end()
  }
}

async function serve(): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../cli/tidemark.ts'), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      TIDEMARK_ENCRYPTION_KEY: ENCRYPTION_KEY,
      TIDEMARK_DATA_DIR: dataDir,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      PORT: '0',
    },
  })
  left.defer(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  let said = ''
  for await (const text of child.stdout) {
    said += String(text)
    const [, found] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(said) ?? []
    if (found === undefined) continue
    child.stdout.resume()
    return found
  }
  throw new Error('the server ended instead of starting')
}
