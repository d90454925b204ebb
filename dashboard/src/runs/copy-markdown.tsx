import { useState } from 'react'
import { Copyable, writeClipboard } from '../monitor/copy.tsx'
import { useCommands } from '../parts/commands.ts'
import controls from '../style/controls.module.css'
import { changeMarkdown } from './change-markdown.ts'
import type { ListedChange } from './use-run.ts'

/** Copies a change as Markdown. Where a page may not write to the clipboard, the text is shown to be copied. */
export function CopyMarkdown({ change }: { readonly change: ListedChange }) {
  const [shown, setShown] = useState<string | null>(null)
  const [isCopied, setCopied] = useState(false)
  async function copy() {
    const text = changeMarkdown(change, location.origin + location.pathname)
    const isDone = await writeClipboard(text)
    setCopied(isDone)
    setShown(isDone ? null : text)
  }
  const act = () => void copy()
  useCommands([{ id: 'markdown', title: 'Copy this change as Markdown', refused: null, act }])
  return (
    <>
      <button type="button" className={controls['button']} onClick={act}>
        Copy as Markdown
      </button>
      <span role="status">{isCopied && 'It is copied.'}</span>
      {shown !== null && <Copyable text={shown} label="The change as Markdown" />}
    </>
  )
}
