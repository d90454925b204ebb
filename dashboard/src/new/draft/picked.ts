import type { LookCandidates } from '../../api/types.ts'
import { type Draft, type More, readsElements, withChosen } from './draft.ts'

/** What an element is chosen for: to read its value, to leave it out, or to compare it in pictures. */
export type Purpose = 'value' | 'ignore' | 'region'

type Visual = NonNullable<More['visual_config']>

/** Returns the draft with other settings of pictures. */
export const withVisual = (draft: Draft, visual: Visual): Draft => ({
  ...draft,
  more: { ...draft.more, visual_config: visual },
})

const added = (list: readonly string[], one: string): readonly string[] => (list.includes(one) ? list : [...list, one])

/**
 * Returns the draft without an element that somebody pressed, by its selector: also in what rules read. What only
 * covers the page stays there, because a rule may count elements.
 */
function withPressedOut(draft: Draft, selector: string): Draft {
  const next = withLeftOut(draft, selector)
  return readsElements(draft) ? { ...next, without: added(draft.without, selector) } : next
}

/** Returns the draft without an element, by its selector: in whole pages, and in pictures where they are taken. */
export function withLeftOut(draft: Draft, selector: string): Draft {
  const { visual_config: visual } = draft.more
  const next = { ...draft, ignore: added(draft.ignore, selector) }
  return visual?.enabled
    ? withVisual(next, { ...visual, ignoreSelectors: added(visual.ignoreSelectors ?? [], selector) })
    : next
}

/** Returns the draft with an element that was left out. */
export function withTakenIn(draft: Draft, selector: string): Draft {
  const { visual_config: visual } = draft.more
  const kept = (one: string) => one !== selector
  const next = { ...draft, ignore: draft.ignore.filter(kept), without: draft.without.filter(kept) }
  return visual?.ignoreSelectors
    ? withVisual(next, { ...visual, ignoreSelectors: visual.ignoreSelectors.filter(kept) })
    : next
}

/** Returns the settings of pictures, taken or not. What is left out of whole pages is left out of pictures too. */
export function picturesOf({ ignore, more }: Draft, enabled: boolean): Visual {
  const { visual_config: visual } = more
  const selectors = ignore.reduce(added, visual?.ignoreSelectors ?? [])
  return { ...visual, enabled, ...(enabled && selectors.length > 0 && { ignoreSelectors: selectors }) }
}

/** Returns the draft with pictures that compare an element, and only such elements. */
function withRegion(draft: Draft, selector: string): Draft {
  const visual = picturesOf(draft, true)
  const regions = visual.regions ?? []
  if (regions.some((region) => region.selector === selector)) return withVisual(draft, visual)
  return withVisual(draft, { ...visual, regions: [...regions, { selector }] })
}

/** Returns the draft without a region of its pictures. Without any, whole pictures are compared. */
export function withoutRegion(draft: Draft, at: number): Draft {
  const { visual_config: visual } = draft.more
  return visual
    ? withVisual(draft, { ...visual, regions: (visual.regions ?? []).filter((_, nth) => nth !== at) })
    : draft
}

interface Pressed {
  readonly purpose: Purpose
  /** The draft at that time. */
  readonly draft: Draft
}

/**
 * Returns the draft with an element that was pressed, by the best of the rules that read it. A rule that was typed
 * since then stays.
 */
export function withPicked(now: Draft, found: LookCandidates, { purpose, draft }: Pressed): Draft {
  const [first] = found.values
  if (purpose === 'ignore') return first ? withPressedOut(now, first.rule) : now
  if (purpose === 'region') return first ? withRegion(now, first.rule) : now
  const best = first ?? found.attributes[0] ?? found.lists[0]
  const isTyped = now.fields[now.active]?.rule !== draft.fields[draft.active]?.rule
  return best && !isTyped ? withChosen(now, best) : now
}
