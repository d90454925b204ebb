import { LRUCache } from 'lru-cache'
import type { Got } from '../../runners/check/look-documents.ts'
import type { DocumentName, Look, LookElement, LookRequest } from '../../schema/monitor/look.ts'
import type { Store } from '../../store/db/client.ts'
import { findLook, isLookCurrent } from '../../store/looks/looks.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { openDocument } from './kept-document.ts'

/** What was seen, as it is sealed. */
export interface SealedLook extends Omit<Look, 'picture' | 'expires_at'> {
  /** Absent: a process of an earlier release kept it. */
  readonly asked?: LookRequest
}

/** A look whose parts are decrypted, as far as they are read again. */
export interface OpenedLook extends Pick<Look, 'browser_reason'> {
  /** Null: a process of an earlier release kept it. */
  readonly asked: LookRequest | null
  readonly elements: readonly Pick<LookElement, 'path' | 'unreadable'>[]
  /** The index of each element by its path. */
  readonly places: ReadonlyMap<string, number>
  /** Their bodies are shared memory: a thread that reads one gets no copy of it, and cannot take it along. */
  readonly documents: Readonly<Record<DocumentName, Got>>
}

interface OpeningPorts {
  readonly store: Store
  readonly secrets: SecretBox
}

/** Which look, of which team. */
interface LookPlace {
  readonly teamId: string
  readonly id: string
}

interface Opened {
  readonly look: OpenedLook
  /** About as much as it takes of the memory. */
  readonly bytes: number
  /** How long the look is kept, in milliseconds. */
  readonly leftMs: number
}

/** Three looks of the largest pages, or a hundred of common ones. */
const MOST_BYTES = 64 * 1024 * 1024
/** Long enough for somebody who tries rules. */
const KEPT_MS = 300_000
/** Elements as objects take more than as JSON. */
const OBJECT_FACTOR = 4
/** Of a look without a document. */
const LEAST_BYTES = 1024

/**
 * Opens looks, and keeps those that were opened for five minutes. Somebody who types a selector asks at each letter,
 * and opening a page of 10 MB takes a fifth of a second of processor time. The store is asked each time whether the
 * team still has the look, so one that ended is gone also where it is open.
 */
export class OpenedLooks {
  readonly #opened: LRUCache<string, OpenedLook>
  readonly #underWay = new Map<string, Promise<Opened | null>>()

  constructor(mostBytes = MOST_BYTES) {
    this.#opened = new LRUCache({ maxSize: mostBytes, ttl: KEPT_MS, ttlAutopurge: true })
  }

  /** The bytes of those that are open. */
  get bytes(): number {
    return this.#opened.calculatedSize
  }

  /** Returns a look of the team. Null: there is none, or not any more. */
  async find(ports: OpeningPorts, place: LookPlace): Promise<OpenedLook | null> {
    const key = `${place.teamId}/${place.id}`
    const known = this.#opened.get(key)
    if (known === undefined) return (await this.#open(key, ports, place))?.look ?? null
    if (await isLookCurrent(ports.store, place)) return known
    this.#opened.delete(key)
    return null
  }

  /** Requests for the same look at once open it once. */
  #open(key: string, ports: OpeningPorts, place: LookPlace): Promise<Opened | null> {
    const known = this.#underWay.get(key)
    if (known) return known
    const opening = openLook(ports, place)
      .then((opened) => {
        if (opened) this.#opened.set(key, opened.look, { size: opened.bytes, ttl: Math.min(KEPT_MS, opened.leftMs) })
        return opened
      })
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, opening)
    return opening
  }
}

async function openLook({ store, secrets }: OpeningPorts, { teamId, id }: LookPlace): Promise<Opened | null> {
  const found = await findLook(store, { teamId, id })
  if (found === null) return null
  const answer = secrets.open({ teamId, column: 'looks.answer', rowId: id }, found.answer) as SealedLook
  const opened = async (name: DocumentName): Promise<Got> => {
    const sealed = found[name]
    const document = sealed && (await openDocument(secrets, { teamId, id, name }, sealed))
    return { about: answer.documents[name], document }
  }
  const [fetched, rendered] = await Promise.all([opened('fetched'), opened('rendered')])
  const elements = answer.elements.map(({ path, unreadable }) => ({ path, unreadable }))
  const bodies = [fetched, rendered].reduce((sum, { document }) => sum + (document?.body.byteLength ?? 0), 0)
  return {
    look: {
      asked: answer.asked ?? null,
      browser_reason: answer.browser_reason,
      elements,
      places: new Map(elements.flatMap(({ path }, index) => (path ? [[path.join(), index]] : []))),
      documents: { fetched, rendered },
    },
    bytes: LEAST_BYTES + bodies + OBJECT_FACTOR * found.answer.byteLength,
    leftMs: found.left_ms,
  }
}
