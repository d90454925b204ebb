import { useState } from 'react'
import { ApiFault, type Issue } from '../../api/client.ts'
import { useRefusal } from '../../app/use-refusal.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import controls from '../../style/controls.module.css'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'
import { CodePart } from './code-part.tsx'

interface SavePartProps<Body extends object> {
  readonly kind: 'Monitor' | 'SerpMonitor'
  /** As it is typed. Empty: it is the suggested one. */
  readonly name: string
  readonly suggested: string
  readonly body: Body
  readonly issues: readonly Issue[]
  /** Whether it needs a browser is about to be known. */
  readonly isPending: boolean
  /** What the button says. */
  readonly word: string
  /** What saving does besides. Null: nothing. */
  readonly effect: string | null
  onName(name: string): void
  onRefused(issues: readonly Issue[]): void
  /** Stores the monitor. What it throws is said here. */
  onSave(body: Body): Promise<void>
}

/** The name, the button that stores the monitor, and the monitor as code. */
export function SavePart<Body extends object>(props: SavePartProps<Body>) {
  const { kind, name, suggested, body, issues, isPending, word, effect, onName, onRefused, onSave } = props
  const refused = useRefusal('monitors.write')
  const [isSaving, setSaving] = useState(false)
  // A refusal is about what was sent, and is gone with the first letter of something else.
  const [refusal, setRefusal] = useState<{ readonly of: string; readonly text: string } | null>(null)
  const of = JSON.stringify(body)
  const fault = { id: 'name-fault', issues, path: 'name' }
  async function save() {
    setSaving(true)
    setRefusal(null)
    try {
      await onSave(body)
    } catch (error) {
      onRefused(error instanceof ApiFault ? error.issues : [])
      setRefusal({ of, text: sentenceOf(error) })
    }
    setSaving(false)
  }
  return (
    <>
      <section aria-label="As code" className={style['part']}>
        <CodePart kind={kind} body={body} />
      </section>
      <section aria-label="Save" className={`${style['part']} ${style['last']}`}>
        <div className={style['line']}>
          <label className={`${style['line']} ${style['wide']}`}>
            <span className={style['label']}>Name</span>
            <input
              className={`${controls['input']} ${style['wide']}`}
              maxLength={200}
              placeholder={suggested}
              value={name}
              onChange={({ target }) => onName(target.value)}
              {...faultOf(fault)}
            />
          </label>
          <ActionButton
            refused={refused}
            isBusy={isSaving || isPending}
            isMain
            className={style['watch']}
            onAct={() => void save()}
          >
            {isSaving ? 'Saving…' : word}
          </ActionButton>
        </div>
        <FaultLine {...fault} />
        {effect !== null && <p className={style['soft']}>{effect}</p>}
        {refusal?.of === of && (
          <p role="alert" className={style['fault']}>
            {refusal.text}
          </p>
        )}
      </section>
    </>
  )
}
