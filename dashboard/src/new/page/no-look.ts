import type { Look } from '../../api/types.ts'

const NONE = {
  is_there: false,
  kind: null,
  url: null,
  http_status: null,
  content_type: null,
  bytes: null,
  duration_ms: null,
  error_code: null,
  error_message: null,
} as const

/** Stands for a look where nothing was looked at yet: a monitor can be filled in by hand, and edited. */
export const NO_LOOK: Look = {
  id: '',
  url: '',
  expires_at: '',
  picture: null,
  width: 0,
  height: 0,
  cut: false,
  elements: [],
  covers: [],
  documents: { fetched: NONE, rendered: NONE },
  needs_browser: false,
  browser_reason: null,
  guesses: [],
  outline: null,
  warnings: [],
}
