import { expect, test } from 'vitest'
import { accountOf, invite, setClock } from '../support/api/people.ts'
import { type Answer, serveApi } from '../support/api/served-api.ts'
import { shared } from '../support/run/shared.ts'

const served = shared(() => serveApi('scale', { hasMail: true }))

const account = (plan: 'pro') => accountOf(served, plan)
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]

test('an address that is invited and revoked in turn gets three mails an hour; the next is 429', async () => {
  const boss = await account('pro')
  const again = async () => {
    const answer = await invite(boss, 'target@example.com')
    if (answer.status === 201) await boss.client.delete(`/v1/team/invitations/${String(answer.body['id'])}`)
    return answer
  }
  for (let nth = 0; nth < 3; nth += 1) expect((await again()).status).toBe(201)
  const refused = await again()
  expect(codeOf(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  expect(refused.body.error.message).toContain('can invite the same address 3 times an hour')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500)
  // Another address, and another team, have counts of their own.
  expect((await invite(boss, 'other@example.com')).status).toBe(201)
  expect((await invite(await account('pro'), 'target@example.com')).status).toBe(201)
  await setClock(served, '1 hour 1 minute')
  expect((await again()).status).toBe(201)
  await setClock(served, '0')
})
