import type { Element } from 'domhandler'
import { namesContent } from './content-names.ts'
import type { Finder } from './finder.ts'
import type { Idea } from './idea.ts'
import type { CandidateKind } from './order.ts'
import { type Step, step } from './selector.ts'
import { testWords } from './words.ts'

/** Returns rules that name the element itself, by its attributes or its name. */
export function namedIdeas(element: Element, finder: Finder): Idea[] {
  const ideas: Idea[] = []
  for (const { kind, tests } of finder.named(element)) {
    const withName = `${element.name} element`
    const bare = step({ tests })
    const found = ideaOf(element, finder, { kind, bare, noun: 'element' })
    const named = found ?? ideaOf(element, finder, { kind, bare: { ...bare, like: element }, noun: withName })
    if (named !== null) ideas.push(named)
  }
  if (finder.census.all(element).length === 1 && (element.name === 'body' || namesContent(element)))
    ideas.push({
      kind: 'name',
      path: [step({ like: element })],
      reason: () => `the only ${element.name} element`,
    })
  // One of them is enough to say that the first of several is meant.
  const first = ideas.find(({ kind }) => kind === 'first')
  return ideas.filter((idea) => idea.kind !== 'first' || idea === first)
}

/** Kinds that say nothing of the first one of several. */
const SINGLE: ReadonlySet<CandidateKind> = new Set(['generated', 'classes', 'link'])

interface Given {
  readonly kind: CandidateKind
  readonly bare: Step
  readonly noun: string
}

function ideaOf(element: Element, finder: Finder, { kind, bare, noun }: Given): Idea | null {
  const found = finder.find([bare])
  if (found?.first !== element) return null
  const isOnly = found.count === 1
  // A style of several elements does not name the first of them.
  if (!isOnly && SINGLE.has(kind)) return null
  const words = bare.tests.map(testWords).join(' and ')
  return {
    kind: isOnly ? kind : 'first',
    path: [bare],
    reason: (matches) =>
      matches === 1 ? `the only ${noun} with ${words}` : `the first of ${matches} ${noun}s with ${words}`,
  }
}
