interface Place {
  readonly kind: string
  /** The rule breaks when the page gains or loses an element beside this one, or when it is built again. */
  readonly fragile: boolean
  /** The reason for its place. */
  readonly why: string
}

/**
 * The ways to name an element, best first. What its authors wrote for programs comes before what they wrote for styles,
 * and that before the structure of the page. Decision 0051 has the evidence.
 */
export const CANDIDATE_ORDER = [
  { kind: 'itemprop', fragile: false, why: 'Search engines read it, so it stays and keeps its meaning.' },
  { kind: 'test-id', fragile: false, why: 'Tests of the page depend on it.' },
  { kind: 'data', fragile: false, why: 'Scripts of the page depend on it, and few values mean that it names a role.' },
  { kind: 'id', fragile: false, why: 'Links and scripts depend on it.' },
  { kind: 'label', fragile: false, why: 'Screen readers read an aria-label. It is translated, so it comes behind.' },
  { kind: 'attribute', fragile: false, why: 'A name, a role or a relation belongs to the content.' },
  { kind: 'class', fragile: false, why: 'A class that names a thing lives as long as its style.' },
  { kind: 'classes', fragile: false, why: 'Two classes break when either is renamed.' },
  { kind: 'name', fragile: false, why: 'The page has one element of this name, until it gains another.' },
  { kind: 'anchored', fragile: false, why: 'A named element around it stays, and few steps lead from there.' },
  { kind: 'label-text', fragile: false, why: 'People read the text beside it. It is translated and reworded.' },
  { kind: 'row', fragile: false, why: 'The item of a list that leads to an address, wherever it stands in the list.' },
  { kind: 'first', fragile: false, why: 'The first of several: another one when their order changes.' },
  { kind: 'link', fragile: false, why: 'The link to one address: another item of the list has another address.' },
  { kind: 'counted', fragile: true, why: 'It counts elements beside each other: one more of them moves it.' },
  { kind: 'generated', fragile: true, why: 'A class or id that looks generated, or says how a thing looks.' },
  { kind: 'position', fragile: true, why: 'It counts from the root of the document. It always exists.' },
] as const satisfies readonly Place[]

export type CandidateKind = (typeof CANDIDATE_ORDER)[number]['kind']

const PLACES = new Map<CandidateKind, number>(CANDIDATE_ORDER.map(({ kind }, place) => [kind, place]))
const FRAGILE = new Set<CandidateKind>(CANDIDATE_ORDER.filter(({ fragile }) => fragile).map(({ kind }) => kind))

export const placeOf = (kind: CandidateKind): number => PLACES.get(kind) ?? CANDIDATE_ORDER.length

export const isFragile = (kind: CandidateKind): boolean => FRAGILE.has(kind)
