import { expect, test } from 'vitest'
import { bodySlots } from '../../../runners/capacity.ts'
import { BodyRoom } from '../../../runners/fetch/body-room.ts'

const goingOn = new AbortController().signal

test('a check takes room once, and the next one of its team waits until it has ended', async () => {
  const slots = bodySlots(2)
  const [first, second] = [new BodyRoom(slots, 'a', goingOn), new BodyRoom(slots, 'a', goingOn)]
  expect(first.take()).toBeNull()
  expect(first.take()).toBeNull()
  const waiting = second.take()
  expect(waiting).toBeInstanceOf(Promise)
  expect(second.take()).toBe(waiting)
  expect(slots.held).toBe(1)
  first.leave()
  await waiting
  expect(second.take()).toBeNull()
  expect(second.waitedMs).toBeGreaterThan(0)
  second.leave()
  expect(slots.held).toBe(0)
})

test('a team leaves half of the room to others', () => {
  const slots = bodySlots(5)
  const own = Array.from({ length: 4 }, () => new BodyRoom(slots, 'a', goingOn).take())
  expect(own.filter((wait) => wait === null)).toHaveLength(3)
  expect(new BodyRoom(slots, 'b', goingOn).take()).toBeNull()
})

test.each(['the check ends', 'the process stops'])('a wait is over when %s', async (what) => {
  const slots = bodySlots(2)
  const stopping = new AbortController()
  const first = new BodyRoom(slots, 'a', goingOn)
  const second = new BodyRoom(slots, 'a', stopping.signal)
  expect(first.take()).toBeNull()
  const waiting = second.take()
  if (what === 'the process stops') stopping.abort()
  else second.leave()
  await waiting
  expect(slots.waiting).toBe(0)
  first.leave()
  expect(slots.held).toBe(0)
})
