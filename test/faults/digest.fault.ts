import { expect, test } from 'vitest'
import { openOutbox, OUTBOX_KEY } from '../support/database/outbox.ts'
import { payloadOf } from '../support/mail/mailbox.ts'
import { startCli } from '../support/process/cli-process.ts'
import { until } from '../support/run/until.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'
import { chance } from './random.ts'

/** With `TIDEMARK_TEST_KILLS=50` and `TIDEMARK_TEST_DIGESTS=500` it is what the figures ask for. */
const KILLS = Number(process.env['TIDEMARK_TEST_KILLS'] ?? 3)
const DIGESTS = Number(process.env['TIDEMARK_TEST_DIGESTS'] ?? 30)
const CHANGES = 20
const LEASE_SECONDS = 31

test(
  'a worker killed at any moment while it sends digests: each change is told of, and never in two messages with ' +
    'different ids',
  async () => {
    await using outbox = await openOutbox()
    await using receiver = await openReceiver(reply(200, '{"event_id":"$1"}'))
    const luck = chance()
    process.stdout.write(`seed ${luck.seed}\n`)
    const rows = Array.from({ length: DIGESTS * CHANGES }, (_, at) => {
      return outbox.row(
        {
          type: 'webhook',
          service: 'matrix',
          url: `${receiver.url}/${at % DIGESTS}`,
          options: { room_id: '!room:a.example', access_token: 'syt_of_a_test' },
          digest: { every_seconds: 60 },
        },
        payloadOf({ price: ['1', '2'] }, { name: `change ${at} of all` }),
      )
    })
    await outbox.addAll(rows)

    const environment = {
      DATABASE_URL: outbox.url,
      TIDEMARK_ENCRYPTION_KEY: OUTBOX_KEY,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_LOG_LEVEL: 'warn',
    }
    const startWorker = async () => {
      const worker = startCli(['worker'], environment)
      await worker.says(/checking and delivering/)
      return worker
    }
    for (let kills = 0; kills < KILLS; kills += 1) {
      await outbox.setClock(kills * LEASE_SECONDS)
      await using worker = await startWorker()
      const moment = receiver.requests.length + luck.below(Math.ceil((2 * DIGESTS) / KILLS))
      await until(
        async () => receiver.requests.length >= moment || (await unsent()) === 0,
        (isThere) => isThere,
      )
      worker.signal('SIGKILL')
      await worker.exited
    }
    await outbox.setClock(KILLS * LEASE_SECONDS)
    await using _ = await startWorker()
    await until(unsent, (left) => left === 0)

    const idsOf = new Map<string, Set<string>>()
    for (const { path, body } of receiver.requests) {
      const { body: text } = JSON.parse(String(body)) as { readonly body: string }
      for (const name of text.match(/change \d+ of all/g) ?? [])
        idsOf.set(name, (idsOf.get(name) ?? new Set()).add(path.split('/').at(-1) ?? ''))
    }
    expect(idsOf.size).toBe(rows.length)
    expect([...idsOf.values()].filter((ids) => ids.size > 1)).toEqual([])
    expect(new Set([...idsOf.values()].flatMap((ids) => [...ids])).size).toBe(DIGESTS)

    async function unsent(): Promise<number> {
      return (await outbox.seeAll()).filter(({ status }) => status !== 'success').length
    }
  },
)
