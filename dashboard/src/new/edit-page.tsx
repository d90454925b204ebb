import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { ApiFault, ask, askTagged, type Tagged } from '../api/client.ts'
import type { Monitor, MonitorCreate } from '../api/types.ts'
import { differingKeys, draftOf } from './draft/draft-body.ts'
import { namesOf, withActive } from './draft/draft.ts'
import { merged } from './draft/merged.ts'
import { asAddress } from './draft/suggested-name.ts'
import { useDraft } from './draft/use-draft.ts'
import { EditFrame } from './edit-frame.tsx'
import { AddressPart } from './page/address-part.tsx'
import { lookAsked } from './page/look-asked.ts'
import { NO_LOOK } from './page/no-look.ts'
import { useLook } from './page/use-look.ts'
import { ReadBefore } from './read-before.tsx'
import { Conflict } from './save/conflict.tsx'
import { WatchForm } from './watch-form.tsx'
import { BacktestPart } from './when/backtest-part.tsx'

type Stored = MonitorCreate & Pick<Monitor, 'managed_by' | 'declared_in'>

/** An edit of a monitor, in the form in which one is made. */
export const EditPage = ({ id }: { readonly id: string }) => (
  <EditFrame<Stored> kind="page" id={id}>
    {(first, { path, home }) => <EditForm path={path} home={home} first={first} />}
  </EditFrame>
)

interface EditFormProps {
  readonly path: string
  readonly home: string
  readonly first: Tagged<Stored>
}

function EditForm({ path, home, first }: EditFormProps) {
  const [, go] = useLocation()
  const queries = useQueryClient()
  const [base, setBase] = useState(first)
  /** What somebody else stored since, beside what was to be stored here. */
  const [other, setOther] = useState<{ readonly stored: Tagged<Stored>; readonly mine: MonitorCreate } | null>(null)
  const again = new URLSearchParams(useSearch()).get('again')
  const form = useDraft(() => withActive(draftOf(first.body), again))
  const looking = useLook()
  const isAgain = again !== null
  const { draft, change } = form
  async function look(typed: string) {
    const url = asAddress(typed)
    change((before) => ({ ...before, url }))
    await looking.start(lookAsked({ ...draft, url }))
  }
  useEffect(() => {
    if (isAgain) void look(first.body.url)
    // oxlint-disable-next-line react/exhaustive-deps -- It is looked at once, when the screen opens.
  }, [isAgain])
  async function save(body: MonitorCreate) {
    const keys = differingKeys(body, base.body)
    const patch = Object.fromEntries(keys.map((key) => [key, body[key] ?? null]))
    try {
      await ask(path, { method: 'PATCH', body: patch, ifMatch: base.tag })
    } catch (fault) {
      const stored = fault instanceof ApiFault && fault.status === 409 ? await askTagged<Stored>(path) : null
      if (stored === null || stored.tag === base.tag) throw fault
      setOther({ stored, mine: body })
      return
    }
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'look' })
    go(home)
  }
  const versions = other && { base: base.body, stored: other.stored.body, mine: other.mine }
  return (
    <>
      <ReadBefore
        path={path}
        home={home}
        fields={first.body.extract_config.method === 'full_page' ? [] : namesOf(draftOf(first.body))}
        hasPictures={first.body.visual_config?.enabled === true}
        isOpen={isAgain}
      />
      <AddressPart form={form} looking={looking} onLook={(url) => void look(url)} />
      {other !== null && versions !== null && (
        <Conflict
          what="monitor"
          versions={versions}
          differing={differingKeys}
          onChoose={(theirs) => {
            change(() => draftOf(merged({ ...versions, theirs }, differingKeys)))
            setBase(other.stored)
            setOther(null)
          }}
        />
      )}
      <WatchForm
        form={form}
        looking={looking}
        look={looking.look ?? NO_LOOK}
        onLook={(url) => void look(url)}
        tag={base.tag}
        word="Save"
        onSave={save}
        effectOf={(body) => effectOf(body, base.body)}
      />
      <BacktestPart path={path} home={home} predicate={draft.predicate} />
    </>
  )
}

/** What is fetched and read. Another value of it makes the next run the first one of a series. */
const OF_BASELINE = ['url', 'extract_config', 'request_config', 'fetch_mode'] as const

function effectOf(body: MonitorCreate, base: MonitorCreate): string | null {
  const keys = differingKeys(body, base)
  if (keys.length === 0) return 'Nothing is changed yet.'
  if (!OF_BASELINE.some((key) => keys.includes(key))) return null
  return 'What is fetched or read is another one now: the next run compares nothing and fires nothing.'
}
