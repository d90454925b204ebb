import { useRef, useState } from 'react'
import controls from '../style/controls.module.css'
import style from './monitor.module.css'

interface CopyableProps {
  readonly text: string
  /** What it is, in a word. */
  readonly label: string
}

/**
 * A text with a button that copies it. Where a page may not write to the clipboard, as over plain http, the button
 * selects the text.
 */
export function Copyable({ text, label }: CopyableProps) {
  const shown = useRef<HTMLPreElement>(null)
  const [done, setDone] = useState('')
  async function copy() {
    const isCopied = await writeClipboard(text)
    if (!isCopied && shown.current) getSelection()?.selectAllChildren(shown.current)
    setDone(isCopied ? 'It is copied.' : 'It is selected: copy it with Ctrl C or ⌘ C.')
  }
  return (
    <div className={style['copyable']}>
      {/* What scrolls is reached by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre ref={shown} role="region" tabIndex={0} aria-label={label} className={style['text']}>
        {text}
      </pre>
      <span className={style['tools']}>
        <button type="button" className={controls['button']} onClick={() => void copy()}>
          Copy
        </button>
        <span role="status">{done}</span>
      </span>
    </div>
  )
}

/** Returns whether the text is in the clipboard: a page may not write there over plain http. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
