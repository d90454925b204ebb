import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { measureSetUpSize, MAX_SET_UP } from '../../bench/installation/set-up-size.ts'

test('what npm ci installs is within its bounds on the disk, all of it and what runs', async () => {
  const { all, production } = await measureSetUpSize()
  expect(production).toBeGreaterThan(100_000_000)
  expect(all).toBeGreaterThan(production)
  expect(all).toBeLessThanOrEqual(MAX_SET_UP.all)
  expect(production).toBeLessThanOrEqual(MAX_SET_UP.production)
}, 60_000)

test('these bounds are those that the decision about packages states', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/decisions/0010-dependencies.md'), 'utf8')
  const megabytes = (bytes: number) => `${bytes / 1_000_000} MB`
  expect(page.replaceAll('\n', ' ')).toContain(
    `\`npm ci\` takes at most ${megabytes(MAX_SET_UP.all)} of the disk, and what runs at most ` +
      `${megabytes(MAX_SET_UP.production)} of these`,
  )
})
