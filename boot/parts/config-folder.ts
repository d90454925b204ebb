import { createHash } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { resolve } from 'node:path'
import type { Registry } from 'prom-client'
import { createWakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import { derivedKey } from '../../core/derived-key.ts'
import type { Logger } from '../../core/logger.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { SecretManifest } from '../../manifests/manifest.ts'
import { fileFault } from '../../manifests/places.ts'
import { readQuietFolder } from '../../manifests/read-folder.ts'
import { secretSource } from '../../manifests/secret-values.ts'
import { type AppliedFolder, applyFolder } from '../../monitors/declared/apply-folder.ts'
import { judgeInput } from '../../monitors/declared/judge-input.ts'
import { createPruning } from '../../monitors/declared/missing-manifests.ts'
import { findTeam, firstTeam } from '../../store/accounts/team/teams.ts'
import type { Store } from '../../store/db/client.ts'
import { beginEpoch, fencedStore, NotLeaderError } from '../../store/db/operator-epoch.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { FILES } from '../../store/monitors/monitor-resource.ts'
import { noteNotPruned } from '../../store/monitors/prune-notice.ts'
import { countReleased } from '../../store/monitors/released-records.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Reloads } from '../process/reloads.ts'
import type { Stack } from '../process/stack.ts'
import type { Settings } from '../settings/read-config.ts'
import { createFolderReport } from './folder-report.ts'

interface FolderContext {
  readonly store: Store
  readonly secrets: SecretBox
  readonly encryptionKey: string
  readonly egress: EgressPolicy
  readonly settings: Pick<Settings, 'TIDEMARK_SERP_SPACING_MS'>
  readonly registry: Registry
  readonly log: Logger
  readonly stack: Stack
  readonly reloads: Reloads
  readonly environment: Readonly<Record<string, string | undefined>>
  wake(): void
}

/** The options of `tidemark serve`. */
export interface ConfigFlags {
  /** A folder of manifests. */
  readonly config?: string
  /** The id of the team that they belong to. Default: the first one of the installation. */
  readonly configTeam?: string
  /** Monitors whose files are gone are deleted, within `PRUNE_LIMIT`. */
  readonly prune?: boolean
}

/** What is applied, and how. */
interface Followed {
  readonly folder: string
  readonly team: string | undefined
  readonly prune: boolean
}

/** A file is read when nothing was written into the folder for this time: editors write in several steps. */
const QUIET_MS = 500
/** Not every file system reports changes. */
const SCAN_MS = 15_000
/** The same files are compared with the store again after this time. */
const COMPARE_MS = 600_000
/** The same, where some of them were refused: the cause may be gone by then. */
const RETRY_MS = 60_000

/** Applies a folder of manifests, now, whenever it changes, and at a reload. Resolves after the first time. */
export async function followConfigFolder(
  context: FolderContext,
  { config = '', configTeam: team, prune = false }: ConfigFlags,
): Promise<void> {
  const { log, stack, reloads } = context
  const folder = resolve(config)
  log.info(
    { folder, prune },
    prune
      ? '--prune is on: monitors whose files are gone from the folder of manifests are deleted'
      : '--prune is off: monitors whose files are gone from the folder of manifests go on, and belong to the API',
  )
  const pass = createPass(context, { folder, team, prune })
  let first: (() => void) | undefined
  const applied = new Promise<void>((done) => (first = done))
  let asked: PromiseWithResolvers<boolean> | undefined
  const answer = (isApplied: boolean) => {
    asked?.resolve(isApplied)
    asked = undefined
  }
  const loop = createWakeableLoop({
    async work() {
      const isAsked = asked !== undefined
      const isApplied = await pass(isAsked)
      // Who asked during the pass has another one.
      if (isAsked) answer(isApplied)
      first?.()
      return SCAN_MS
    },
    onFault(err) {
      first?.()
      answer(false)
      if (err instanceof NotLeaderError) {
        log.error({ folder }, 'another process applies a folder of manifests to this database: this one has stopped')
        void loop.stop()
      } else if (!storeOutage(log).covers(err, 'the folder of manifests'))
        log.error({ err, folder }, 'the folder of manifests could not be applied; trying again')
    },
    faultPauses: { firstMs: 1_000, longestMs: SCAN_MS },
  })
  const watcher = watchFolder(folder, () => loop.wake(), log)
  stack.defer('the folder of manifests', async () => {
    watcher?.close()
    await loop.stop()
  })
  reloads.add({
    name: 'the folder of manifests',
    async again() {
      if (loop.isStopped) return false
      asked ??= Promise.withResolvers()
      loop.wake()
      return asked.promise
    },
  })
  loop.start()
  await applied
}

function watchFolder(folder: string, onQuiet: () => void, log: Logger): { close(): void } | null {
  let timer: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined
  const isMissed = (err: unknown) =>
    log.warn({ err, folder }, `no changes of the folder are reported; it is looked at every ${SCAN_MS / 1000} seconds`)
  try {
    watcher = watch(folder, { recursive: true }, () => {
      clearTimeout(timer)
      timer = setTimeout(onQuiet, QUIET_MS)
    })
    watcher.on('error', isMissed)
  } catch (err) {
    isMissed(err)
  }
  return {
    close() {
      clearTimeout(timer)
      watcher?.close()
    },
  }
}

/**
 * Returns what reads the folder and applies it where something differs. When it is asked, it applies it in any case and
 * logs all faults again. It returns whether there are none.
 */
function createPass(context: FolderContext, { folder, team: teamId, prune }: Followed) {
  const { store, log, environment, egress } = context
  const report = createFolderReport(context, folder)
  const hashKey = derivedKey(context.encryptionKey, 'applied resources')
  const fateOf = createPruning(prune, () => performance.now())
  const secretsOf = (documents: readonly SecretManifest[]) => secretSource(documents, environment)
  let epoch: number | undefined
  let before: { readonly digest: string; readonly until: number } | undefined
  return async (isAsked: boolean): Promise<boolean> => {
    if (isAsked) {
      before = undefined
      report.forget()
    }
    epoch ??= await beginEpoch(store, FILES)
    const { texts, faults: unread } = await readQuietFolder(folder, QUIET_MS)
    report.left(await countReleased(store, FILES))
    const digest = createHash('sha256')
      .update(JSON.stringify([texts, unread]))
      .digest('hex')
    if (before?.digest === digest && performance.now() < before.until) return true
    before = undefined
    // An empty file is more often one whose writing was cut off than a wish to release its monitors.
    const input = judgeInput({ texts, unread, secretsOf, refusesEmpty: true, egress })
    report.skipped(input.skipped)
    const team = teamId === undefined ? await firstTeam(store) : await findTeam(store, teamId)
    const faults = [...input.faults]
    if (!team) faults.unshift(fileFault(folder, `there is no team ${teamId ?? 'to apply it to'}`))
    else if (faults.length === 0 && input.valid.length === 0)
      faults.push(fileFault(folder, 'has no manifest of a monitor: what it declared before stays'))
    let waitMs = COMPARE_MS
    let isApplied = false
    if (faults.length > 0 || !team) report.refused(faults)
    else {
      const applied = await applyFolder(
        { ...context, store: fencedStore(store, FILES, epoch) },
        {
          team,
          manifests: input.valid,
          hashKey,
          serpSpacingMs: context.settings.TIDEMARK_SERP_SPACING_MS,
          fateOf,
          onTooMany: ({ resources, declared }) =>
            noteNotPruned(store, { teamId: team.id, names: resources.map(nameOf), declared }),
        },
      )
      report.applied(input.valid.length, applied)
      waitMs = waitAfter(applied)
      isApplied = applied.faults.length === 0
    }
    if (team) before = { digest, until: performance.now() + waitMs }
    log.debug({ folder, files: texts.length }, 'looked at the folder of manifests')
    return isApplied
  }
}

/** Returns namespace and name of a resource, which commands take: `shop/kettle` of `Monitor shop/kettle`. */
const nameOf = (resource: string): string => resource.slice(resource.indexOf(' ') + 1)

/** Returns how long the same files are not applied again. */
function waitAfter({ faults, released, waiting }: AppliedFolder): number {
  if (waiting.length > 0) return 0
  if (faults.length === 0) return COMPARE_MS
  // What was released just now may be what a manifest was refused for.
  return released.length > 0 ? 0 : RETRY_MS
}
