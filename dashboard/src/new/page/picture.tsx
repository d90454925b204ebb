import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { Look } from '../../api/types.ts'
import { Choice } from '../../parts/choice.tsx'
import { drawOutline } from './draw-outline.ts'
import { createHits } from './hits.ts'
import style from './picture.module.css'
import type { Pointing } from './use-pointing.ts'

const SIZES = [
  ['fit', 'Fit'],
  ['actual', 'Actual size'],
] as const

/** Keys move to the elements around the active one. Each is a method of `Pointing`. */
const STEPS = { ArrowUp: 'parent', ArrowDown: 'child', ArrowLeft: 'before', ArrowRight: 'after' } as const

interface PictureProps {
  readonly look: Look
  readonly pointing: Pointing
  /** What the rule matches: indexes of elements. */
  readonly matches: readonly number[]
}

/** The path is enough: the address is made for the service's base address, which may be another name of this server. */
const pathOf = (address: string): string => URL.parse(address, location.href)?.pathname ?? ''

/** Returns where a box is, in percent of the picture. */
const placeOf = ({ box }: Look['elements'][number], { width, height }: Look) => ({
  left: `${(box.x / width) * 100}%`,
  top: `${(box.y / height) * 100}%`,
  width: `${(box.width / width) * 100}%`,
  height: `${(box.height / height) * 100}%`,
})

/**
 * The page, in which the pointer outlines the element that is on top, and a press chooses it. The outline of the
 * pointer is drawn without React: a page has 4,000 elements, and a pointer moves more often than a screen is drawn.
 */
export function Picture({ look, pointing, matches }: PictureProps) {
  const { active, hidden } = pointing
  const [size, setSize] = useState<(typeof SIZES)[number][0]>('fit')
  const [isGone, setGone] = useState(false)
  const stage = useRef<HTMLDivElement>(null)
  const outline = useRef<HTMLDivElement>(null)
  const hits = useMemo(() => createHits(look.elements, (index) => hidden.has(index)), [look, hidden])
  useEffect(() => {
    stage.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [active])
  const indexAt = ({ clientX, clientY }: MouseEvent) => {
    const around = stage.current?.getBoundingClientRect()
    if (around === undefined || around.width === 0) return null
    const scale = look.width / around.width
    return hits.at((clientX - around.left) * scale, (clientY - around.top) * scale)
  }
  const move = (event: MouseEvent) => drawOutline(outline.current, look, indexAt(event))
  const act = (event: KeyboardEvent) => {
    const step = Object.entries(STEPS).find(([key]) => key === event.key)?.[1]
    if (step === undefined && event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    if (step === undefined) pointing.point(active ?? 0)
    else pointing.step(step)
  }
  if (look.picture === null) return null
  if (isGone) return <p className={style['soft']}>This picture is not kept any more.</p>
  return (
    <figure className={style['figure']} aria-label="The page">
      <figcaption className={style['tools']}>
        <Choice label="Size of the picture" value={size} choices={SIZES} onChoose={(next) => setSize(next)} />
        {look.cut && (
          <span className={style['soft']}>The page is longer than its picture, which ends here: 16,384 px.</span>
        )}
      </figcaption>
      <div className={style['frame']}>
        {/* An application takes keys. */}
        {/* oxlint-disable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */}
        <div
          ref={stage}
          role="application"
          tabIndex={0}
          aria-label="Picture of the page. Arrow keys go to the element around, inside and beside; Enter reads it."
          aria-describedby="pointed-at"
          className={style['stage']}
          style={size === 'actual' ? { width: look.width } : {}}
          onPointerMove={move}
          onPointerLeave={() => drawOutline(outline.current, look, null)}
          onClick={(event) => {
            const index = indexAt(event)
            if (index !== null) pointing.point(index)
          }}
          onKeyDown={act}
        >
          <img src={pathOf(look.picture)} alt="" decoding="async" draggable={false} onError={() => setGone(true)} />
          <Boxes look={look} pointing={pointing} matches={matches} />
          <div ref={outline} className={style['outline']} hidden>
            <span className={style['tag']} />
          </div>
        </div>
      </div>
    </figure>
  )
}

/** What the rule matches, what is hidden, and what is pointed at. */
function Boxes({ look, pointing: { active, hidden, isCover }, matches }: PictureProps) {
  const box = (index: number, word: string, mark = {}) => {
    const element = look.elements[index]
    return element && <span key={`${word} ${index}`} className={style[word]} style={placeOf(element, look)} {...mark} />
  }
  const isRead = active === null || look.elements[active]?.unreadable === null
  return (
    <>
      {matches.map((index) => box(index, 'match'))}
      {[...hidden].filter(isCover).map((index) => box(index, 'hidden'))}
      {active !== null && box(active, isRead ? 'active' : 'unreadable', { 'data-active': '' })}
    </>
  )
}
