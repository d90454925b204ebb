import { createHash } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { resolve } from 'node:path'
import { Gauge, type Registry } from 'prom-client'
import { createWakeableLoop } from '../../../concurrency/loops/wakeable-loop.ts'
import { derivedKey } from '../../../core/derived-key.ts'
import type { Logger } from '../../../core/logger.ts'
import type { EgressPolicy } from '../../../egress/policy.ts'
import { inOrder } from '../../../manifests/in-order.ts'
import { fileFault, type ManifestFault } from '../../../manifests/places.ts'
import { readQuietFolder } from '../../../manifests/read-folder.ts'
import { readManifests } from '../../../manifests/read-manifests.ts'
import { secretSource } from '../../../manifests/secret-values.ts'
import { applyManifests } from '../../../monitors/declared/apply-manifests.ts'
import { judgeManifests } from '../../../monitors/declared/judge-manifests.ts'
import { createPruning, type Missing } from '../../../monitors/declared/missing-manifests.ts'
import { PRUNE_LIMIT } from '../../../schema/config/prune-limit.ts'
import { findTeam, firstTeam } from '../../../store/accounts/team/teams.ts'
import type { Store } from '../../../store/db/client.ts'
import { beginEpoch, fencedStore, NotLeaderError } from '../../../store/db/operator-epoch.ts'
import { storeOutage } from '../../../store/db/store-fault.ts'
import { FILES } from '../../../store/monitors/monitor-resource.ts'
import { noteNotPruned } from '../../../store/monitors/prune-notice.ts'
import { countReleased } from '../../../store/monitors/released-records.ts'
import type { SecretBox } from '../../../store/secrets/secret-box.ts'
import type { Stack } from '../process/stack.ts'
import type { Settings } from '../settings/read-config.ts'

