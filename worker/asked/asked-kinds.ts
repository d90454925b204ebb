import { LOOK_KIND } from '../looks/look-kind.ts'
import { PREVIEW_KIND } from '../previews/preview-kind.ts'
import type { AskedKinds } from '../queue/asked-kind.ts'

/** The kinds of asked work that runners do. */
export const ASKED_KINDS: AskedKinds = { preview: PREVIEW_KIND, look: LOOK_KIND }
