import { expect, test } from 'vitest'
import { measureSetUpSize, MOST_SET_UP } from '../../bench/installation/set-up-size.ts'

test('what npm ci installs is within its bounds on the disk, all of it and what runs', async () => {
  const { all, production } = await measureSetUpSize()
  expect(production).toBeGreaterThan(100_000_000)
  expect(all).toBeGreaterThan(production)
  expect(all).toBeLessThanOrEqual(MOST_SET_UP.all)
  expect(production).toBeLessThanOrEqual(MOST_SET_UP.production)
}, 60_000)
