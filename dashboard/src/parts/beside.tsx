import style from './beside.module.css'

interface BesideProps {
  /** Null: the value cannot be shown in a line. What was not there is a word of the API, `nothing`. */
  readonly before: string | null
  readonly after: string | null
}

/** What a field was before, and what it became. */
export const Beside = ({ before, after }: BesideProps) => (
  <>
    <Value text={before} look="before" />
    <span className={style['arrow']} role="img" aria-label="became">
      →
    </span>
    <Value text={after} look="after" />
  </>
)

const Value = ({ text, look }: { readonly text: string | null; readonly look: 'before' | 'after' }) =>
  text === null ? (
    <span className={style['before']} title="The run has the value.">
      …
    </span>
  ) : (
    <bdi className={style[look]}>{text}</bdi>
  )
