import { type ReactNode, useRef } from 'react'
import { MESSAGE_LIMITS } from '../../api/delivery-choices.ts'
import type { MessageName } from '../../api/service.ts'
import type { DeliveryConfig } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'
import own from './whom.module.css'

type Message = NonNullable<DeliveryConfig['message']>

interface MessageFieldsProps {
  /** Which destinations it is about, for a screen reader. */
  readonly of: string
  readonly message: Message | undefined
  /** The names that it can have. */
  readonly names: readonly MessageName[]
  readonly children: ReactNode
  /** Undefined: messages say what they always say. */
  onChange(message: Message | undefined): void
}

/** The headline and the text of messages, with the names that are replaced by values. */
export function MessageFields({ of, message, names, children, onChange }: MessageFieldsProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const { title = '', text = '' } = message ?? {}
  function set(change: Message) {
    const next = { title, text, ...change }
    const kept = Object.fromEntries(Object.entries(next).filter(([, words]) => words !== ''))
    onChange(Object.keys(kept).length === 0 ? undefined : kept)
  }
  /** Puts a name where the cursor is, or at the end. */
  function put(name: string) {
    const { selectionStart: from = text.length, selectionEnd: to = text.length } = area.current ?? {}
    const written = `{{${name}}}`
    const next = text.slice(0, from) + written + text.slice(to)
    // Half of a name would be a fault.
    if (next.length > MESSAGE_LIMITS.text) return
    set({ text: next })
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(from + written.length, from + written.length)
    })
  }
  return (
    <>
      <label className={style['stacked']}>
        <span className={style['label']}>Headline</span>
        <input
          className={controls['input']}
          aria-label={`${of}: headline`}
          maxLength={MESSAGE_LIMITS.title}
          placeholder="{{monitor.name}} changed"
          value={title}
          onChange={({ target }) => set({ title: target.value })}
        />
      </label>
      <label className={style['stacked']}>
        <span className={style['label']}>Text</span>
        <textarea
          ref={area}
          className={style['area']}
          aria-label={`${of}: text`}
          rows={3}
          maxLength={MESSAGE_LIMITS.text}
          placeholder="As messages always say it"
          value={text}
          onChange={({ target }) => set({ text: target.value })}
        />
      </label>
      {children}
      <details className={style['others']}>
        <summary>Names that are replaced by values</summary>
        <ul className={own['names']} aria-label={`${of}: names`}>
          {names.map(({ name, means }) => (
            <li key={name}>
              <button type="button" className={style['place']} onClick={() => put(name)}>
                <code>{`{{${name}}}`}</code> <span className={style['soft']}>{means}</span>
              </button>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}
