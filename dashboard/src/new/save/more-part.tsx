import type { Issue } from '../../api/client.ts'
import controls from '../../style/controls.module.css'
import { isOfMore } from '../draft/draft-body.ts'
import type { Draft, More } from '../draft/draft.ts'
import { issuesAt } from '../draft/path-of.ts'
import { picturesOf, withVisual } from '../draft/picked.ts'
import { linesOf, objectOf, pairsOf, textOfPairs } from '../draft/text-forms.ts'
import { FaultLine } from '../form/fault-line.tsx'
import { Folded } from '../form/folded.tsx'
import { TextArea } from '../form/text-area.tsx'
import form from '../new.module.css'
import { NumberInput } from '../when/number-input.tsx'
import { RequestFields } from './request-fields.tsx'

interface MorePartProps {
  readonly draft: Draft
  readonly issues: readonly Issue[]
  onChange(change: (draft: Draft) => Draft): void
}

const textOfJson = (value: object): string => JSON.stringify(value, null, 2)

/** Returns settings as somebody writes them as JSON. Undefined: a key is none of them. */
function moreOf(text: string): More | undefined {
  const value = objectOf(text)
  return value !== undefined && Object.keys(value).every(isOfMore) ? value : undefined
}

/** Settings that are JSON here alone. */
const OTHERS = ['notify_on', 'isolation', 'external_key'] as const
/** What stands here, by the paths of issues. */
const PATHS = [
  'request_headers',
  'request_config',
  'extract_config.wait_for',
  'extract_config.ignore',
  'visual_config',
  'labels',
  ...OTHERS,
] as const

/** All that a monitor has besides. It is folded. */
export function MorePart({ draft, issues, onChange }: MorePartProps) {
  const { more, waitFor } = draft
  const { labels = {}, visual_config: visual } = more
  const set = (change: Partial<More>) => onChange((before) => ({ ...before, more: { ...before.more, ...change } }))
  return (
    <section aria-label="More settings" className={form['part']}>
      <Folded
        summary="More settings: the request, waiting, pictures, labels"
        isSet={false}
        hasFault={PATHS.some((path) => issuesAt(issues, path).length > 0)}
      >
        <RequestFields draft={draft} issues={issues} onChange={onChange} />
        <label className={form['stacked']}>
          <span className={form['label']}>Wait for an element (a CSS selector)</span>
          <input
            className={controls['input']}
            spellCheck={false}
            maxLength={1000}
            value={waitFor}
            onChange={({ target }) => onChange((before) => ({ ...before, waitFor: target.value }))}
          />
          <FaultLine id="wait-fault" issues={issues} path="extract_config.wait_for" />
        </label>
        <LeftOutFields draft={draft} issues={issues} onChange={onChange} />
        <PicturesField
          visual={visual ?? null}
          issues={issues}
          onEnabled={(enabled) => onChange((before) => withVisual(before, picturesOf(before, enabled)))}
          onChange={(next) => set({ visual_config: next })}
        />
        <TextArea
          label="Labels, one a line"
          placeholder="team=shop"
          value={labels}
          rows={2}
          textOf={(pairs) => textOfPairs(pairs, '=')}
          valueOf={(text) => pairsOf(text, '=')}
          onChange={(next) => set({ labels: next })}
        >
          <FaultLine id="labels-fault" issues={issues} path="labels" />
        </TextArea>
        <TextArea
          label="All of these settings as JSON"
          value={more}
          rows={8}
          textOf={textOfJson}
          valueOf={moreOf}
          onChange={(next) => onChange((before) => ({ ...before, more: next }))}
        >
          {OTHERS.map((path) => (
            <FaultLine key={path} id={`${path}-fault`} issues={issues} path={path} />
          ))}
          <span className={form['soft']}>
            Also notices, rectangles of pictures and what else there is:{' '}
            <a href="/docs/reference/monitors">the reference</a> has each.
          </span>
        </TextArea>
      </Folded>
    </section>
  )
}

/** What the page is read without. */
const LeftOutFields = ({ draft: { ignore, without, patterns }, issues, onChange }: MorePartProps) => (
  <>
    <TextArea
      label="Left out of what selectors and prompts read: CSS selectors, one a line"
      value={without}
      rows={2}
      textOf={(lines) => lines.join('\n')}
      valueOf={linesOf}
      onChange={(next) => onChange((before) => ({ ...before, without: next }))}
    />
    <TextArea
      label="Left out of whole pages: CSS selectors, one a line"
      value={ignore}
      rows={2}
      textOf={(lines) => lines.join('\n')}
      valueOf={linesOf}
      onChange={(next) => onChange((before) => ({ ...before, ignore: next }))}
    />
    <TextArea
      label="Left out of whole pages: lines that match a pattern, one a line"
      value={patterns}
      rows={2}
      textOf={(lines) => lines.join('\n')}
      valueOf={linesOf}
      onChange={(next) => onChange((before) => ({ ...before, patterns: next }))}
    />
    <FaultLine id="ignore-fault" issues={issues} path="extract_config.ignore" />
  </>
)

type Visual = NonNullable<More['visual_config']>

interface PicturesFieldProps {
  readonly visual: Visual | null
  readonly issues: readonly Issue[]
  onEnabled(enabled: boolean): void
  onChange(visual: Visual): void
}

/** Whether pictures are taken, and how much of one has to differ. */
const PicturesField = ({ visual, issues, onEnabled, onChange }: PicturesFieldProps) => (
  <>
    <div className={form['line']}>
      <label className={form['line']}>
        <input
          type="checkbox"
          checked={visual?.enabled ?? false}
          onChange={({ target }) => onEnabled(target.checked)}
        />
        Take pictures and compare them
      </label>
      {visual?.enabled && (
        <span className={form['line']}>
          and tell when
          <NumberInput
            label="Percent of the picture"
            value={visual.thresholdPct ?? 1}
            onChange={(thresholdPct) => onChange({ ...visual, thresholdPct })}
          />
          % of it or more differ
        </span>
      )}
    </div>
    <FaultLine id="visual-fault" issues={issues} path="visual_config" />
  </>
)
