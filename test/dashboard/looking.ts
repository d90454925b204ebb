import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChannels } from '../../deliveries/channels/channels.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import { createPolicy } from '../../egress/policy.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { createPatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { createFolderStore } from '../../store/objects/folder-store.ts'
import { createPreviews } from '../../worker/previews/previews.ts'
import { testBrowsers } from '../support/browser/test-browsers.ts'
import { openSite, type Site } from '../support/network/site.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import { type Dashboard, startDashboard } from './open-dashboard.ts'

/** A dashboard that makes looks, with a worker that checks, and a site to look at. */
export interface LookingDashboard extends AsyncDisposable {
  readonly dashboard: Dashboard
  readonly owner: CreatedOwner
  readonly site: Site
  /** Of the looks and of the worker. */
  readonly browsers: Browsers
}

const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })

/** Starts what a dashboard makes looks with, and tries conditions and destinations. `started` ends it. */
export async function lookingParts(started: AsyncDisposableStack) {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-looking-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const objects = createFolderStore(folder)
  started.defer(() => objects.close())
  const browsers = testBrowsers()
  started.defer(() => browsers.close())
  const previews = createPreviews({ egress, browser: browsers })
  started.defer(() => previews.close())
  const patterns = createPatternMatcher({ timeoutMs: 200 })
  started.defer(() => patterns.close())
  const agent = createGuardedAgent(egress)
  started.defer(() => agent.destroy())
  const channels = createChannels({ agent, mailer: null, dashboardUrl: 'https://tide.example' })
  return { browsers, options: { egress, objects, previews, patterns, channels } }
}

export async function startLooking(): Promise<LookingDashboard> {
  await using started = new AsyncDisposableStack()
  const { browsers, options } = await lookingParts(started)
  const { objects } = options
  const dashboard = started.use(await startDashboard(options))
  const { databaseUrl: url, services } = dashboard.api
  const worker = await startWorker({ url, secrets: services.secrets, browsers, objects, rendersPages: true })
  started.defer(() => worker.stop(5_000))
  const site = started.use(await openSite())
  const owner = await dashboard.api.owner({ plan: 'unlimited' })
  const parts = started.move()
  return { dashboard, owner, site, browsers, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}
