import type { ChangedSince } from '../../monitors/changed-since.ts'
import { type LaterKeys, laterKeysText } from '../../monitors/later-keys.ts'
import {
  type KeyTaken,
  type Locked,
  type Managed,
  type OutOfRuns,
  type OverCap,
  type OverStorage,
  overStorageText,
} from '../../monitors/outcome.ts'
import type { NoTexts } from '../../monitors/run-difference.ts'
import { maskedSpec } from '../../schema/monitor/mask.ts'
import { apiError, type ApiError } from './api-error.ts'

export const NO_TEXTS = {
  not_done: 'The run has not ended, so there is nothing to compare yet.',
  no_difference: 'The run found no difference: it failed, it was the first one, or its values equal those before.',
  no_text: 'The readable text of the page was not kept at this run or at the one before it, so only its hash differs.',
  not_text: 'The fields that changed are not texts before and after; the diff of the run has their values.',
  gone: 'The texts of this run are older than the retention window and are not kept any more.',
  itself: 'The run is named twice, and a run does not differ from itself: name another one of its monitor.',
  no_other: 'There is no such run to compare with: it has to be a run of the same monitor that is still kept.',
  failed: 'One of the two runs failed or was skipped, so it has no values to compare.',
  seen: 'You have seen this run already: compare it with the run before it, or with another one.',
  nothing_seen: 'You have seen no run of this monitor that is still kept: compare with the run before, or another one.',
} as const satisfies Record<NoTexts['why'], string>

export function managed({ by: manager, name, resource, resourceKind, file, act }: Managed) {
  const what = manager === 'file' ? 'manifest' : 'Kubernetes resource'
  const named = resource === null ? `a ${what}` : `the ${what} ${resourceKind} ${resource}`
  const by =
    manager === 'file'
      ? `${named} in ${file === undefined ? '' : `the file ${file} of `}the folder of tidemark serve --config`
      : named
  const message =
    act === 'resume'
      ? `The monitor "${name}" is suspended by ${by}: set suspend to false there.`
      : `The monitor "${name}" is managed by ${by}: change or delete it there.`
  return apiError('CONFLICT', message)
}

/** Errors are logged, so the stored values are shown without their secrets to everybody. */
export function changedSince({ name, spec, changed, replaced }: ChangedSince): ApiError {
  const stored: Readonly<Record<string, unknown>> = { ...maskedSpec(spec) }
  const message =
    `The monitor "${name}" was changed after you read it: ${changed.join(', ')}. Nothing was done. Read it again, ` +
    'and send what you still want with its new ETag.'
  return apiError(
    'CONFLICT',
    message,
    changed.map((path) => ({
      path,
      message: 'was changed after you read it',
      stored: stored[path] ?? null,
      replaced: replaced.includes(path),
    })),
  )
}

export function keyTaken({ externalKey, id, name }: KeyTaken): ApiError {
  const message = `The external_key "${externalKey}" belongs to the monitor "${name}" (${id}): change that one instead.`
  return apiError('CONFLICT', message, [{ path: 'external_key', id, name }])
}

export const laterKeys = (refusal: LaterKeys): ApiError =>
  apiError(
    'CONFLICT',
    laterKeysText(refusal, 'API'),
    refusal.paths.map((path) => ({ path, message: 'was written by a later version' })),
  )

export const usedUp = ({ needs }: OutOfRuns): string =>
  needs === 1
    ? "The month's runs and the run credits are used up."
    : `This needs ${needs} runs, one for each page, and fewer are left of the month's runs and the run credits.`

const LOCKED_ACTS = { pause: 'paused', resume: 'resumed', run: 'run' } as const

export function locked({ act }: Locked): ApiError {
  if (act === 'preview')
    return apiError('FORBIDDEN', 'The trial has ended, so nothing can be previewed. The owner can choose a plan.')
  if (act === 'look')
    return apiError('FORBIDDEN', 'The trial has ended, so no page can be looked at. The owner can choose a plan.')
  return apiError(
    'FORBIDDEN',
    `A monitor that is locked by billing cannot be ${LOCKED_ACTS[act]}. The owner can choose a plan, which unlocks it.`,
  )
}

export function overCap({ tier, cap, wanted }: OverCap): ApiError {
  const allowed = `${cap} ${cap === 1 ? 'delivery' : 'deliveries'}`
  const message = `The plan ${tier} allows ${allowed} a monitor; this one would have ${wanted}.`
  return apiError('TIER_LIMIT_EXCEEDED', message, [{ path: 'deliveries', limit: cap, tier }])
}

export function overStorage(refusal: OverStorage): ApiError {
  const { tier, used, limit } = refusal
  return apiError('TIER_LIMIT_EXCEEDED', overStorageText(refusal), [{ used, limit, tier }])
}

/** Why a delivery cannot be sent before its hour, or dropped. */
