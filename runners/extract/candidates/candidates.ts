import type { Element } from 'domhandler'
import type { Tree } from '../tree.ts'
import type { XNode } from '../xpath/nodes.ts'
import { anchoredIdeas } from './anchored-ideas.ts'
import { readableAttributes } from './attribute-ideas.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'
import type { Candidate, ElementCandidates } from './candidate.ts'
import { Finder } from './finder.ts'
import { headingIdea } from './heading-idea.ts'
import { type Idea, type Method, type Rule, ruleOf } from './idea.ts'
import { isSavable, matchesOf, valueOnTree } from './judge-rule.ts'
import { labelIdeas } from './label-ideas.ts'
import { listIdea, repeatsOf } from './list-ideas.ts'
import { namedIdeas } from './named-ideas.ts'
import { isFragile, placeOf } from './order.ts'
import { positionIdea } from './position-idea.ts'
import { rowIdeas } from './row-ideas.ts'

export interface CandidateOptions {
  /** The language of all rules, for a monitor that has fields already: a config has one. Default: CSS if it can. */
  readonly method?: Method | null
  /** The other document of the same page: the fetched one, or the rendered one. */
  readonly other?: Tree | null
}

/**
 * Returns the rules that read an element, best first (`CANDIDATE_ORDER`). Each is offered only if the engine that runs
 * it finds this element first. Pure; bounded by `CANDIDATE_LIMITS`, and by the time of the thread.
 */
export function candidatesOf(tree: Tree, element: Element, options: CandidateOptions = {}): ElementCandidates {
  const finder = new Finder(tree)
  const offers = new Offers(tree, options)
  const ideas = ideasOf(element, finder)
  return {
    values: offers.of(ideas, element, CANDIDATE_LIMITS.values),
    attributes: readableAttributes(element).flatMap(({ element: owner, name }) =>
      offers.ofAttribute(owner === element ? ideas : ideasOf(owner, finder), owner, name),
    ),
    lists: listsOf(element, finder, offers),
  }
}

/** Returns one list for each number of items. */
function listsOf(element: Element, finder: Finder, offers: Offers): Candidate[] {
  const found: Candidate[] = []
  for (const repeat of repeatsOf(element)) {
    if (found.length === CANDIDATE_LIMITS.lists) break
    const idea = listIdea(element, repeat, finder)
    const list = idea === null ? null : offers.ofList(idea, element)
    if (list !== null && found.every(({ matches }) => matches !== list.matches)) found.push(list)
  }
  return found
}

/** Returns all ideas for one element, best first. The last one always works. */
function ideasOf(element: Element, finder: Finder): readonly Idea[] {
  const ideas = [
    ...namedIdeas(element, finder),
    ...anchoredIdeas(element, finder),
    ...labelIdeas(element, finder),
    ...rowIdeas(element, finder),
    ...[headingIdea(element, finder)].filter((idea) => idea !== null),
    positionIdea(element, finder),
  ]
  return ideas.toSorted((one, other) => placeOf(one.kind) - placeOf(other.kind))
}

/** Judges ideas by the engines, and reads their values. */
class Offers {
  readonly #tree: Tree
  readonly #method: Method | null
  readonly #other: Tree | null

  constructor(tree: Tree, { method = null, other = null }: CandidateOptions) {
    this.#tree = tree
    this.#method = method
    this.#other = other
  }

  /** Returns the first ideas that find the element, and always the last one. */
  of(ideas: readonly Idea[], element: Element, most: number): Candidate[] {
    const found: Candidate[] = []
    for (const [at, idea] of ideas.entries()) {
      if (found.length >= most - 1 && at < ideas.length - 1) continue
      const rule = this.#ruleOf(idea)
      const matches = rule === null ? null : matchesOf(rule, this.#tree)
      if (rule === null || matches?.first !== element) continue
      const candidate = this.#candidate(rule, idea, matches.all.length)
      if (candidate !== null) found.push(candidate)
    }
    return found
  }

  /** Returns the best rule for an attribute, if any works. */
  ofAttribute(ideas: readonly Idea[], owner: Element, name: string): Candidate[] {
    for (const idea of ideas.filter((one) => !names(one, name))) {
      const rule = attributeRule(this.#ruleOf(idea), name)
      const matches = rule && isSavable(rule) ? matchesOf(rule, this.#tree) : null
      if (!rule || !matches || !isAttribute(matches.first, owner, name)) continue
      const candidate = this.#candidate(rule, idea, matches.all.length)
      if (candidate !== null) return [{ ...candidate, attribute: name, reason: `${name} of ${candidate.reason}` }]
    }
    return []
  }

  ofList(idea: Idea, element: Element): Candidate | null {
    const rule = this.#ruleOf(idea)
    const all = rule === null ? undefined : matchesOf(rule, this.#tree)?.all
    if (rule === null || !all?.includes(element)) return null
    const list: Rule = { method: rule.method, rule: `${rule.rule}[]` }
    return isSavable(list) ? this.#candidate(list, idea, all.length) : null
  }

  #ruleOf(idea: Idea): Rule | null {
    const rule = ruleOf(idea, this.#tree, this.#method)
    if (rule !== null && isSavable(rule)) return rule
    // A path that CSS writes in too many characters may be short enough in XPath.
    const other = rule?.method === 'css' && this.#method === null ? ruleOf(idea, this.#tree, 'xpath') : null
    return other !== null && isSavable(other) ? other : null
  }

  #candidate(rule: Rule, { kind, reason }: Idea, matches: number): Candidate | null {
    const value = valueOnTree(rule, this.#tree)
    if (value === undefined) return null
    const other = this.#other === null ? undefined : valueOnTree(rule, this.#other)
    return {
      ...rule,
      kind,
      reason: reason(matches),
      matches,
      fragile: isFragile(kind),
      value,
      attribute: null,
      other: other === undefined ? null : { value: other, isSame: JSON.stringify(other) === JSON.stringify(value) },
    }
  }
}

function attributeRule(element: Rule | null, name: string): Rule | null {
  if (element === null) return null
  const { method, rule } = element
  return { method, rule: method === 'css' ? `${rule}::attr(${name})` : `${rule}/@${name}` }
}

/** Whether a match is what a rule for this attribute finds: CSS finds the element that has it. */
const isAttribute = (match: XNode, owner: Element, name: string): boolean =>
  match === owner || (match.type === 'attribute' && match.owner === owner && match.name === name)

/** A rule that finds an element by the value that it reads would read the same for ever. */
function names({ kind, path }: Idea, attribute: string): boolean {
  if (kind === 'row' || kind === 'link') return attribute === 'href'
  if (typeof path === 'string') return false
  const tests = path.flatMap((step) => step.tests)
  return tests.some((test) => test.kind === 'attribute' && test.name === attribute && test.value !== null)
}
