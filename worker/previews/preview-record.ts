import type { Reading } from '../../runners/check/reading.ts'
import type { PageTask } from '../../runners/check/task.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { SealedPlace, SecretBox } from '../../store/secrets/secret-box.ts'

/** What a runner is asked for. */
export type PreviewRequest = PageRequest | { readonly search: SerpSearch }

type PageRequest = Pick<
  PageTask,
  'url' | 'extract' | 'request' | 'visual' | 'headers' | 'queue' | 'reason' | 'obstacle'
>

/** What a runner answered, as far as a preview shows it. */
export interface PreviewAnswer {
  readonly reading: Extract<Reading, { kind: 'values' | 'text' | 'failed' | 'search' }>
  /** Milliseconds that the runner needed. */
  readonly durationMs: number
}

/** The row of a preview. */
interface Row {
  readonly id: string
  readonly teamId: string
}

const placeOf = ({ id, teamId }: Row, column: SealedPlace['column']): SealedPlace => ({ teamId, column, rowId: id })

export const sealRequest = (secrets: SecretBox, row: Row, request: PreviewRequest): Buffer =>
  secrets.seal(placeOf(row, 'previews.request'), request)

export const openRequest = (secrets: SecretBox, row: Row, sealed: Uint8Array): PreviewRequest =>
  secrets.open(placeOf(row, 'previews.request'), sealed) as PreviewRequest

/** Encrypts an answer. Of pictures it keeps whether there are any: a preview shows none, and no unread page either. */
export function sealAnswer(secrets: SecretBox, row: Row, { reading, durationMs }: PreviewAnswer): Buffer {
  const shots = 'shots' in reading && reading.shots
  const kept = {
    ...reading,
    ...(reading.kind === 'search' && { search: { ...reading.search, unread: undefined } }),
    ...(reading.kind === 'failed' && reading.engine && { engine: { ...reading.engine, unread: undefined } }),
    ...('mark' in reading && { mark: NO_MARK }),
    ...(shots && { shots: shots.map(({ region, png }) => ({ region, isThere: png !== null })) }),
  }
  return secrets.seal(placeOf(row, 'previews.answer'), { reading: kept, durationMs })
}

export function openAnswer(secrets: SecretBox, row: Row, sealed: Uint8Array): PreviewAnswer {
  const { reading, durationMs } = secrets.open(placeOf(row, 'previews.answer'), sealed) as KeptAnswer
  const { shots, ...rest } = reading
  const shown = shots?.map(({ region, isThere }) => ({ region, width: 0, height: 0, png: isThere ? NO_BYTES : null }))
  return { reading: { ...rest, ...(shown && { shots: shown }) } as PreviewAnswer['reading'], durationMs }
}

interface KeptAnswer {
  readonly reading: { readonly shots?: readonly { readonly region: string; readonly isThere: boolean }[] }
  readonly durationMs: number
}

const NO_MARK = { etag: null, lastModified: null, bodyHash: null }
const NO_BYTES = new Uint8Array(0)
