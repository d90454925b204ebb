import { PNG } from 'pngjs'
import { describe, expect, test } from 'vitest'
import type { PageLook } from '../../../runners/check/look-of.ts'
import { outcomeToWire } from '../../../runners/client/outcome-wire.ts'
import { taskFromWire, taskToWire } from '../../../runners/client/task-wire.ts'
import type { LookElement } from '../../../schema/monitor/look.ts'
import { RunnerOutcome } from '../../../schema/runner-api.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { PAGE_WORK } from '../../../worker/kinds/page-work.ts'
import { LOOK_KIND, lookOfKept, lookTask } from '../../../worker/looks/look-kind.ts'
import { HERE } from '../../../worker/previews/preview-kind.ts'

const TASK = lookTask({ url: 'https://shop.example/kettle', wait_for: '.price' }, { ...HERE, no: 7, fence: 1 })
const png = (width = 20, height = 10) => PNG.sync.write(new PNG({ width, height }))
const BOX = { x: 0, y: 0, width: 20, height: 10 }
const ELEMENT: LookElement = {
  box: BOX,
  order: 1,
  parent: null,
  tag: 'b',
  text: '$1',
  path: [0, 1, 0],
  unreadable: null,
}
const LOOK: PageLook = {
  status: 200,
  url: 'https://shop.example/kettle',
  contentType: 'text/html',
  body: Buffer.from('<b>$1</b>'),
  shot: { region: 'page', width: 20, height: 10, png: png() },
  isCut: false,
  elements: [ELEMENT, { ...ELEMENT, parent: 0, path: null, unreadable: 'frame' }],
  covers: [{ element: 1, share_pct: 40 }],
  warnings: ['One'],
}

/** What a runner sends, as JSON, and the parts behind it. */
function sent(look: PageLook = LOOK) {
  const { head, pictures } = outcomeToWire({
    ...{ task: TASK, startedMs: 1, endedMs: 2 },
    reading: { kind: 'look', fetchMethod: 'browser', look },
  })
  return { outcome: JSON.parse(Buffer.from(head).toString()) as RunnerOutcome, pictures: [...pictures] }
}
const HELD = { task: TASK, hasBaseline: false, layerIsRemembered: false, hasProxy: false, isPreview: true }
const judged = (reported: ReturnType<typeof sent>) => PAGE_WORK.outcomeOf(reported, HELD)
const lookIn = ({ outcome }: ReturnType<typeof sent>) => {
  if (outcome.reading.kind !== 'look') throw new TypeError('no look')
  return outcome.reading.look
}

describe('a look over the wire', () => {
  test('is the same behind it, and as it is kept for who waits', () => {
    const reported = sent()
    expect(checkerOf(RunnerOutcome).validate(reported.outcome)).toMatchObject({ ok: true })
    const checked = judged(reported)
    if (!checked.ok || checked.reading.kind !== 'look') throw new Error(JSON.stringify(checked))
    expect(checked.reading).toMatchObject({ fetchMethod: 'browser', fetchReason: 'configured', look: LOOK })
    const kept = LOOK_KIND.keptOf({ reading: checked.reading, durationMs: 5 })
    expect(lookOfKept(JSON.parse(JSON.stringify(kept)))).toMatchObject(LOOK)
  })

  test('reaches a runner with all that it needs', () => {
    const { team: _, ...task } = taskFromWire(JSON.parse(JSON.stringify(taskToWire(TASK))), 0)
    expect(task).toMatchObject({ looks: true, extract: { wait_for: '.price' }, visual: { enabled: true } })
  })
})

describe('a runner that is not honest about a look', () => {
  const refused: readonly [what: string, change: (reported: ReturnType<typeof sent>) => void, path: string][] = [
    [
      'a parent behind its child',
      (one) => Object.assign(lookIn(one).elements[0] ?? {}, { parent: 1 }),
      'look.elements[0]',
    ],
    [
      'a cover that is no element',
      (one) => Object.assign(lookIn(one), { covers: [{ element: 2, share_pct: 1 }] }),
      'covers',
    ],
    ['a document that is the picture', (one) => Object.assign(lookIn(one), { document: 1 }), 'look.document'],
    ['no picture where it names one', (one) => void one.pictures.splice(1), 'pictures'],
    ['a picture that is none', (one) => void one.pictures.splice(1, 1, Buffer.alloc(100)), 'look.picture'],
    ['a picture of 50 million pixels', (one) => void one.pictures.splice(1, 1, sized(5_000, 10_000)), 'look.picture'],
    ['a picture that is too tall', (one) => void one.pictures.splice(1, 1, sized(10, 20_000)), 'look.picture'],
    ['a document of 11 MiB', (one) => void one.pictures.splice(0, 1, Buffer.alloc(11 * 1_048_576, 'a')), 'pictures[0]'],
    ['values', (one) => Object.assign(one.outcome, { values: { a: 1 } }), 'values'],
    [
      'a layer without a browser',
      (one) => Object.assign(one.outcome.reading, { fetch_method: 'static' }),
      'fetch_method',
    ],
    ['more than 1 MiB of elements', (one) => void lookIn(one).elements.push(...many()), 'look.elements'],
  ]
  test.each(refused)('is refused with %s', (_, change, path) => {
    const reported = sent()
    change(reported)
    const checked = judged(reported)
    expect(checked).toMatchObject({ ok: false })
    expect(JSON.stringify(checked)).toContain(path)
  })

  test.each([
    ['a text of 121 characters', { text: 'x'.repeat(121) }],
    ['a box outside of all pages', { box: { ...BOX, x: -1e9 } }],
    ['a path of 600 steps', { path: Array.from({ length: 600 }, () => 0) }],
    ['a reason that is unknown', { unreadable: 'because' }],
    ['a key that is unknown', { html: '<script>' }],
  ])('does not pass the shape with %s', (_, part) => {
    const reported = sent()
    Object.assign(lookIn(reported).elements[0] ?? {}, part)
    expect(checkerOf(RunnerOutcome).validate(reported.outcome)).toMatchObject({ ok: false })
  })

  test('gives no values of a page that somebody wants to see, and no look of one that is checked', () => {
    expect(PAGE_WORK.outcomeOf(sent(), { ...HELD, task: { ...TASK, looks: false } })).toMatchObject({ ok: false })
  })
})

/** The first bytes of a PNG of this size. */
function sized(width: number, height: number): Buffer {
  const head = Buffer.from(png())
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}

const many = () => Array.from({ length: 3_900 }, () => ({ ...ELEMENT, path: Array.from({ length: 120 }, () => 100) }))
