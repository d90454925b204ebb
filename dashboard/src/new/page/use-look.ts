import { useEffect, useRef, useState } from 'react'
import { ask, serverNow } from '../../api/client.ts'
import { isMissing } from '../../api/faults.ts'
import type { Look, MonitorCreate } from '../../api/types.ts'

/** The page, and how it is fetched: as a monitor says it. */
export type LookAsked = Pick<MonitorCreate, 'url' | 'request_headers' | 'request_config'> & {
  readonly wait_for?: string
  readonly viewport?: NonNullable<MonitorCreate['visual_config']>['viewport']
}

/** What a person sees of a page before there is a monitor of it. */
export interface Looking {
  readonly look: Look | null
  /** When the look that is being made began, in ms. Null: none is. */
  readonly since: number | null
  readonly error: unknown
  /** The service does not keep it any more: its picture is still shown, and nothing can be tried on it. */
  readonly hasEnded: boolean
  /** Makes another look. Returns it; null: it failed, or something else was asked for. */
  start(asked: LookAsked): Promise<Look | null>
  stop(): void
  /** Notes a refusal. Returns whether it says that the look has ended. */
  noteEnd(error: unknown): boolean
}

/** Makes looks, one at a time. What is shown stays until the next one. */
export function useLook(): Looking {
  const [look, setLook] = useState<Look | null>(null)
  const [since, setSince] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [ended, setEnded] = useState<string | null>(null)
  const asking = useRef<AbortController | null>(null)
  useEffect(() => () => asking.current?.abort(), [])
  useEffect(() => {
    if (look === null) return undefined
    const timer = setTimeout(() => setEnded(look.id), Math.max(0, Date.parse(look.expires_at) - serverNow()))
    return () => clearTimeout(timer)
  }, [look])
  async function start(body: LookAsked): Promise<Look | null> {
    asking.current?.abort()
    const asked = new AbortController()
    asking.current = asked
    setSince(Date.now())
    setError(null)
    try {
      const made = await ask<Look>('/v1/looks', { method: 'POST', body, signal: asked.signal })
      if (asked.signal.aborted) return null
      setLook(made)
      setSince(null)
      return made
    } catch (fault) {
      if (asked.signal.aborted) return null
      setError(fault)
      setSince(null)
      return null
    }
  }
  return {
    look,
    since,
    error,
    hasEnded: look !== null && ended === look.id,
    start,
    stop() {
      asking.current?.abort()
      setSince(null)
    },
    noteEnd(fault) {
      if (look !== null && isMissing(fault)) setEnded(look.id)
      return isMissing(fault)
    },
  }
}
