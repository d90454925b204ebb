import { useMutation } from '@tanstack/react-query'
import { askText } from '../api/client.ts'
import { Notice } from '../app/notice.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import { fileName } from '../parts/file-name.ts'
import { saveFile } from '../parts/save-file.ts'
import type { Place } from './any-monitor.ts'
import style from './runs.module.css'

const FORMATS = [
  ['csv', 'text/csv', 'runs/export'],
  ['json', 'application/json', 'runs/export/json'],
] as const

export interface ExportRunsProps {
  readonly place: Place
  /** Of the monitor. The file has it in its own. */
  readonly name: string
}

/** Saves what a monitor has found, as a file. */
export function ExportRuns({ place: { path }, name }: ExportRunsProps) {
  const exported = useMutation({
    mutationFn: async ([format, type, route]: (typeof FORMATS)[number]) => {
      const text = await askText(`${path}/${route}`, type, new AbortController().signal)
      saveFile(text, { name: [fileName(name), 'history'].filter(Boolean).join('-'), type, format })
    },
  })
  const acts = FORMATS.map((file) => ({
    id: `export-${file[0]}`,
    title: `Export ${file[0].toUpperCase()}`,
    refused: null,
    act: () => exported.mutate(file),
  }))
  useCommands(acts)
  return (
    <div className={style['export']}>
      {acts.map(({ id, title, act }) => (
        <ActionButton key={id} refused={null} isBusy={exported.isPending} onAct={act}>
          {title}
        </ActionButton>
      ))}
      <span role="status">
        {exported.isPending && 'The file is being read…'}
        {exported.isSuccess && 'The file is saved: each run that did not find the same again, 50,000 at most.'}
      </span>
      {exported.error !== null && <Notice error={exported.error} />}
    </div>
  )
}
