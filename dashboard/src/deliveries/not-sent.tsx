import { Link } from 'wouter'
import { Notice } from '../app/notice.tsx'
import { ChangeRow } from '../changes/change-row.tsx'
import changes from '../changes/changes.module.css'
import { useChanges } from '../changes/use-changes.ts'
import { CHIPS, useOverviewCounts } from '../monitors/use-counts.ts'
import { MoreRows } from '../parts/more-rows.tsx'
import style from './deliveries.module.css'

/** What fired and was not sent, the newest first, each with the reason. */
export function NotSent() {
  const list = useChanges('silent')
  const { changes: found, error, see, unsee } = list
  return (
    <>
      <p className={style['note']}>These changes met the condition of their monitor, and nobody was written to.</p>
      <NotChecked />
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

/** The monitors that the plan locks: they are not checked, so that nothing of them fires. */
function NotChecked() {
  const { by_status: statuses = [] } = useOverviewCounts('', CHIPS, true) ?? {}
  const count = statuses.find(({ status }) => status === 'billing_paused')?.count ?? 0
  if (count === 0) return null
  return (
    <p className={style['note']}>
      The plan locks {count === 1 ? 'a monitor' : `${count.toLocaleString('en')} monitors`}, which{' '}
      {count === 1 ? 'is' : 'are'} not checked: nothing fires there.{' '}
      <Link href="/?status=billing_paused">Show them</Link> or see <Link href="/usage">the plan</Link>.
    </p>
  )
}
