import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import type { RunImages } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useAddress } from '../monitor/use-address.ts'
import { Choice } from '../parts/choice.tsx'
import style from './pictures.module.css'

type Region = RunImages['regions'][number]
type View = 'beside' | 'slider' | 'differences'

const VIEWS = [
  ['beside', 'Before and after'],
  ['slider', 'Slider'],
  ['differences', 'Differences'],
] as const

/** The addresses are valid for five minutes. */
const REFRESH_MS = 4 * 60_000
const percent = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

interface PicturesProps {
  readonly run: string
  /** Its values are compared with another run than the one before. */
  readonly isOther: boolean
}

/** The pictures that a run took, with those before. */
export function Pictures({ run, isOther }: PicturesProps) {
  const path = `/v1/run-images/${encodeURIComponent(run)}`
  const { data, error } = useQuery({
    queryKey: ['pictures', path],
    queryFn: ({ signal }) => ask<RunImages>(path, { signal }),
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS,
  })
  const [asked, choose] = useAddress()
  const view = VIEWS.find(([name]) => name === asked.get('pictures'))?.[0] ?? 'beside'
  return (
    <section aria-label="Pictures">
      <h2 className={style['title']}>
        Pictures{data && <span className={style['soft']}>, {percent.format(data.aggregateChangePct)} % differs</span>}
      </h2>
      {error !== null && <Notice error={error} />}
      {isOther && <p className={style['soft']}>Pictures are compared with those of the run before.</p>}
      {data && (
        <>
          <Choice
            label="View of pictures"
            value={view}
            choices={VIEWS}
            onChoose={(next) => choose({ pictures: next === 'beside' ? '' : next })}
          />
          {data.regions.map((region) => (
            <OneRegion key={region.regionIndex} region={region} view={view} />
          ))}
        </>
      )}
    </section>
  )
}

function OneRegion({ region, view }: { readonly region: Region; readonly view: View }) {
  const mark = region.hasChanges ? { 'data-change': '', tabIndex: -1 } : {}
  return (
    <figure className={style['region']} aria-label={region.label} {...mark}>
      <figcaption>
        <bdi>{region.label}</bdi>{' '}
        <span className={style['soft']}>
          {region.hasChanges ? `${percent.format(region.changedPct)} % differs` : 'is the same'}
        </span>
      </figcaption>
      <View region={region} view={view} />
    </figure>
  )
}

function View({ region: { beforeUrl: before, afterUrl: after, diffUrl: difference }, view }: ViewProps) {
  if (before === null)
    return (
      <>
        <p className={style['soft']}>It is the first picture: there is none before it.</p>
        <Picture address={after} name="After" />
      </>
    )
  if (view === 'slider') return <Slider before={before} after={after} />
  if (view === 'differences')
    return difference === null ? (
      <p className={style['soft']}>Nothing differs here.</p>
    ) : (
      <Picture address={difference} name="Differences in red" />
    )
  return (
    <div className={style['beside']}>
      <Picture address={before} name="Before" />
      <Picture address={after} name="After" />
    </div>
  )
}
interface ViewProps {
  readonly region: Region
  readonly view: View
}

/** One picture over the other, up to a line that is moved by pointer or by arrow keys. */
function Slider({ before, after }: { readonly before: string; readonly after: string }) {
  const [at, setAt] = useState(50)
  return (
    <div className={style['slider']}>
      <label>
        Before
        <input
          type="range"
          min="0"
          max="100"
          value={at}
          aria-label="Where the picture after begins, in percent"
          onChange={(event) => setAt(Number(event.target.value))}
        />
        After
      </label>
      <div className={style['over']}>
        <Picture address={before} name="Before" />
        <div className={style['above']} style={{ clipPath: `inset(0 0 0 ${at}%)` }}>
          <Picture address={after} name="After" />
        </div>
      </div>
    </div>
  )
}

/** The address is made for the service's base address, which may be another name of this server: its path is enough. */
const pathOf = (address: string): string => URL.parse(address, location.href)?.pathname ?? ''

function Picture({ address, name }: { readonly address: string; readonly name: string }) {
  const [gone, setGone] = useState('')
  if (gone === address) return <p className={style['soft']}>This picture is not kept any more.</p>
  return (
    <div className={style['picture']}>
      <span>{name}</span>
      <img src={pathOf(address)} alt={name} loading="lazy" decoding="async" onError={() => setGone(address)} />
    </div>
  )
}
