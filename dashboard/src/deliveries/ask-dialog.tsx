import { ConfirmDialog } from '../parts/confirm-dialog.tsx'

/** What is about to be done with many deliveries. */
export interface Question {
  readonly title: string
  readonly text: string
  readonly word: string
  /** What is dropped is never sent. */
  readonly isEnd?: boolean
  onYes(): void
}

/** Asks before many messages are sent, or some are dropped. */
export const AskDialog = ({ question, onClose }: { readonly question: Question; onClose(): void }) => (
  <ConfirmDialog
    title={question.title}
    action={question.word}
    isEnd={question.isEnd ?? false}
    isBusy={false}
    error={null}
    onClose={onClose}
    onAct={() => {
      onClose()
      question.onYes()
    }}
  >
    <p>{question.text}</p>
  </ConfirmDialog>
)
