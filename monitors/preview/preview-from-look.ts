import { isDeepStrictEqual } from 'node:util'
import type { DiskFull } from '../../core/disk-guard.ts'
import type { Invalid } from '../../core/outcome.ts'
import { waitForOf } from '../../schema/monitor/extract-config.ts'
import type { LookRequest } from '../../schema/monitor/look.ts'
import type { PreviewSpec } from '../../schema/monitor/monitor.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import type { Store } from '../../store/db/client.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { NoLook } from '../looks/find-look.ts'
import type { OpenedLook, OpenedLooks } from '../looks/opened-looks.ts'
import { overDeliveryCap, type OverCap } from '../outcome.ts'
import type { PreviewLimit, Stopping } from './preview-monitor.ts'

/** The slots for previews, as far as previews from a look need them. */
interface ReadingSlots {
  enter(teamId: string): ReadingSlot | PreviewLimit | DiskFull
}

interface ReadingSlot {
  readonly kind: 'place'
  /** Makes the preview from what a look kept. */
  read(look: OpenedLook, spec: PreviewSpec): Promise<Done | Stopping>
  leave(): void
}

interface Done {
  readonly kind: 'done'
  readonly preview: Preview
}

interface Wanted {
  readonly teamId: string
  readonly spec: PreviewSpec
  readonly lookId: string
}

interface PreviewPorts {
  readonly store: Store
  readonly secrets: SecretBox
  readonly openedLooks: OpenedLooks
  readonly previews: ReadingSlots
}

type Outcome = Done | NoLook | Invalid | OverCap | PreviewLimit | DiskFull | Stopping

/**
 * Tries a checked configuration on the documents of a look. Nothing is fetched, so no run is used. What the documents
 * cannot answer is refused.
 */
export async function previewFromLook(ports: PreviewPorts, { teamId, spec, lookId: id }: Wanted): Promise<Outcome> {
  const over = await overDeliveryCap(ports.store, teamId, spec)
  if (over) return over
  const look = await ports.openedLooks.find(ports, { teamId, id })
  if (look === null || look.asked === null) return { kind: 'no_look' }
  const issues = issuesOf(look.asked, spec)
  if (issues.length > 0) return { kind: 'invalid', issues }
  const slot = ports.previews.enter(teamId)
  if (slot.kind !== 'place') return slot
  try {
    return await slot.read(look, spec)
  } finally {
    slot.leave()
  }
}

/** Returns why the documents of a look do not show what a run of this configuration would read. */
function issuesOf(asked: LookRequest, spec: PreviewSpec): Issue[] {
  const { url, request_headers: headers = null, request_config: request = null, wait_for: waitFor = null } = asked
  return [
    spec.url === url ? null : { path: 'url', message: `must be the address of the look, which is ${url}` },
    isDeepStrictEqual(spec.request_headers, headers) ? null : { path: 'request_headers', message: OTHERWISE },
    isDeepStrictEqual(spec.request_config, request) ? null : { path: 'request_config', message: OTHERWISE },
    waitForOf(spec.extract_config) === waitFor ? null : { path: 'extract_config.wait_for', message: OTHERWISE },
    spec.extract_config.method === 'prompt' ? { path: 'extract_config.method', message: NO_PROMPT } : null,
    spec.visual_config?.enabled ? { path: 'visual_config.enabled', message: NO_PICTURES } : null,
  ].filter((issue) => issue !== null)
}

const OTHERWISE = 'must be that of the look, whose page was fetched with it: look again, or leave from_look out'
const NO_PROMPT = 'must not be prompt: a preview from a look asks no model. Leave from_look out'
const NO_PICTURES = 'must not be true: a preview from a look takes no pictures. Leave from_look out'
