import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Heading } from 'react-aria-components/Dialog'
import { sentenceOf } from '../new/form/sentence-of.ts'
import controls from '../style/controls.module.css'
import style from './confirm-dialog.module.css'
import { ModalDialog } from './modal-dialog.tsx'

interface ConfirmDialogProps {
  readonly title: string
  /** What the button says. */
  readonly action: string
  /** It ends something: the button says so by its colour. */
  readonly isEnd?: boolean
  readonly isBusy: boolean
  /** What is still missing. Null: it may be done. */
  readonly missing?: string | null
  /** The last refusal. */
  readonly error: unknown
  readonly children: ReactNode
  onAct(): void
  onClose(): void
}

/**
 * Asks before something is done, with what goes with it. It stays open with the reason where it was refused. While it
 * is being done it is not left: the answer, such as a new key, would be lost.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, isEnd = false, isBusy, missing = null, error, children, onAct, onClose } = props
  return (
    <ModalDialog role={isEnd ? 'alertdialog' : 'dialog'} className={style['dialog']} {...(!isBusy && { onClose })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (missing === null && !isBusy) onAct()
        }}
      >
        <Heading slot="title" level={1}>
          {title}
        </Heading>
        <div className={style['what']}>{children}</div>
        {error !== null && (
          <p role="alert" className={style['fault']}>
            {sentenceOf(error)}
          </p>
        )}
        <div className={style['ends']}>
          {missing !== null && <span className={style['missing']}>{missing}</span>}
          <Button className={controls['button'] ?? ''} isDisabled={isBusy} onPress={onClose}>
            {isEnd ? 'Keep' : 'Cancel'}
          </Button>
          <Button
            type="submit"
            className={`${controls['button']} ${isEnd ? style['end'] : controls['main']}`}
            isDisabled={missing !== null || isBusy}
          >
            {action}
          </Button>
        </div>
      </form>
    </ModalDialog>
  )
}
