import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_PIXELS } from '../../../runners/browser/page/picture-limits.ts'
import { LARGEST_SHOT_BYTES, tallestShot } from '../../../runners/browser/page/shot.ts'
import { type Comparer, createComparer } from '../../../worker/pictures/comparer.ts'
import { draw } from './drawings.ts'

let comparer: Comparer
let page: Buffer
beforeAll(async () => {
  comparer = createComparer()
  page = await draw()
})
afterAll(() => comparer.close())

/** The page's bytes with another size in its head. */
function sized(width: number, height: number): Buffer {
  const bytes = Buffer.from(page)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

test('pictures are compared in a thread', async () => {
  const after = await draw({ price: '1250' })
  expect(await comparer.compare({ before: page, after, thumb: true })).toMatchObject({ ok: true })
})

test('a run whose pictures have taken fractions of a millisecond has whole ones left', async () => {
  const after = await draw({ price: '1250' })
  const allowance = { teamId: 'a', mostMs: 9_810.090986 }
  expect(await comparer.compare({ before: page, after, thumb: false }, allowance)).toMatchObject({ ok: true })
})

test.each([
  ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>')],
  ['nothing', Buffer.alloc(0)],
  ['a JPEG', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(100)])],
])('%s is refused, not read as whatever it is', async (_, after) => {
  const found = await comparer.compare({ before: null, after, thumb: false })
  expect(found).toEqual({ ok: false, reason: 'picture', message: 'The picture is not a PNG.' })
})

test('a picture that says it is huge is refused by its head', async () => {
  const found = await comparer.compare({ before: page, after: sized(30_000, 30_000), thumb: false })
  expect(found).toMatchObject({ ok: false, reason: 'limit' })
  expect(found.ok ? '' : found.message).toContain('30000 × 30000 pixels')
})

test('a picture that is cut off, or lies about its size, cannot be read', async () => {
  for (const after of [page.subarray(0, page.length / 2), sized(401, 300)])
    expect(await comparer.compare({ before: page, after, thumb: false })).toMatchObject({
      ok: false,
      reason: 'picture',
    })
})

test('what takes too long is ended, and the next comparison is not harmed', async () => {
  const hasty = createComparer({ timeoutMs: 1 })
  const large = await draw({ width: 1280, height: 8000 })
  expect(await hasty.compare({ before: page, after: large, thumb: true })).toMatchObject({ ok: false, reason: 'limit' })
  await hasty.close()
  expect(await comparer.compare({ before: page, after: page, thumb: false })).toMatchObject({ ok: true })
})

test('teams take turns: one comparison waits for one of each other team, not for all of them', async () => {
  const pair = { before: page, after: await draw({ price: '1250' }), thumb: false }
  const ended: string[] = []
  const compare = async (teamId: string) => {
    await comparer.compare(pair, { teamId, mostMs: 20_000 })
    ended.push(teamId)
  }
  await Promise.all([...Array.from({ length: 10 }, () => compare('many')), compare('one')])
  expect(ended.indexOf('one')).toBeLessThanOrEqual(2)
})

test('what a run may still take ends a comparison too', async () => {
  const large = await draw({ width: 1280, height: 8000 })
  const allowance = { teamId: 'a', mostMs: -5 }
  expect(await comparer.compare({ before: page, after: large, thumb: true }, allowance)).toMatchObject({
    ok: false,
    reason: 'limit',
  })
})

test('a shot that is as high as it may be, at any width, has no more pixels than are compared', () => {
  for (const width of [320, 1280, 2441, 3840]) expect(width * tallestShot(width)).toBeLessThanOrEqual(MAX_PIXELS)
  expect(tallestShot(1280)).toBe(16_384)
  expect(LARGEST_SHOT_BYTES).toBe(15_728_640)
})
