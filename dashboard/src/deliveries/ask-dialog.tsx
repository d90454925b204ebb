import { Button } from 'react-aria-components/Button'
import { Heading } from 'react-aria-components/Dialog'
import { ModalDialog } from '../parts/modal-dialog.tsx'
import controls from '../style/controls.module.css'
import style from './deliveries.module.css'

/** What is about to be done with many deliveries. */
export interface Question {
  readonly title: string
  readonly text: string
  readonly word: string
  onYes(): void
}

/** Asks before many messages are sent, or some are dropped. */
export const AskDialog = ({ question, onClose }: { readonly question: Question; onClose(): void }) => (
  <ModalDialog role="alertdialog" className={style['dialog']} onClose={onClose}>
    <Heading slot="title" level={1}>
      {question.title}
    </Heading>
    <p>{question.text}</p>
    <div className={style['ends']}>
      <Button className={controls['button'] ?? ''} onPress={onClose}>
        Leave them
      </Button>
      <Button
        className={`${controls['button']} ${controls['main']}`}
        onPress={() => {
          onClose()
          question.onYes()
        }}
      >
        {question.word}
      </Button>
    </div>
  </ModalDialog>
)
