import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { KeptDocument } from '../../runners/check/look-documents.ts'
import { FETCH_LIMITS } from '../../runners/fetch/fetch-limits.ts'
import type { DocumentName } from '../../schema/monitor/look.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'

/** The place of a document: which one, of which look. */
interface DocumentPlace {
  readonly teamId: string
  readonly id: string
  readonly name: DocumentName
}

const packed = promisify(gzip)
const unpacked = promisify(gunzip)

/** A document as it is sealed: the body is base64 of gzip. */
interface Sealed extends Omit<KeptDocument, 'body'> {
  readonly body: string
}

const placeOf = ({ teamId, id, name }: DocumentPlace) => ({ teamId, column: `looks.${name}`, rowId: id }) as const

export async function sealDocument(secrets: SecretBox, place: DocumentPlace, document: KeptDocument): Promise<Buffer> {
  const { body, contentType, url } = document
  const sealed: Sealed = { contentType, url, body: (await packed(body, { level: 1 })).toString('base64') }
  return secrets.seal(placeOf(place), sealed)
}

/** Returns a document in shared memory. */
export async function openDocument(secrets: SecretBox, place: DocumentPlace, bytes: Uint8Array): Promise<KeptDocument> {
  const { body, ...about } = secrets.open(placeOf(place), bytes) as Sealed
  const read = await unpacked(Buffer.from(body, 'base64'), { maxOutputLength: MOST_BYTES })
  const shared = new Uint8Array(new SharedArrayBuffer(read.byteLength))
  shared.set(read)
  return { ...about, body: shared }
}

/**
 * The pages of a list are at most what a body may be. They are joined as UTF-8, where a byte of another charset becomes
 * up to three.
 */
const MOST_BYTES = 4 * FETCH_LIMITS.maxBodyBytes
