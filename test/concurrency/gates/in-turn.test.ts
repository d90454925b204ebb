import { expect, test } from 'vitest'
import { createInTurn } from '../../../concurrency/gates/in-turn.ts'

test('one thing is done at a time, and who waits takes turns by key', async () => {
  const turns = createInTurn()
  const begun: string[] = []
  let now = 0
  const work = (name: string) => async () => {
    begun.push(name)
    expect((now += 1)).toBe(1)
    await Promise.resolve()
    now -= 1
    return name
  }
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => turns.do(work(name), { key: name.slice(0, 1) }))
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
  expect(begun.slice(0, 4).filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2'])
  await turns.rests()
})

test('who leaves before its turn is not done, and who throws gives the turn on', async () => {
  const turns = createInTurn()
  const gone = new AbortController()
  const failing = turns.do(() => Promise.reject(new Error('no')), { key: 'a' })
  const left = turns.do(() => Promise.resolve('done'), { key: 'b', signal: gone.signal })
  const last = turns.do(() => Promise.resolve('last'), { key: 'c' })
  gone.abort()
  await expect(failing).rejects.toThrow('no')
  expect([await left, await last]).toEqual([null, 'last'])
  expect(await turns.do(() => Promise.resolve('never'), { key: 'b', signal: AbortSignal.abort() })).toBeNull()
  expect(await turns.do(() => Promise.resolve('again'), { key: 'b' })).toBe('again')
})
