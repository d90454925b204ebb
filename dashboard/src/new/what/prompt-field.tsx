import type { Issue } from '../../api/client.ts'
import type { Draft } from '../draft/draft.ts'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import style from '../new.module.css'

interface PromptFieldProps {
  readonly prompt: string
  readonly issues: readonly Issue[]
  onChange(change: (draft: Draft) => Draft): void
}

/** What a model is to read from the page. A look does not ask it. */
export function PromptField({ prompt, issues, onChange }: PromptFieldProps) {
  const fault = { id: 'prompt-fault', issues, path: 'extract_config.prompt' }
  return (
    <label className={style['stacked']}>
      <span className={style['label']}>What a model reads from the page</span>
      <textarea
        className={style['area']}
        rows={4}
        maxLength={2000}
        placeholder="The price of the kettle, and whether it is in stock"
        value={prompt}
        onChange={({ target }) => onChange((before) => ({ ...before, prompt: target.value }))}
        {...faultOf(fault)}
      />
      <FaultLine {...fault} />
      <span className={style['soft']}>Each check asks the model. Its values are seen with the first run.</span>
    </label>
  )
}
