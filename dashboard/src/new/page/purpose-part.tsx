import { Choice } from '../../parts/choice.tsx'
import controls from '../../style/controls.module.css'
import { readsElements } from '../draft/draft.ts'
import { picturesOf, type Purpose, withoutRegion, withTakenIn, withVisual } from '../draft/picked.ts'
import type { Form } from '../draft/use-draft.ts'
import page from './page.module.css'

const PURPOSES = [
  ['value', 'Read its value'],
  ['ignore', 'Leave it out'],
  ['region', 'Compare only it in pictures'],
] as const

interface PurposePartProps {
  readonly form: Form
  readonly purpose: Purpose
  onPurpose(purpose: Purpose): void
}

/** What a press on the page does, and what was pressed for another reason than its value. */
export function PurposePart({ form: { draft, change }, purpose, onPurpose }: PurposePartProps) {
  const { more } = draft
  const without = readsElements(draft) ? draft.without : []
  const ignore = [...new Set([...without, ...draft.ignore])]
  const visual = more.visual_config
  const regions = visual?.enabled ? (visual.regions ?? []) : []
  const isReadWhole = draft.kind === 'full_page' || visual?.enabled
  const isAll = visual?.enabled === true && regions.length === 0
  return (
    <>
      <Choice label="What a press on the page does" value={purpose} choices={PURPOSES} onChoose={onPurpose} />
      {(ignore.length > 0 || regions.length > 0 || isAll) && (
        <ul className={page['covers']} aria-label="Chosen for another reason than its value">
          {ignore.map((selector) => (
            <Line
              key={`out ${selector}`}
              text={
                isReadWhole || without.includes(selector)
                  ? 'Left out:'
                  : 'Left out of whole pages and pictures, which are not watched yet:'
              }
              selector={selector}
              onRemove={() => change((before) => withTakenIn(before, selector))}
            />
          ))}
          {regions.map(({ selector, rect, label }, at) => (
            <Line
              key={`in ${selector ?? ''} ${at}`}
              text="Compared in pictures:"
              selector={selector ?? label ?? (rect ? `${rect.width} × ${rect.height} px` : '')}
              onRemove={() => change((before) => withoutRegion(before, at))}
            />
          ))}
          {isAll && (
            <li>
              <span>Whole pictures are compared.</span>
              <button
                type="button"
                className={controls['quiet']}
                onClick={() => change((before) => withVisual(before, picturesOf(before, false)))}
              >
                Take none
              </button>
            </li>
          )}
        </ul>
      )}
    </>
  )
}

interface LineProps {
  readonly text: string
  readonly selector: string
  onRemove(): void
}

const Line = ({ text, selector, onRemove }: LineProps) => (
  <li>
    <span>
      {text} <code>{selector}</code>
    </span>
    <button type="button" className={controls['quiet']} aria-label={`Remove ${selector}`} onClick={onRemove}>
      Remove
    </button>
  </li>
)
