import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import { createPolicy } from '../../egress/policy.ts'
import { checkByKind } from '../../runners/check/kinds/check-kind.ts'
import { CHECK_KINDS } from '../../runners/check/kinds/check-kinds.ts'
import { createExtractor, type Extractor } from '../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../runners/fetch/paging/page-reader.ts'
import { stopChecks } from '../support/database/check-states.ts'
import { openQueueDatabase, type SeenRun } from '../support/database/queue-database.ts'
import { rawServer } from '../support/network/raw-server.ts'
import { openSite } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import type { BlowUp } from './blow-ups.ts'

/** What one check may take. */
interface CheckLimits {
  readonly firstByteMs: number
  readonly deadlineMs: number
  /** Milliseconds in the thread that extracts; default: those of the product. */
  readonly extractMs?: number
}

/** A worker that checks hostile sites. */
export interface BlowUpWorker extends AsyncDisposable {
  /** Lines of the worker's log, at warn and above. */
  readonly log: readonly string[]
  /** Checks the site of a row once, and then a good page: whoever comes next. */
  check(row: BlowUp): Promise<{ readonly run: SeenRun; readonly next: SeenRun }>
}

/** Opens it. `limitsOf` says what the check of a row may take, and with null what that of the good page may. */
export async function openBlowUpWorker(limitsOf: (row: BlowUp | null) => CheckLimits): Promise<BlowUpWorker> {
  await using opening = new AsyncDisposableStack()
  const database = opening.use(await openQueueDatabase())
  const team = await database.team()
  const good = opening.use(await openSite())
  const pages = createPageReader()
  opening.defer(() => pages.close())
  const extractor = createExtractor({ threads: 1 })
  opening.defer(() => extractor.close())
  const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  let limits = limitsOf(null)
  const worker = opening.use(
    await startWorker({
      url: database.url,
      secrets: database.secrets,
      async around(task) {
        const { firstByteMs, deadlineMs, extractMs } = limits
        const agent = createGuardedAgent(policy, { firstByteMs })
        const within = extractMs === undefined ? extractor : patient(extractor, extractMs)
        try {
          const signal = new AbortController().signal
          return await checkByKind(CHECK_KINDS, task, { agent, extractor: within, pages, signal, deadlineMs })
        } finally {
          await agent.destroy()
        }
      },
    }),
  )

  async function runOf(url: string, extract: object): Promise<SeenRun> {
    const [no = 0] = await database.monitors(team, { url, extract })
    worker.loop.wake()
    const [run] = await eventually(
      () => database.runs(no),
      (runs) => runs.length > 0,
    )
    if (!run) throw new Error('there is no run')
    await stopChecks(database, 'all')
    return run
  }

  const opened = opening.move()
  return {
    log: worker.log,
    async check(row) {
      await using server = await rawServer(row.serve)
      const url = `http://127.0.0.1:${server.port}/`
      await askedOnce(url, () => server.requests.length > 0)
      limits = limitsOf(row)
      const run = await runOf(url, row.extract)
      limits = limitsOf(null)
      return { run, next: await runOf(good.url, { method: 'css', fields: { price: '.price' } }) }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Bombs are made when they are first asked for, and that is not the check's time. */
async function askedOnce(url: string, isAsked: () => boolean): Promise<void> {
  const enough = new AbortController()
  const first = fetch(url, { signal: enough.signal }).catch(() => null)
  await eventually(isAsked, Boolean)
  enough.abort()
  await first
}

const patient = (extractor: Extractor, timeoutMs: number): Extractor => ({
  extract: (page, config, call) => extractor.extract(page, config, { ...call, timeoutMs }),
  read: (reader, page, call) => extractor.read(reader, page, { ...call, timeoutMs }),
  open: (page, form, call) => extractor.open(page, form, { ...call, timeoutMs }),
  close: () => extractor.close(),
})
