import { Notice } from '../app/notice.tsx'
import { ChangeRow } from '../changes/change-row.tsx'
import changes from '../changes/changes.module.css'
import { useChanges } from '../changes/use-changes.ts'
import { MoreRows } from '../parts/more-rows.tsx'
import style from './deliveries.module.css'

/** What fired and was not sent, the newest first, each with the reason. */
export function NotSent() {
  const list = useChanges('silent')
  const { changes: found, error, see, unsee } = list
  return (
    <>
      <p className={style['note']}>These changes met the condition of their monitor, and nobody was written to.</p>
      {error !== null && <Notice error={error} />}
      {found === null && error === null && <p role="status">Loading…</p>}
      {found?.length === 0 && <p className={style['nothing']}>Everything that fired was sent.</p>}
      <ol className={changes['rows']} hidden={found === null || found.length === 0}>
        {found?.map((change) => (
          <ChangeRow key={change.run_id} change={change} onSee={() => see(change)} onUnsee={() => unsee(change)} />
        ))}
      </ol>
      <MoreRows list={list}>Show older ones</MoreRows>
    </>
  )
}
