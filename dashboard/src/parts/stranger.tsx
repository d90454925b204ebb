import style from './stranger.module.css'
import { codeOf, UNSEEN } from './with-codes.ts'

/** Alphabets with letters that look alike. */
const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u]

/** Returns whether a text has letters of several alphabets that look alike, as `Аdа` with two of Cyrillic. */
const isMixed = (text: string): boolean => ALPHABETS.filter((letters) => letters.test(text)).length > 1

/**
 * A name that somebody chose. It cannot turn the text around it, hides no character, and says where its letters are of
 * several alphabets: such a name may imitate another one.
 */
export function Stranger({ text }: { readonly text: string }) {
  const parts = text.split(UNSEEN)
  return (
    <>
      <bdi className={style['name']}>
        {parts.map((part, nth) =>
          nth % 2 === 0 ? (
            part
          ) : (
            <code key={`${nth} ${part}`} className={style['code']} title="A character that shows nothing">
              {codeOf(part)}
            </code>
          ),
        )}
      </bdi>
      {isMixed(text) && (
        <span className={style['mixed']} title="Some of its letters look like those of another alphabet.">
          mixed alphabets
        </span>
      )}
    </>
  )
}
