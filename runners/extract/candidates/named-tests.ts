import type { Element } from 'domhandler'
import { CANDIDATE_LIMITS } from './bounds.ts'
import { type Census, CONTENT_ATTRIBUTES, isCounted, TEST_IDS } from './census.ts'
import { classesOf } from './classes.ts'
import { isNamed, looksGenerated, tellsLook } from './generated-name.ts'
import type { CandidateKind } from './order.ts'
import type { Test } from './selector.ts'

/** One way in which an element is named by its attributes. */
export interface NamedTest {
  readonly kind: CandidateKind
  readonly tests: readonly Test[]
}

/** Returns the ways in which an element is named by its attributes, in the order of `CANDIDATE_ORDER`. */
export function namedTests(element: Element, census: Census): readonly NamedTest[] {
  const { attribs } = element
  return [
    ...withValue(attribs, ['itemprop'], 'itemprop'),
    ...withValue(attribs, TEST_IDS, 'test-id'),
    ...dataTests(attribs, census),
    ...idTests(attribs, (id) => isNamed(id), 'id'),
    ...withValue(attribs, ['aria-label'], 'label'),
    ...withValue(attribs, CONTENT_ATTRIBUTES, 'attribute'),
    ...goodClasses(element).map((value) => classTest(value, 'class')),
    ...pairsOf(goodClasses(element).slice(0, MOST_PAIRED)).map(pairTest),
    ...linkTests(element),
    ...idTests(attribs, (id) => !isNamed(id), 'generated'),
    ...classesOf(element)
      .filter((value) => !isGood(value))
      .map((value) => classTest(value, 'generated')),
  ]
}

const isGood = (name: string) => !looksGenerated(name) && !tellsLook(name)
/** Classes that name a thing. */
const goodClasses = (element: Element) => classesOf(element).filter(isGood)

/** Pairs of more classes than these do not help more. */
const MOST_PAIRED = 5

type Attributes = Element['attribs']

function withValue(attribs: Attributes, names: readonly string[], kind: CandidateKind): NamedTest[] {
  return names.flatMap((name) => {
    const value = attribs[name]
    return value === undefined || !isShort(value) ? [] : [valueTest(name, value, kind)]
  })
}

/** A number in a value is what is watched, or counts the elements: it names nothing. */
const isShort = (value: string) =>
  value.trim() !== '' && value.length <= CANDIDATE_LIMITS.nameLength && !/\d{2}/.test(value) && !looksGenerated(value)

const valueTest = (name: string, value: string, kind: CandidateKind): NamedTest => ({
  kind,
  tests: [{ kind: 'attribute', name, value }],
})

/** A data attribute of few values names a role. One of many values names a thing only by being there. */
function dataTests(attribs: Attributes, census: Census): NamedTest[] {
  const names = Object.keys(attribs).filter(isData).slice(0, CANDIDATE_LIMITS.classes)
  return [
    ...names.filter((name) => census.hasFewValues(name)).flatMap((name) => withValue(attribs, [name], 'data')),
    ...names.map((name): NamedTest => ({
      kind: 'data',
      tests: [{ kind: 'attribute', name, value: null }],
    })),
  ]
}

/** `data-v-…` is written by a tool; those of tests have their own place. */
const isData = (name: string) =>
  name.startsWith('data-') && isCounted(name) && !TEST_IDS.includes(name) && !looksGenerated(name)

function idTests(attribs: Attributes, isWanted: (id: string) => boolean, kind: CandidateKind): NamedTest[] {
  const value = attribs['id']
  if (value === undefined || value.trim() === '' || value.length > CANDIDATE_LIMITS.nameLength) return []
  return isWanted(value) ? [{ kind, tests: [{ kind: 'id', value }] }] : []
}

const classTest = (value: string, kind: CandidateKind): NamedTest => ({
  kind,
  tests: [{ kind: 'class', value }],
})

const pairTest = ([one, other]: readonly [string, string]): NamedTest => ({
  kind: 'classes',
  tests: [
    { kind: 'class', value: one },
    { kind: 'class', value: other },
  ],
})

function pairsOf(names: readonly string[]): (readonly [string, string])[] {
  return names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const))
}

/** The address of a link on the same site names what it leads to. */
export function linkTests({ name, attribs }: Element): NamedTest[] {
  const value = attribs['href']
  if (name !== 'a' || value === undefined || value.length > CANDIDATE_LIMITS.nameLength) return []
  if (value.trim().length < 2 || /^\s*(?:javascript|data):/i.test(value)) return []
  return [{ kind: 'link', tests: [{ kind: 'attribute', name: 'href', value }] }]
}
