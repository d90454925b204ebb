import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { confirmDeletions, MAX_UNASKED } from '../../../cli/remote/confirm-deletions.ts'

const names = (count: number) => Array.from({ length: count }, (_, nth) => `monitor shop/kettle-${nth}`)

/** A terminal at which somebody answers this. */
function terminal(answer: string, isTTY = true) {
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stderr = Object.assign(new PassThrough(), { isTTY })
  let shown = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    if (shown.includes('[y/N]') && stdin.writable) stdin.end(answer)
  })
  return { stdin, stderr, exit: () => {}, shown: () => shown }
}

describe('deleting many monitors', () => {
  test('is done without a question up to ten, and with --yes', async () => {
    const nobody = terminal('', false)
    await confirmDeletions(nobody, names(MAX_UNASKED), false)
    await confirmDeletions(nobody, names(500), true)
    expect(nobody.shown()).toBe('')
  })

  test('asks on a terminal, with the names', async () => {
    const at = terminal('y\n')
    await confirmDeletions(at, names(25), false)
    expect(at.shown()).toContain('  monitor shop/kettle-19\n  … and 5 more\n')
    expect(at.shown()).toContain('Delete these 25 monitors? [y/N] ')
  })

  test.each(['n\n', '\n', '', 'yess\n'])('is not done after the answer %j', async (answer) => {
    const at = terminal(answer)
    await expect(confirmDeletions(at, names(11), false)).rejects.toMatchObject({
      message: 'nothing was done',
      exitCode: 130,
    })
  })

  test('is refused where nobody can be asked, with what to add', async () => {
    const refused = confirmDeletions(terminal('y\n', false), names(11), false)
    await expect(refused).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('add --yes') })
  })
})
