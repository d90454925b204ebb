import { ADVICE, FAULTS, type Look } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'
import { Find } from './find.tsx'
import page from './page.module.css'
import { Picture } from './picture.tsx'
import { Tree } from './tree.tsx'
import { UNREADABLE } from './unreadable.ts'
import type { Pointing } from './use-pointing.ts'

interface PagePartProps {
  readonly look: Look
  readonly pointing: Pointing
  readonly matches: readonly number[]
  /** Leaves something out of whole pages and pictures, or takes it in again. */
  onIgnore(index: number, isHidden: boolean): void
}

const TREE_HEIGHT = 234

/** The page as a browser shows it: its picture, what covers it, and its elements as a tree. */
export function PagePart({ look, pointing, matches, onIgnore }: PagePartProps) {
  const { elements } = look
  const { family, active, isAsking, refusal } = pointing
  const chosen = active === null ? undefined : elements[active]
  return (
    <div className={style['page']}>
      <Find
        family={family}
        count={elements.length}
        textOf={(index) => elements[index]?.text ?? ''}
        nameOf={(index) => elements[index]?.tag ?? ''}
        onChoose={pointing.point}
      />
      <Covers look={look} pointing={pointing} onIgnore={onIgnore} />
      <Picture look={look} pointing={pointing} matches={matches} />
      <p id="pointed-at" className={page['pointed']} aria-live="polite">
        {chosen === undefined ? (
          'Press on an element.'
        ) : (
          <>
            <code>{chosen.tag}</code> <bdi>{chosen.text}</bdi>
            {chosen.unreadable !== null && ` (${UNREADABLE[chosen.unreadable]})`}
            {isAsking && ' …'}
          </>
        )}
      </p>
      {refusal !== null && (
        <p role="alert" className={style['fault']}>
          {refusal}
        </p>
      )}
      <Tree
        key={look.id}
        label="Elements of the page"
        family={family}
        active={active}
        chosen={active}
        height={TREE_HEIGHT}
        node={(index) => {
          const { tag = '', text = '', unreadable = null } = elements[index] ?? {}
          return { name: tag, text, isRefused: unreadable !== null }
        }}
        onGo={pointing.go}
        onChoose={pointing.point}
      />
    </div>
  )
}

/** What stays in front of the page. Hiding it lets the pointer through. */
const Covers = ({ look: { covers, elements }, pointing, onIgnore }: Omit<PagePartProps, 'matches'>) =>
  covers.length > 0 && (
    <ul className={page['covers']} aria-label="In front of the page">
      {covers.map(({ element, share_pct: share }) => {
        const isHidden = pointing.hidden.has(element)
        return (
          <li key={element}>
            <span>
              Covers {Math.round(share)} %: <bdi>{elements[element]?.text}</bdi>
            </span>
            <button type="button" className={controls['button']} onClick={() => onIgnore(element, !isHidden)}>
              {isHidden ? 'Show this' : 'Hide this'}
            </button>
          </li>
        )
      })}
    </ul>
  )

/** What the look found out about the page, and what could not be read. */
export function LookNotes({ look }: { readonly look: Look }) {
  const { fetched, rendered } = look.documents
  const failed = [
    ['Without a browser', fetched],
    ['In a browser', rendered],
  ] as const
  const isNothing = !fetched.is_there && !rendered.is_there
  return (
    <div className={page['notes']}>
      {!isNothing && !look.needs_browser && fetched.is_there && <p>It needs no browser: a plain request is enough.</p>}
      {failed.map(([way, { error_code: code, error_message: message }]) =>
        code === null ? null : (
          <p key={way} role={isNothing ? 'alert' : undefined} className={isNothing ? style['fault'] : undefined}>
            {`${way}: ${FAULTS[code]} `}
            {message !== null && <bdi>{message} </bdi>}
            {isNothing && `${ADVICE[code]} `}
            {code !== 'not_available' && 'Look again to try it once more.'}
          </p>
        ),
      )}
      {look.warnings.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  )
}
