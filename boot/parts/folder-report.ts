import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import type { ManifestFault } from '../../manifests/places.ts'
import type { AppliedFolder } from '../../monitors/declared/apply-folder.ts'
import type { judgeInput } from '../../monitors/declared/judge-input.ts'
import { PRUNE_LIMIT } from '../../schema/config/prune-limit.ts'

/** Manifests that are gone are judged after this time. */
const GONE_S = PRUNE_LIMIT.goneMs / 1_000
/** Faults that the log names one by one. */
const MAX_FAULTS = 20

type Skipped = ReturnType<typeof judgeInput>['skipped']

interface ReportContext {
  readonly registry: Registry
  readonly log: Logger
}

function createGauges(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name: `tidemark_config_${name}`, help, registers })
  return {
    manifests: gauge('manifests', 'Manifests of monitors in the folder of --config, when it was applied last.'),
    faulty: gauge('faults', 'What is wrong with the folder of --config: while it is not 0, changes may wait.'),
    appliedAt: gauge('applied_timestamp_seconds', 'When the folder of --config was applied last without a fault.'),
    left: gauge('released', 'Monitors that a file of the folder declared and that belong to the API now.'),
  }
}

/** Returns what shows, in metrics and the log, what became of a folder of manifests. Each thing is logged once. */
export function createFolderReport({ registry, log }: ReportContext, folder: string) {
  const { manifests, faulty, appliedAt, left } = createGauges(registry)
  let logged = ''
  let skippedBefore = ''
  let waited = ''
  function logFaults(faults: readonly ManifestFault[], what: string): void {
    faulty.set(faults.length)
    // The same faults are found at each look.
    const text = JSON.stringify(faults)
    if (text === logged) return
    logged = text
    for (const { file, line, message } of faults.slice(0, MAX_FAULTS))
      log.error({ folder, file, line }, `${file}:${line}: ${message}`)
    if (faults.length > 0) log.error({ folder, faults: faults.length }, what)
  }
  function logWaiting(waiting: readonly string[], hasFaults: boolean): void {
    const text = JSON.stringify([waiting, hasFaults])
    if (text !== waited && waiting.length > 0)
      log.info(
        { folder, resources: waiting.slice(0, MAX_FAULTS), monitors: waiting.length },
        hasFaults
          ? 'their manifests are gone: nothing is deleted while a manifest of the folder is refused'
          : `their manifests are gone: --prune judges them unless they are back in ${GONE_S} seconds`,
      )
    waited = text
  }
  return {
    /** What was logged before is logged again where it still holds. */
    forget(): void {
      logged = skippedBefore = waited = ''
    },
    skipped(documents: Skipped): void {
      const names = documents.map(({ kind, name }) => (name === null ? kind : `${kind} ${name}`)).join(', ')
      if (names !== skippedBefore && names !== '') log.info({ folder, documents: names }, 'left out, being no monitors')
      skippedBefore = names
    },
    left: (count: number) => left.set(count),
    refused: (faults: readonly ManifestFault[]) =>
      logFaults(faults, 'the folder of manifests was not applied: nothing of it was changed'),
    applied(count: number, done: AppliedFolder): void {
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
