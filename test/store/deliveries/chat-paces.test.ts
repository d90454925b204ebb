import { expect, test } from 'vitest'
import { CHAT_PACE } from '../../../schema/run/delivery.ts'
import { holdChat, takeTurns } from '../../../store/deliveries/chat-paces.ts'
import { chatOf, destinationKey } from '../../../store/deliveries/delivery-row.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)
const TEAM = '00000000-0000-4000-8000-112233445566'

function chat(service: 'telegram' | 'matrix', options: Record<string, string>, team = TEAM) {
  const key = destinationKey(team, { type: 'webhook', service, url: 'https://a.example/bot0123/sendMessage', options })
  return chatOf(key) ?? expect.fail(`${service} has no pace`)
}
/** Takes as many turns as there are now, and returns how many. */
async function turnsOf(one: ReturnType<typeof chat>): Promise<number> {
  for (let count = 0; count < 10; count++)
    if ((await takeTurns(outbox.store, [one])).get(one.address)?.isTaken !== true) return count
  return expect.fail('there is no end of turns')
}

test('two chats of one Telegram bot have a pace each, whichever teams send to them', async () => {
  const [one, other] = [chat('telegram', { chat_id: '1' }), chat('telegram', { chat_id: '2' })]
  expect(await turnsOf(one)).toBe(CHAT_PACE.burst)
  expect(await turnsOf(chat('telegram', { chat_id: '1', message_thread_id: '7' }))).toBe(0)
  expect(await turnsOf(chat('telegram', { chat_id: '1' }, outbox.teamId))).toBe(0)
  await holdChat(outbox.store, one, 60_000)
  expect(await turnsOf(other)).toBe(CHAT_PACE.burst)
})

test('two rooms of one Matrix account share its pace, and another account has its own', async () => {
  const room = (id: string, token: string) => chat('matrix', { room_id: `!${id}:a.example`, access_token: token })
  expect(await turnsOf(room('one', 'syt_1'))).toBe(CHAT_PACE.burst)
  expect(await turnsOf(room('other', 'syt_1'))).toBe(0)
  expect(await turnsOf(room('one', 'syt_2'))).toBe(CHAT_PACE.burst)
})
