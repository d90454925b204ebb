import { useEffect, useMemo, useRef, useState } from 'react'
import { ask } from '../../api/client.ts'
import type { Look, LookCandidates } from '../../api/types.ts'
import { sentenceOf } from '../form/sentence-of.ts'
import { createFamily, type Family } from './family.ts'
import { UNREADABLE } from './unreadable.ts'

type Step = 'parent' | 'child' | 'before' | 'after'

/** What is pointed at, and the rules that read it. */
export interface Pointing {
  readonly family: Family
  /** The element that keys are at, by its index. */
  readonly active: number | null
  /** Elements that are out of the way. */
  readonly hidden: ReadonlySet<number>
  readonly candidates: LookCandidates | null
  readonly isAsking: boolean
  /** Why the element cannot be read. */
  readonly refusal: string | null
  isCover(index: number): boolean
  /** Goes to an element without choosing it. */
  go(index: number): void
  step(to: Step): void
  /** Chooses an element: asks for the rules that read it. */
  point(index: number): void
  hide(index: number, isHidden: boolean): void
}

interface PointingOptions {
  readonly look: Look
  readonly hasEnded: boolean
  /** The language that rules have to be in. */
  readonly language: 'css' | 'xpath' | null
  onFound(candidates: LookCandidates, index: number): void
  /** Returns whether the refusal says that the look has ended. */
  onRefused(error: unknown): boolean
}

/** Points at the elements of a look. With another look it begins again. */
export function usePointing({ look, hasEnded, language, onFound, onRefused }: PointingOptions): Pointing {
  const { elements, covers } = look
  const family = useMemo(() => createFamily(elements), [elements])
  const [active, setActive] = useState<number | null>(null)
  const [covered, setCovered] = useState<readonly number[]>([])
  const [candidates, setCandidates] = useState<LookCandidates | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  const asking = useRef<AbortController | null>(null)
  const [of, setOf] = useState(look.id)
  if (of !== look.id) {
    setOf(look.id)
    setActive(null)
    setCovered([])
    setCandidates(null)
    setRefusal(null)
    setAsking(false)
  }
  useEffect(() => () => asking.current?.abort(), [look.id])
  const hidden = useMemo(() => withDescendants(covered, family), [covered, family])
  async function point(index: number) {
    asking.current?.abort()
    setActive(index)
    setCandidates(null)
    const unreadable = elements[index]?.unreadable ?? null
    setRefusal(unreadable === null ? null : `It cannot be read: it is ${UNREADABLE[unreadable]}.`)
    setAsking(false)
    if (unreadable !== null || hasEnded || elements[index] === undefined) return
    const asked = new AbortController()
    asking.current = asked
    setAsking(true)
    try {
      const body = { element: index, method: language }
      const path = `/v1/looks/${look.id}/candidates`
      const found = await ask<LookCandidates>(path, { method: 'POST', body, signal: asked.signal })
      if (asked.signal.aborted) return
      setCandidates(found)
      onFound(found, index)
    } catch (error) {
      if (asked.signal.aborted) return
      if (!onRefused(error)) setRefusal(sentenceOf(error))
    }
    setAsking(false)
  }
  return {
    family,
    active,
    hidden,
    candidates,
    isAsking,
    refusal,
    isCover: (index) => covers.some(({ element }) => element === index),
    go: setActive,
    step(to) {
      const next = active === null ? family.roots[0] : stepFrom(active, to, family)
      if (next !== undefined && next !== null) setActive(next)
    },
    point: (index) => void point(index),
    hide: (index, isHidden) =>
      setCovered((before) => (isHidden ? [...before, index] : before.filter((one) => one !== index))),
  }
}

function stepFrom(active: number, to: Step, family: Family): number | null {
  if (to === 'parent') return family.parentOf(active)
  if (to === 'child') return family.childrenOf(active)[0] ?? null
  return family.neighbourOf(active, to === 'before' ? -1 : 1)
}

function withDescendants(indexes: readonly number[], family: Family): ReadonlySet<number> {
  const all = new Set<number>()
  const left = [...indexes]
  for (let index = left.pop(); index !== undefined; index = left.pop()) {
    all.add(index)
    left.push(...family.childrenOf(index))
  }
  return all
}
