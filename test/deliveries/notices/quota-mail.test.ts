import { expect, test } from 'vitest'
import { eventually } from '../../support/run/eventually.ts'
import { noticeLoops } from './notice-loops.ts'

const { postOffice, loop, happened, isHandled, query } = noticeLoops()

test('the owner gets one mail at 80 %, one when all runs are used, and one when the credits are gone', async () => {
  const { mailbox, mailer } = await postOffice()
  const { email, team_id: team, event_id } = await happened({ wantsMail: false })
  loop(mailer).start()
  await isHandled(event_id)
  await query(`insert into team_usage (team_id, runs_limit, resets_at) values ($1, 1000, '2030-06-01T12:00Z')`, [team])
  const spend = (what: string) => query(`update team_usage set ${what} where team_id = $1`, [team])
  /** Waits for so many mails to the owner, and returns the last. */
  const letter = async (count: number) => {
    const own = () => mailbox.letters.filter(({ to }) => to.includes(email))
    await eventually(
      () => own().length,
      (seen) => seen === count,
    )
    const mail = own().at(-1)?.mail
    const html = (mail?.html ?? '').replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
    return { subject: mail?.subject, text: mail?.text?.replaceAll(/\s+/g, ' ') ?? '', html }
  }
  await spend('runs_used = 799')
  await spend('runs_used = 805')
  await spend('runs_used = 810')
  const near = await letter(1)
  expect(near.subject).toMatch(/80 % of the .*runs.* are used/)
  for (const part of [near.text, near.html]) {
    expect(part).toMatch(/805 of 1,000 .*are used\./)
    expect(part).toContain('renewed on 1 June 2030')
  }
  await spend('credits = 3')
  await spend('runs_used = 1000')
  const all = await letter(2)
  expect(all.subject).toMatch(/^All .*runs.* are used$/)
  for (const part of [all.text, all.html]) expect(part).toContain('Run credits pay from now on: 3 left.')
  await spend('credits = 0')
  const gone = await letter(3)
  expect(gone.subject).not.toBe(all.subject)
  for (const part of [gone.text, gone.html]) expect(part).toMatch(/wait|stop/)
  // A new period tells again.
  await spend(`runs_used = 0, period_start = period_start + interval '1 month'`)
  await spend('runs_used = 900')
  expect((await letter(4)).subject).toBe(near.subject)
})
