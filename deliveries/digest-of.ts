import type { Queryable } from '../store/db/client.ts'
import { type DigestRow, readDigest } from '../store/deliveries/digests.ts'
import type { SealedTarget } from '../store/deliveries/sealed-target.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { type DigestMessage, type DigestPart, digestMessage } from './messages/digest-story.ts'
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
export async function digestOf(
  { store, secrets, links }: DigestPorts,
  { id, team_id: teamId }: InDigest,
): Promise<DigestMessage | null> {
  const { rows, count, monitors } = await readDigest(store, id)
  if (count < 2) return null
  return digestMessage({ parts: rows.map((one) => partOf(one, teamId, secrets)), count, monitors }, links)
}

/** One that cannot be opened is counted, and not named. */
function partOf(
  { id, target, payload, created_at: createdAt }: DigestRow,
  teamId: string,
  secrets: SecretBox,
): DigestPart {
  try {
    const place = { teamId, column: 'deliveries.target', rowId: id } as const
    const { message, named } = secrets.open(place, target) as SealedTarget
    return { payload, createdAt, message, named }
  } catch {
    return { payload: '', createdAt }
  }
}
