import { ADOPT, LABEL_PREFIX, MIRROR_OF, MIRRORED, RUN_REQUESTED } from '../core/custom-resource/annotations.ts'
import { RESOURCE_GROUP } from '../schema/resource-kind.ts'
import { closestKey, didYouMean } from '../schema/validation/issue.ts'
import { type Fault, textsOf } from './found.ts'

const ANNOTATIONS: readonly string[] = [ADOPT, RUN_REQUESTED, MIRRORED]
const OURS = new RegExp(`^(?:[^/]+\\.)?${RESOURCE_GROUP.replaceAll('.', '\\.')}/`)

/**
 * Adds a fault for each annotation and label of a monitor that has our prefix and that nothing reads: with a misspelt
 * `adopt`, a second monitor would be made in silence. Other prefixes belong to others.
 */
export function noteOwnKeys(metadata: Readonly<Record<string, unknown>>, fault: Fault): void {
  for (const key of ownKeys(metadata['annotations'])) {
    if (ANNOTATIONS.includes(key)) continue
    const meant = closestKey(nameOf(key), ANNOTATIONS.map(nameOf))
    const hint = didYouMean(meant === null ? null : `${RESOURCE_GROUP}/${meant}`)
    fault(['metadata', 'annotations', key], `is not a known annotation${hint}`)
  }
  for (const key of ownKeys(metadata['labels']))
    if (key !== MIRROR_OF && !key.startsWith(LABEL_PREFIX))
      fault(['metadata', 'labels', key], `is not a known label: those of the monitor have the prefix ${LABEL_PREFIX}`)
}

const ownKeys = (texts: unknown): readonly string[] => Object.keys(textsOf(texts)).filter((key) => OURS.test(key))
const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1)
