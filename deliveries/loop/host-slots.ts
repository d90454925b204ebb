/** Who takes places at a host. */
interface Requester {
  readonly host: string
  readonly team: string
  /** Its last attempt was answered well, so that the next is not likely to hang. */
  readonly proven: boolean
}

/** Places at hosts and who has them. */
export interface Places {
  /** Places that this one may take now. */
  room(requester: Requester): number
  /** Places that anybody may take now. */
  roomAt(host: string): number
  take(requester: Requester, count: number): void
  giveBack(requester: Requester): void
  /** Counts on from here, to plan with; the places themselves stay as they are. */
  planned(): Places
}

/**
 * A host has `perHost` places. Targets that have not answered well may hang, so together they hold all but one of them,
 * and those of one team at most half: a team with dead targets leaves a place to the untried target of another, and all
 * of them one to what works. A host with one place, or two, has too few for that.
 */
export function createPlaces(perHost: number): Places {
  return new CountedPlaces(perHost, null)
}

class CountedPlaces implements Places {
  readonly #perHost: number
  readonly #below: CountedPlaces | null
  /** By host; by host, of unproven ones; by team and host, of unproven ones. What is zero is left out. */
  readonly #all = new Map<string, number>()
  readonly #unproven = new Map<string, number>()
  readonly #unprovenOfTeam = new Map<string, number>()

  constructor(perHost: number, below: CountedPlaces | null) {
    this.#perHost = perHost
    this.#below = below
  }

  room(requester: Requester): number {
    const room = this.roomAt(requester.host)
    if (requester.proven || room === 0) return room
    const ofAll = Math.max(1, this.#perHost - 1) - this.#count('unproven', requester.host)
    const ofTeam = Math.max(1, Math.floor(this.#perHost / 2)) - this.#count('unprovenOfTeam', teamAt(requester))
    return Math.max(0, Math.min(room, ofAll, ofTeam))
  }

  roomAt(host: string): number {
    return Math.max(0, this.#perHost - this.#count('all', host))
  }

  take(requester: Requester, count: number): void {
    add(this.#all, requester.host, count)
    if (requester.proven) return
    add(this.#unproven, requester.host, count)
    add(this.#unprovenOfTeam, teamAt(requester), count)
  }

  giveBack(requester: Requester): void {
    this.take(requester, -1)
  }

  planned(): Places {
    return new CountedPlaces(this.#perHost, this)
  }

  #count(which: 'all' | 'unproven' | 'unprovenOfTeam', key: string): number {
    const counts = { all: this.#all, unproven: this.#unproven, unprovenOfTeam: this.#unprovenOfTeam }[which]
    const below = this.#below === null ? 0 : this.#below.#count(which, key)
    return below + (counts.get(key) ?? 0)
  }
}

const teamAt = ({ host, team }: Requester) => `${host} ${team}`

function add(counts: Map<string, number>, key: string, count: number): void {
  const sum = (counts.get(key) ?? 0) + count
  if (sum === 0) counts.delete(key)
  else counts.set(key, sum)
}
