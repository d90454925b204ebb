import { afterEach, expect, test } from 'vitest'
import { digestOf } from '../../../deliveries/digest-of.ts'
import { dropDeliveries } from '../../support/database/change-deliveries.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { payloadOf } from '../../support/mail/mailbox.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)
afterEach(() => dropDeliveries(outbox))

/** More than a message names. */
const MANY = 120

interface Sent {
  readonly title?: string
  readonly monitor?: string
  /** Characters of a value. */
  readonly size?: number
}

function rowOf({ title, monitor = 'Kettle', size = 1 }: Sent) {
  const payload = payloadOf({ price: ['1', 'x'.repeat(size)] })
  return outbox.row(
    {
      ...{ type: 'slack', webhookUrl: 'https://chat.example/a', digest: { every_seconds: 60 } },
      ...(title !== undefined && { message: { title } }),
    },
    { ...payload, monitor: { ...payload.monitor, name: monitor } },
  )
}

/** Returns the headline of a digest of many changes, of which the last one is another. */
async function headlineOf(all: Sent, last: Sent): Promise<string | undefined> {
  const rows = [...Array.from({ length: MANY - 1 }, () => rowOf(all)), rowOf(last)]
  await outbox.addAll(rows)
  const { store, secrets, teamId } = outbox
  const [first] = await outbox.seeAll()
  const links = { dashboardUrl: null }
  return (await digestOf({ store, secrets, links }, { id: first?.id ?? '', team_id: teamId }))?.story.headline
}

test.each([
  ['of the same words', { title: 'Prices' }, { title: 'Prices' }, 'Prices'],
  ['of the same name', { title: '{{monitor.name}}' }, { title: '{{monitor.name}}' }, 'Kettle'],
  ['that comes to the same', { title: 'Kettle' }, { title: '{{monitor.name}}' }, 'Kettle'],
])('a title %s in every change is that of the digest', async (_what, all, last, expected) => {
  expect(await headlineOf(all, last)).toBe(expected)
})

const OURS = 'Kettle: 120 changes'

test.each([
  ['has another one', { title: 'Prices' }, { title: 'Other prices' }],
  ['has none', { title: 'Prices' }, {}],
  ['has another value in it', { title: '{{monitor.name}}' }, { title: '{{monitor.name}}', monitor: 'Mug' }],
])('a title is not that of the digest where a change that the message does not name %s', async (_what, all, last) => {
  expect(await headlineOf(all, last)).toBe(OURS)
})

test('a title with values is not looked for in more than some megabytes of changes', async () => {
  const large = { title: '{{monitor.name}}', size: 400_000 }
  expect(await headlineOf(large, large)).toBe(OURS)
  await dropDeliveries(outbox)
  // Words without values need no change to be read.
  expect(await headlineOf({ title: 'Prices', size: 400_000 }, { title: 'Prices' })).toBe('Prices')
})
