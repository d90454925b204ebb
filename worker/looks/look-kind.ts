import type { PageLook } from '../../runners/check/look-of.ts'
import type { PageTask } from '../../runners/check/task.ts'
import type { LookRequest } from '../../schema/monitor/look.ts'
import type { AskedAnswer, AskedKind, KnownOfTask } from '../queue/asked-kind.ts'
import { hostOf } from '../queue/host-of.ts'

/** What a runner is asked for: the page, as somebody wants to see it. */
type LookAsked = Pick<LookRequest, 'url' | 'request_headers' | 'wait_for' | 'viewport'>

/** What a look of a runner was, as it is kept for the process that waits: bytes are base64. */
export type KeptLook =
  | (Omit<PageLook, 'body' | 'shot'> & {
      readonly kind: 'look'
      readonly body: string
      readonly shot: (Omit<NonNullable<PageLook['shot']>, 'png'> & { readonly png: string }) | null
      readonly durationMs: number
    })
  | (Pick<Extract<AskedAnswer['reading'], { kind: 'failed' }>, 'kind' | 'fault' | 'status'> & {
      readonly durationMs: number
    })

/** Looks: pages as somebody sees them. */
export const LOOK_KIND: AskedKind<LookAsked> = {
  taskOf: lookTask,
  keptOf({ reading, durationMs }): KeptLook {
    if (reading.kind === 'failed') {
      const { kind, fault, status = null } = reading
      return { kind, fault, status, durationMs }
    }
    if (reading.kind !== 'look') throw new TypeError(`a look gave ${reading.kind}`)
    const { body, shot, ...look } = reading.look
    const sent = shot && { ...shot, png: Buffer.from(shot.png).toString('base64') }
    return { kind: 'look', ...look, body: Buffer.from(body).toString('base64'), shot: sent, durationMs }
  },
}

/** Returns the task that renders a page for a look. */
export function lookTask(asked: LookAsked, known: KnownOfTask): PageTask {
  const { url, request_headers: headers = null, wait_for, viewport } = asked
  return {
    ...known,
    kind: 'page',
    queue: 'browser',
    host: hostOf(url),
    url,
    headers,
    extract: { method: 'full_page', ...(wait_for !== undefined && { wait_for }) },
    request: null,
    visual: { enabled: true, ...(viewport && { viewport }) },
    triesStatic: false,
    asksFetched: true,
    looks: true,
    reason: 'configured',
    obstacle: null,
    last: null,
  }
}

/** Returns the look that was kept. */
export function lookOfKept({ body, shot, ...look }: Extract<KeptLook, { kind: 'look' }>): PageLook {
  return { ...look, body: Buffer.from(body, 'base64'), shot: shot && { ...shot, png: Buffer.from(shot.png, 'base64') } }
}
