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

export async function openDocument(secrets: SecretBox, place: DocumentPlace, bytes: Uint8Array): Promise<KeptDocument> {
  const { body, ...about } = secrets.open(placeOf(place), bytes) as Sealed
  const maxOutputLength = FETCH_LIMITS.maxBodyBytes
  return { ...about, body: await unpacked(Buffer.from(body, 'base64'), { maxOutputLength }) }
}
