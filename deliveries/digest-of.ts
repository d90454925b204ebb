import { isOwnWordsOnly } from '../schema/message/message-template.ts'
import type { Queryable } from '../store/db/client.ts'
import { type OtherRow, readDigest, readOthers, readPayloads } from '../store/deliveries/digests.ts'
import type { SealedTarget } from '../store/deliveries/sealed-target.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { type DigestMessage, type DigestPart, digestMessage, titleOf } from './messages/digest-story.ts'
import type { Links } from './messages/links.ts'

interface DigestPorts {
  readonly store: Queryable
  readonly secrets: SecretBox
  readonly links: Links
}

/** A delivery that is sent in one message with others. */
interface InDigest {
  readonly id: string
  readonly team_id: string
}

/**
 * Returns the message that a delivery is part of. Before it is decided what that holds, it is what it would be now.
 * Null: there is one change. Only its lines are kept: the changes themselves may be megabytes.
 */
export async function digestOf(ports: DigestPorts, one: InDigest): Promise<DigestMessage | null> {
  const { rows, count, monitors } = await readDigest(ports.store, one.id)
  if (count < 2) return null
  const parts = rows.map((row) => partOf(row, row.payload, { ...ports, teamId: one.team_id }))
  const digest = digestMessage({ parts, count, monitors }, ports.links)
  const { title } = digest
  const last = rows.at(-1)
  if (title === null || !last || rows.length === count) return digest
  const words = parts.find((part) => titleOf(part, ports.links) === title)?.message?.title ?? ''
  if (await areTitled(ports, one, { title, words, after: last.id })) return digest
  return digestMessage({ parts, count, monitors, haveOthersAnother: true }, ports.links)
}

/** One that cannot be opened is counted, and not named. */
function partOf(
  { id, target, created_at: createdAt }: Omit<OtherRow, 'bytes'>,
  payload: string,
  { secrets, teamId }: Pick<DigestPorts, 'secrets'> & { readonly teamId: string },
): DigestPart {
  try {
    const place = { teamId, column: 'deliveries.target', rowId: id } as const
    const { message, named } = secrets.open(place, target) as SealedTarget
    return { payload, createdAt, message, named }
  } catch {
    return { payload: '', createdAt }
  }
}

/** The title that changes agree on, the words of one of them, and the last of these changes. */
interface Titled {
  readonly title: string
  readonly words: string
  readonly after: string
}

/** Bytes of changes that are read at once, and all in all, to see whether their titles agree. */
const MOST_BYTES = { atOnce: 2 ** 20, all: 32 * 2 ** 20 }

/**
 * Returns whether all other changes of a digest have this title. A change is read only where a value of it is in its
 * title. Where these are too many bytes, it counts as another title.
 */
async function areTitled(ports: DigestPorts, { id, team_id: teamId }: InDigest, about: Titled): Promise<boolean> {
  const { store, secrets, links } = ports
  const { title, words } = about
  let [after, left] = [about.after, MOST_BYTES.all]
  for (;;) {
    const others = await readOthers(store, id, after)
    const last = others.at(-1)
    if (!last) return true
    const parts = others.map((row) => ({ row, part: partOf(row, '', { secrets, teamId }) }))
    const opened = parts.filter(({ part }) => 'message' in part)
    if (opened.some(({ part }) => part.message?.title === undefined)) return false
    const named = opened.filter(({ part: { message } }) => message?.title !== words || !isOwnWordsOnly(words))
    left -= named.reduce((sum, { row }) => sum + row.bytes, 0)
    if (left < 0) return false
    for (const some of batchesOf(named)) {
      const payloads = await readPayloads(
        store,
        some.map(({ row }) => row.id),
      )
      const titles = some.map(({ row, part }) => titleOf({ ...part, payload: payloads.get(row.id) ?? '' }, links))
      if (titles.some((one) => one !== undefined && one !== title)) return false
    }
    after = last.id
  }
}

function* batchesOf<T extends { readonly row: OtherRow }>(all: readonly T[]): Generator<readonly T[]> {
  let [batch, bytes]: [T[], number] = [[], 0]
  for (const one of all) {
    if (batch.length > 0 && bytes + one.row.bytes > MOST_BYTES.atOnce) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(one)
    bytes += one.row.bytes
  }
  if (batch.length > 0) yield batch
}
