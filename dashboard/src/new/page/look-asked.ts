import type { Draft } from '../draft/draft.ts'
import type { LookAsked } from './use-look.ts'

/** Returns what a look is asked for: the page of a draft, fetched and rendered as its monitor would. */
export function lookAsked({ url, waitFor, more }: Draft): LookAsked {
  const { request_headers: headers, request_config: request, visual_config: visual } = more
  return {
    url,
    ...(headers && { request_headers: headers }),
    ...(request && { request_config: request }),
    // What is only fetched waits for nothing.
    ...(waitFor.trim() !== '' && !request && { wait_for: waitFor.trim() }),
    ...(visual?.viewport && { viewport: visual.viewport }),
  }
}
