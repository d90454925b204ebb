import type { Look } from '../../api/types.ts'
import { configOf, withPreset } from '../draft/draft-body.ts'
import type { Draft } from '../draft/draft.ts'
import type { Form } from '../draft/use-draft.ts'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'
import type { Looking } from '../page/use-look.ts'
import type { Pointing } from '../page/use-pointing.ts'
import type { Candidate } from './candidates.tsx'
import { FieldsPart } from './fields-part.tsx'
import { Guesses } from './guesses.tsx'
import type { Tried } from './use-tried.ts'

interface WhatPartProps {
  readonly form: Form
  readonly looking: Looking
  readonly look: Look
  readonly tried: Tried
  readonly pointing: Pointing
  onCandidate(candidate: Candidate): void
  /** Another address is to be looked at. */
  onLook(url: string): void
}

/** What is watched of the page: a guess, or rules with the values that a run would store. */
export function WhatPart({ form, looking, look, tried, pointing, onCandidate, onLook }: WhatPartProps) {
  const { draft, issues, change } = form
  const { error, failure, ofRules } = tried
  return (
    <section aria-label="What" className={style['part']}>
      <h2>What</h2>
      <Guesses
        guesses={look.guesses}
        chosen={guessOf(look, draft)}
        onChoose={(index) => {
          const guess = look.guesses[index]
          if (guess) change((before) => withPreset(before, guess))
          if (guess?.url) onLook(guess.url)
        }}
      />
      <FieldsPart
        draft={draft}
        issues={[...issues, ...ofRules]}
        values={tried.fields}
        matches={tried.matches}
        isLooked={tried.isLooked}
        isOld={tried.isOld}
        candidates={pointing.candidates}
        onChange={change}
        onCandidate={onCandidate}
      />
      {failure !== null && (
        <p role="alert" className={style['fault']}>
          <bdi>{failure}</bdi>
        </p>
      )}
      {error !== null && ofRules.length === 0 && !looking.hasEnded && (
        <p role="alert" className={style['fault']}>
          {sentenceOf(error)}
        </p>
      )}
    </section>
  )
}

/** Returns the guess that a draft is as it was made. */
function guessOf({ guesses }: Look, draft: Draft): number | null {
  const config = JSON.stringify(configOf(draft))
  const found = guesses.findIndex(({ extract_config: one }) => JSON.stringify(one) === config)
  return found < 0 ? null : found
}