interface FolderContext {
  readonly store: Store
  readonly secrets: SecretBox
  readonly encryptionKey: string
  readonly egress: EgressPolicy
  readonly settings: Pick<Settings, 'TIDEMARK_SERP_SPACING_MS'>
  readonly registry: Registry
  readonly log: Logger
  readonly stack: Stack
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
/** Manifests that are gone are judged after this time. */
const GONE_S = PRUNE_LIMIT.goneMs / 1_000
/** Faults that the log names one by one. */
const MOST_FAULTS = 20

/** Applies a folder of manifests, now and whenever it changes. Resolves after the first time. */
export async function followConfigFolder(
  context: FolderContext,
  { config = '', configTeam: team, prune = false }: ConfigFlags,
): Promise<void> {
  const { log, stack } = context
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
  const loop = createWakeableLoop({
    async work() {
      await pass()
      first?.()
      return SCAN_MS
    },
    onFault(err) {
      first?.()
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

/** Returns what reads the folder and applies it where something differs. */
function createPass(context: FolderContext, { folder, team: teamId, prune }: Followed): () => Promise<void> {
  const { store, log, environment } = context
  const report = createReport(context, folder)
  const hashKey = derivedKey(context.encryptionKey, 'applied resources')
  const fateOf = createPruning(prune, () => performance.now())
  let epoch: number | undefined
  let before: { readonly digest: string; readonly until: number } | undefined
  return async () => {
    epoch ??= await beginEpoch(store, FILES)
    const { texts, faults: unread } = await readQuietFolder(folder, QUIET_MS)
    report.left(await countReleased(store, FILES))
    const digest = createHash('sha256')
      .update(JSON.stringify([texts, unread]))
      .digest('hex')
    if (before?.digest === digest && performance.now() < before.until) return
    before = undefined
    const { manifests, flawed, secrets: documents, skipped, empty, faults: misread } = readManifests(texts)
    const secrets = secretSource(documents, environment)
    const judging = { secrets, egress: context.egress }
    report.skipped(skipped)
    // An empty file is more often one whose writing was cut off than a wish to release its monitors.
    const faults = [...unread, ...misread, ...empty]
    const team = teamId === undefined ? await firstTeam(store) : await findTeam(store, teamId)
    if (!team) faults.push(fileFault(folder, `there is no team ${teamId ?? 'to apply it to'}`))
    else if (faults.length === 0 && manifests.length === 0)
      faults.push(fileFault(folder, 'has no manifest of a monitor: what it declared before stays'))
    let waitMs = COMPARE_MS
    // Nothing is applied then, and a person learns what else is wrong.
    if (faults.length > 0 || !team)
      report.refused(inOrder([...faults, ...judgeManifests([...manifests, ...flawed], judging).faults], texts))
    else {
      const inside = { ...context, store: fencedStore(store, FILES, epoch) }
      const done = await applyManifests(inside, {
        team,
        manifests,
        secrets,
        hashKey,
        serpSpacingMs: context.settings.TIDEMARK_SERP_SPACING_MS,
        fateOf,
        onTooMany: ({ resources, declared }: Missing) =>
          noteNotPruned(store, { teamId: team.id, names: resources.map(nameOf), declared }),
      })
      if (done.isValid) report.applied(manifests.length, done)
      else report.refused(done.faults)
      waitMs = waitAfter(done)
    }
    if (team) before = { digest, until: performance.now() + waitMs }
    log.debug({ folder, files: texts.length }, 'looked at the folder of manifests')
  }
}

/** Returns namespace and name of a resource, which commands take: `shop/kettle` of `Monitor shop/kettle`. */
const nameOf = (resource: string): string => resource.slice(resource.indexOf(' ') + 1)

/** Returns how long the same files are not applied again. */
function waitAfter({ isValid, faults, released, waiting }: Awaited<ReturnType<typeof applyManifests>>): number {
  if (waiting.length > 0) return 0
  if (!isValid || faults.length === 0) return COMPARE_MS
  // What was released just now may be what a manifest was refused for.
  return released.length > 0 ? 0 : RETRY_MS
}

type Skipped = ReturnType<typeof readManifests>['skipped']
type Applied = Omit<Awaited<ReturnType<typeof applyManifests>>, 'isValid'>

function createReport({ registry, log }: FolderContext, folder: string) {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name: `tidemark_config_${name}`, help, registers })
  const manifests = gauge('manifests', 'Manifests of monitors in the folder of --config, when it was applied last.')
  const faulty = gauge('faults', 'What is wrong with the folder of --config: while it is not 0, changes may wait.')
  const appliedAt = gauge('applied_timestamp_seconds', 'When the folder of --config was applied last without a fault.')
  const left = gauge('released', 'Monitors that a file of the folder declared and that belong to the API now.')
  let logged = ''
  let skippedBefore = ''
  let waited = ''
  function logFaults(faults: readonly ManifestFault[], what: string): void {
    faulty.set(faults.length)
    // The same faults are found at each look.
    const text = JSON.stringify(faults)
    if (text === logged) return
    logged = text
    for (const { file, line, message } of faults.slice(0, MOST_FAULTS))
      log.error({ folder, file, line }, `${file}:${line}: ${message}`)
    if (faults.length > 0) log.error({ folder, faults: faults.length }, what)
  }
  function logWaiting(waiting: readonly string[], hasFaults: boolean): void {
    const text = JSON.stringify([waiting, hasFaults])
    if (text !== waited && waiting.length > 0)
      log.info(
        { folder, resources: waiting.slice(0, MOST_FAULTS), monitors: waiting.length },
        hasFaults
          ? 'their manifests are gone: nothing is deleted while a manifest of the folder is refused'
          : `their manifests are gone: --prune judges them unless they are back in ${GONE_S} seconds`,
      )
    waited = text
  }
  return {
    skipped(documents: Skipped): void {
      const names = documents.map(({ kind, name }) => (name === null ? kind : `${kind} ${name}`)).join(', ')
      if (names !== skippedBefore && names !== '') log.info({ folder, documents: names }, 'left out, being no monitors')
      skippedBefore = names
    },
    left: (count: number) => left.set(count),
    refused: (faults: readonly ManifestFault[]) =>
      logFaults(faults, 'the folder of manifests was not applied: nothing of it was changed'),
    applied(count: number, done: Applied): void {
      const { faults, warnings, released, deleted, waiting, created, adopted, updated, unchanged } = done
      for (const warning of warnings) log.warn({ folder }, warning)
      for (const resource of released)
        log.warn({ folder, resource }, 'its manifest is gone: the monitor goes on, and belongs to the API now')
      for (const resource of deleted) log.warn({ folder, resource }, 'its manifest is gone: the monitor was deleted')
      if (done.isTooMany)
        log.error(
          { folder, monitors: released.length },
          'too many manifests are gone at once: none of their monitors was deleted; ' +
            '"tidemark delete --yes" deletes them, and their files take them over again',
        )
      logWaiting(waiting, faults.length > 0)
      logFaults(faults, 'some manifests of the folder were refused; the others are applied')
      manifests.set(count)
      if (faults.length === 0) appliedAt.set(Date.now() / 1000)
      const isNew = created + adopted + updated + released.length + deleted.length > 0
      const counts = { created, adopted, updated, unchanged, released: released.length, deleted: deleted.length }
      log[isNew ? 'info' : 'debug']({ folder, ...counts }, 'the folder of manifests is applied')
    },
  }
}
