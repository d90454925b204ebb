import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { Look, LookCandidates } from '../../api/types.ts'
import { withLeftOut, withTakenIn } from '../draft/picked.ts'
import type { Form } from '../draft/use-draft.ts'

/** Returns what hides a cover, and leaves it out of whole pages and pictures. */
export function useIgnoring(
  { id, elements }: Look,
  { change }: Form,
  hide: (index: number, isHidden: boolean) => void,
) {
  const [selectors, setSelectors] = useState<ReadonlyMap<number, string>>(new Map())
  async function ignore(index: number) {
    const body = { element: index, method: 'css' }
    const found = await ask<LookCandidates>(`/v1/looks/${id}/candidates`, { method: 'POST', body }).catch(() => null)
    const rule = found?.values[0]?.rule
    if (rule === undefined || elements[index] === undefined) return
    setSelectors((before) => new Map(before).set(index, rule))
    change((before) => withLeftOut(before, rule))
  }
  return (index: number, isHidden: boolean) => {
    hide(index, isHidden)
    const rule = selectors.get(index)
    if (isHidden) void ignore(index)
    else if (rule !== undefined) change((before) => withTakenIn(before, rule))
  }
}
