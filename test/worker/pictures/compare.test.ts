import { expect, test } from 'vitest'
import { compare } from '../../../worker/pictures/compare.ts'
import { draw, type Drawing, look } from './drawings.ts'

async function changed(before: Drawing, after: Drawing): Promise<number> {
  return (await compare({ before: await draw(before), after: await draw(after), thumb: false })).changed
}

test('the same picture has not changed and has no overlay', async () => {
  const png = await draw()
  expect(await compare({ before: png, after: png, thumb: false })).toEqual({
    width: 400,
    height: 300,
    changed: 0,
    area: 120_000,
    overlay: null,
    thumb: null,
  })
})

test.each([0.1, 0.25, 1])(
  'shapes that stand %s pixels further, their edges smoothed otherwise, have not changed',
  async (shift) => {
    expect(await changed({}, { shift })).toBe(0)
  },
)

test('shapes that stand five pixels further have changed', async () => {
  expect(await changed({}, { shift: 5 })).toBeGreaterThan(100)
})

test.each([1, -1])('a scrollbar whose thumb moved by %i pixel has not changed; by twelve it has', async (by) => {
  expect(await changed({ thumb: 40 }, { thumb: 40 + by })).toBe(0)
  expect(await changed({ thumb: 40 }, { thumb: 40 + by * 12 })).toBe(2 * 12 * 11)
})

test('every digit of a price that becomes another is a change', async () => {
  const unseen: string[] = []
  const pictures = await Promise.all(
    Array.from({ length: 10 }, (_, digit) => draw({ price: `12${digit}9`, width: 120, height: 230 })),
  )
  for (const [from, before] of pictures.entries())
    for (const [to, after] of pictures.entries()) {
      const seen = from === to || (await compare({ before, after, thumb: false })).changed > 0
      if (!seen) unseen.push(`${from} → ${to}`)
    }
  expect(unseen).toEqual([])
})

test('a digit that changed is reported beside a scrollbar that moved by a pixel, which is not', async () => {
  const digit = await changed({ price: '1248' }, { price: '1249' })
  expect(digit).toBeGreaterThan(0)
  expect(await changed({ price: '1248', thumb: 40 }, { price: '1249', thumb: 41 })).toBe(digit)
})

test('the changed area of a box is its very pixels', async () => {
  expect(await changed({}, { box: { x: 300, y: 30, width: 40, height: 25 } })).toBe(1000)
})

test('a page that grew has changed by what was added, of the larger area', async () => {
  const found = await compare({ before: await draw(), after: await draw({ height: 400 }), thumb: false })
  expect(found).toMatchObject({ width: 400, height: 400, changed: 40_000, area: 160_000 })
})

test('a page that became shorter and wider has changed by what only one of the two covers', async () => {
  const blank = { thumb: -200, price: '', background: '#f1f1f1' }
  const before = await draw({ ...blank, width: 400, height: 300 })
  const after = await draw({ ...blank, width: 440, height: 250 })
  expect(await compare({ before, after, thumb: false })).toMatchObject({
    area: 440 * 300,
    changed: 440 * 300 - 400 * 250,
  })
})

test('the overlay has changes in red, what is around them in colour, the rest in grey, and both sizes', async () => {
  const box = { x: 300, y: 30, width: 40, height: 25 }
  const before = await draw({ height: 360 })
  const { overlay } = await compare({ before, after: await draw({ box }), thumb: false })
  const png = overlay ?? Buffer.alloc(0)
  expect(await look(png, 320, 40)).toEqual({ width: 400, height: 360, pixel: '#b52738' })
  expect((await look(png, 60, 60)).pixel).toMatch(/^#(\w\w)\1\1$/)
  expect((await look(png, 342, 40)).pixel).not.toMatch(/^#(\w\w)\1\1$/)
  expect((await look(png, 100, 350)).pixel).not.toMatch(/^#(\w\w)\1\1$/)
})

test('a first picture is compared with nothing; its small one has the full width and a high page its top', async () => {
  const first = await compare({ before: null, after: await draw({ width: 800, height: 3000 }), thumb: true })
  expect(first).toMatchObject({ changed: 0, overlay: null, width: 800, height: 3000 })
  expect(await look(first.thumb ?? Buffer.alloc(0))).toMatchObject({ width: 320, height: 240 })
})

test('a picture smaller than the small one is not blown up', async () => {
  const { thumb } = await compare({ before: null, after: await draw({ width: 40, height: 10 }), thumb: true })
  expect(await look(thumb ?? Buffer.alloc(0))).toMatchObject({ width: 40, height: 10 })
})
