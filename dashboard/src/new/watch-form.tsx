import { useState } from 'react'
import type { Look, MonitorCreate } from '../api/types.ts'
import { bodyOf, configOf } from './draft/draft-body.ts'
import { type ChosenRule, languageOf, namesOf, withChosen } from './draft/draft.ts'
import { messageNames } from './draft/message-names.ts'
import { notifiedOf, withNotified } from './draft/notified.ts'
import { type Purpose, withPicked } from './draft/picked.ts'
import { suggestedName } from './draft/suggested-name.ts'
import type { Form } from './draft/use-draft.ts'
import style from './new.module.css'
import { OutlinePart } from './page/outline-part.tsx'
import { LookNotes, PagePart } from './page/page-part.tsx'
import { PurposePart } from './page/purpose-part.tsx'
import { useIgnoring } from './page/use-ignoring.ts'
import type { Looking } from './page/use-look.ts'
import { type Pointing, usePointing } from './page/use-pointing.ts'
import { MorePart } from './save/more-part.tsx'
import { SavePart } from './save/save-part.tsx'
import { type Tried, useTried } from './what/use-tried.ts'
import { WhatPart } from './what/what-part.tsx'
import { OftenPart } from './when/often-part.tsx'
import { WhenPart } from './when/when-part.tsx'
import { WhomPart } from './whom/whom-part.tsx'

interface WatchFormProps {
  readonly form: Form
  readonly looking: Looking
  readonly look: Look
  /** Another address is to be looked at. */
  onLook(url: string): void
  /** What is stored now, by its tag: with another one, the destinations are others. */
  readonly tag?: string
  /** What the button says. */
  readonly word: string
  onSave(body: MonitorCreate): Promise<void>
  /** Returns what saving this does besides. Null: nothing. */
  effectOf?(body: MonitorCreate): string | null
}

const NONE: readonly number[] = []

/** All of a monitor beside its address: the page to point at, and what is watched of it. */
export function WatchForm({ form, looking, look, onLook, tag, word, onSave, effectOf }: WatchFormProps) {
  const { draft, issues, change } = form
  const config = configOf(draft)
  const tried = useTried(looking, look, config)
  const { fields: values, needsBrowser } = tried
  const [purpose, setPurpose] = useState<Purpose>('value')
  const pointing = usePointing({
    look,
    hasEnded: looking.hasEnded,
    // What is left out, and what is compared in pictures, is named by a selector of CSS.
    language: purpose === 'value' ? languageOf(draft) : 'css',
    onFound: (found) => change((before) => withPicked(before, found, { purpose, draft })),
    onRefused: looking.noteEnd,
  })
  const choose = (chosen: ChosenRule) => change((before) => withChosen(before, chosen))
  const suggested = suggestedName(draft.url, look)
  const body = bodyOf(draft, { suggestedName: suggested, needsBrowser })
  return (
    <div className={style['columns']} data-unlooked={look.id === '' ? '' : undefined}>
      <LeftPart
        form={form}
        look={look}
        tried={tried}
        pointing={pointing}
        purpose={purpose}
        onPurpose={setPurpose}
        onChoose={choose}
      />
      <div className={style['right']}>
        <WhatPart
          form={form}
          looking={looking}
          look={look}
          tried={tried}
          pointing={purpose === 'value' ? pointing : { ...pointing, candidates: null }}
          onCandidate={choose}
          onLook={onLook}
        />
        <section aria-label="When to tell" className={style['part']}>
          <h2>When</h2>
          <WhenPart
            predicate={draft.predicate}
            config={config}
            names={namesOf(draft)}
            values={values}
            issues={issues}
            onChange={(predicate) => change((before) => ({ ...before, predicate, isOwnCondition: true }))}
          />
          <OftenPart
            interval={draft.interval}
            usesBrowser={draft.usesBrowser ?? needsBrowser}
            needsBrowser={needsBrowser}
            issues={issues}
            onInterval={(interval) => change((before) => ({ ...before, interval }))}
            onBrowser={(usesBrowser) => change((before) => ({ ...before, usesBrowser }))}
          />
        </section>
        <WhomSection key={tag} form={form} />
        <MorePart draft={draft} issues={issues} onChange={change} />
        <SavePart
          kind="Monitor"
          name={draft.name}
          suggested={suggested}
          body={body}
          issues={issues}
          onName={(name) => change((before) => ({ ...before, name }))}
          onRefused={form.refuse}
          isPending={tried.isPending}
          effect={effectOf?.(body) ?? null}
          word={word}
          onSave={onSave}
        />
      </div>
    </div>
  )
}

/** Who is notified of the changes of a page. */
const WhomSection = ({ form: { draft, issues, change } }: Pick<WatchFormProps, 'form'>) => (
  <section aria-label="Whom" className={style['part']}>
    <h2>Whom</h2>
    <WhomPart
      notified={notifiedOf(draft)}
      names={messageNames({
        kind: 'page',
        fields: namesOf(draft),
        labels: Object.keys(draft.more.labels ?? {}),
      })}
      issues={issues}
      onChange={(next) => change((before) => withNotified(before, next(notifiedOf(before))))}
    />
  </section>
)

interface LeftPartProps {
  readonly form: Form
  readonly look: Look
  readonly tried: Tried
  readonly pointing: Pointing
  readonly purpose: Purpose
  onPurpose(purpose: Purpose): void
  onChoose(chosen: ChosenRule): void
}

/** The page to point at: a picture with its elements, or the tree of a document. */
function LeftPart({ form, look, tried, pointing, purpose, onPurpose, onChoose }: LeftPartProps) {
  const { draft } = form
  const ignoring = useIgnoring(look, form, pointing.hide)
  const active = draft.kind === 'full_page' ? undefined : draft.fields[draft.active]?.name
  return (
    <section className={style['left']} aria-label="The page">
      {look.id === '' ? (
        <p className={style['soft']}>Look at the page to point at what you want to watch.</p>
      ) : (
        <LookNotes look={look} />
      )}
      {look.outline !== null && <OutlinePart key={look.id} outline={look.outline} onChoose={onChoose} />}
      {look.outline === null && look.elements.length > 0 && (
        <div className={style['page']}>
          <PurposePart form={form} purpose={purpose} onPurpose={onPurpose} />
          <PagePart
            look={look}
            pointing={pointing}
            matches={active === undefined ? NONE : (tried.matches[active]?.elements ?? NONE)}
            onIgnore={ignoring}
          />
        </div>
      )}
    </section>
  )
}
