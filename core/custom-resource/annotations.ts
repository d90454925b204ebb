import { createHash } from 'node:crypto'
import type { Labels } from '../../schema/monitor/labels.ts'
import { RESOURCE_GROUP } from '../../schema/resource-kind.ts'

/** Names the monitor of the API that a resource or a manifest takes over. */
export const ADOPT = `${RESOURCE_GROUP}/adopt`
/** Each new value of it causes one run. */
export const RUN_REQUESTED = `${RESOURCE_GROUP}/run-requested-at`
/** The label of a namespace with the id of the team that its resources belong to. */
export const TEAM = `${RESOURCE_GROUP}/team`
/** The label with the value `true` by which a Secret agrees that resources of its namespace read it. */
export const READ_BY_MONITORS = `${RESOURCE_GROUP}/monitors`
/** On a resource that mirrors a record of the API: the id of the record. */
export const MIRROR_OF = `${RESOURCE_GROUP}/mirror-of`
/** On such a resource: a hash of what was written. */
export const MIRRORED = `${RESOURCE_GROUP}/mirrored`
/** Labels of a resource with this prefix are the labels of its monitor. */
export const LABEL_PREFIX = `label.${RESOURCE_GROUP}/`

type Texts = Readonly<Record<string, string>>

/** Returns the labels of the monitor that a resource with these labels declares. */
export const labelsOf = (labels: Texts = {}): Labels =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) =>
      key.startsWith(LABEL_PREFIX) ? [[key.slice(LABEL_PREFIX.length), value]] : [],
    ),
  )

/** Returns the labels of a resource that declares a monitor with these labels. */
export const resourceLabels = (labels: Labels): Texts =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [LABEL_PREFIX + key, value]))

/** Longest token of a request that the status repeats as it is. */
const MAX_REQUEST = 200

/**
 * Returns the token with which a resource asks for a run, or null. Of one that is long, or that the store cannot keep,
 * a part and a hash are used, so that the status can repeat it.
 */
export function runRequestOf(annotations: Texts = {}): string | null {
  const token = annotations[RUN_REQUESTED] ?? null
  if (token === null || (token.length <= MAX_REQUEST && !token.includes('\0') && token.isWellFormed())) return token
  const part = token
    .replaceAll('\0', '')
    .slice(0, 100)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()
  return `${part}…${createHash('sha256').update(token).digest('hex')}`
}
