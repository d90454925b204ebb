import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import { explain } from '../api/faults.ts'
import { COLLECTIONS } from '../api/types.ts'
import { usePermission } from '../app/use-me.ts'
import controls from '../style/controls.module.css'
import style from './chosen.module.css'
import type { Row } from './ordered-rows.ts'

const ACTIONS = { run: 'Run now', pause: 'Pause', resume: 'Resume' } as const
type Action = keyof typeof ACTIONS

interface ChosenProps {
  readonly chosen: ReadonlyMap<string, Row>
  onClear(): void
}

/** What may be done with the chosen monitors. They are asked for one after the other, and each refusal is shown. */
export function Chosen({ chosen, onClear }: ChosenProps) {
  const queries = useQueryClient()
  const mayWrite = usePermission('monitors.write')
  const [done, setDone] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  async function act(action: Action) {
    setBusy(true)
    let refused = 0
    let why = ''
    for (const [nth, { kind, id, name }] of [...chosen.values()].entries()) {
      setDone(`${ACTIONS[action]}: ${nth + 1} of ${chosen.size}`)
      await ask(`/v1/${COLLECTIONS[kind]}/${id}/${action}`, { method: 'POST' }).catch((error: unknown) => {
        refused += 1
        why = `${name}: ${explain(error).what}`
      })
    }
    setBusy(false)
    setDone(`${ACTIONS[action]}: ${chosen.size - refused} done${refused > 0 ? `, ${refused} refused. ${why}` : '.'}`)
    onClear()
    await queries.invalidateQueries()
  }
  return (
    <div className={style['chosen']}>
      {chosen.size > 0 && (
        <>
          <b>{chosen.size} selected</b>
          {(Object.keys(ACTIONS) as Action[]).map((action) => (
            <button
              key={action}
              type="button"
              className={controls['button']}
              disabled={isBusy || !mayWrite}
              title={mayWrite ? undefined : 'Your role may only read.'}
              onClick={() => void act(action)}
            >
              {ACTIONS[action]}
            </button>
          ))}
          <button type="button" className={controls['quiet']} onClick={onClear}>
            Clear
          </button>
        </>
      )}
      <span role="status" className={style['done']}>
        {done}
      </span>
    </div>
  )
}
