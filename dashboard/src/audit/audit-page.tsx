import { ApiFault, serverNow } from '../api/client.ts'
import { Notice } from '../app/notice.tsx'
import { useRefusal } from '../app/use-refusal.ts'
import { dayOf } from '../changes/grouped.ts'
import { sentenceOf } from '../new/form/sentence-of.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import controls from '../style/controls.module.css'
import { NotShown } from '../team/not-shown.tsx'
import { TeamArea } from '../team/team-area.tsx'
import style from './audit.module.css'
import { EventRow } from './event-row.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type AuditFilters, useFilters } from './filters.ts'
import { useAudit } from './use-audit.ts'
import { type Format, FORMATS, useExport } from './use-export.ts'

const NAMES = Object.keys(FORMATS) as readonly Format[]

/** Who did what in the team, and when. */
export function AuditPage() {
  const unread = useRefusal('audit.read')
  const unexported = useRefusal('audit.export')
  const [filters, change] = useFilters()
  const exported = useExport(filters)
  const commands = NAMES.map((format) => ({
    id: `export-${format}`,
    title: `Export the audit log as ${FORMATS[format].word}`,
    refused: unexported,
    act: () => exported.mutate(format),
  }))
  useCommands(commands)
  return (
    <TeamArea
      path="/audit"
      actions={commands.map(({ id, title, refused, act }, nth) => (
        <ActionButton key={id} refused={refused} isBusy={exported.isPending} onAct={act}>
          <span className={controls['unseen-by-eye']}>{title}</span>
          <span aria-hidden="true">Export {FORMATS[NAMES[nth] ?? 'csv'].word}</span>
        </ActionButton>
      ))}
    >
      <p role="status" className={style['said']}>
        {exported.isPending && 'The file is being read…'}
        {exported.isSuccess && 'The file is saved. It has the newest 50,000 events that match, at most.'}
      </p>
      {exported.error !== null && (
        <p role="alert" className={style['fault']}>
          {whyNot(exported.error)}
        </p>
      )}
      {unread === null ? (
        <Log filters={filters} onChange={change} />
      ) : (
        <NotShown title="The audit log is not shown" reason={unread} />
      )}
    </TeamArea>
  )
}

/** A file is not asked for again by itself. */
const whyNot = (error: unknown): string =>
  error instanceof ApiFault && error.status === 0
    ? 'No file is saved: the server does not answer. Export it again once it answers.'
    : `No file is saved. ${sentenceOf(error)}`

interface LogProps {
  readonly filters: AuditFilters
  readonly onChange: ReturnType<typeof useFilters>[1]
}

function Log({ filters, onChange }: LogProps) {
  const { events, total, actions, error, hasMore, isReadingMore, readMore } = useAudit(filters, true)
  const days = Map.groupBy(events ?? [], ({ created_at: at }) => dayOf(Date.parse(at), serverNow()))
  return (
    <>
      <FilterBar filters={filters} actions={actions} areEventsRead={events !== undefined} onChange={onChange} />
      {error !== null && <Notice error={error} />}
      {events === undefined && error === null && <p role="status">Loading…</p>}
      {events?.length === 0 && (
        <NotShown title="Nothing is recorded" reason="No event matches, as far back as your plan keeps them." />
      )}
      {[...days].map(([title, found]) => (
        <section key={title} aria-label={title}>
          <h2 className={style['date']}>{title}</h2>
          <ol className={style['rows']}>
            {found.map((event) => (
              <EventRow key={event.id} event={event} onFilter={onChange} />
            ))}
          </ol>
        </section>
      ))}
      {events !== undefined && events.length > 0 && (
        <p role="status" className={style['count']}>
          {events.length.toLocaleString('en')} of {total.toLocaleString('en')}
        </p>
      )}
      {hasMore && (
        <button type="button" className={controls['button']} disabled={isReadingMore} onClick={readMore}>
          {isReadingMore ? 'Loading…' : 'Show older events'}
        </button>
      )}
    </>
  )
}
