import { expect, test } from 'vitest'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { ENCRYPTION_KEY } from '../../support/api/test-api.ts'
import { startCli } from '../../support/process/cli-process.ts'
import { peakOwnMemory } from '../../support/process/peak-memory.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi('scale'))

const CLIENTS = 10
/** A list that waits too long on a busy machine is refused, and asked for again. */
const MAX_TRIES = 10
const MEGABYTES = 512
/** Node gives half of what a container may use to its heap. The chart gives the API twice this. */
const HEAP = `--max-old-space-size=${MEGABYTES / 2}`

/** As many bytes as a run keeps, of values that take much more memory than their text. */
const hostile = (bytes: number): object => ({
  a: 'é'.repeat(8_000),
  b: Array.from({ length: bytes / 3 - 6_000 }, () => []),
})

test(
  'ten clients that read the largest lists and records at once end no API process of 512 MiB',
  { timeout: 480_000 },
  async () => {
    const { services, databaseUrl } = served.api
    const { id } = await createMonitor(served.me, MONITOR)
    const value = hostile(256 * 1024)
    const diff = { fields_changed: ['a', 'b'], before: value, after: value }
    const run = await seedRun(services, id, { extracted: value, diff })
    let delivery = ''
    for (let n = 0; n < 100; n++) delivery = await seedDelivery(services, run)
    // The same 99 times more, by Postgres alone.
    await served.api.sql(`
    insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, extracted, diff)
    select monitor_no, new_run_id(clock() - n * interval '1 ms', monitor_no), team_id, 0, 1, status, extracted, diff
      from runs, generate_series(1, 99) n where id = '${run}';
    update checks set runs_total = 100;
    update deliveries d set payload = json_build_object('diff', r.diff)::text from runs r where r.id = d.run_id`)
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'h'.repeat(2_048)]))
    const deliveries = Array.from({ length: 25 }, (_, n) => ({
      type: 'webhook',
      url: `https://example.com/${n}`,
      headers,
    }))
    const name = 'Large'
    let large = ''
    for (let n = 0; n < 12; n++)
      large = (await createMonitor(served.me, { ...MONITOR, name, request_headers: headers, deliveries })).id

    await using folder = await temporaryFolder()
    await using api = startCli(['api'], {
      NODE_OPTIONS: HEAP,
      DATABASE_URL: databaseUrl,
      TIDEMARK_ENCRYPTION_KEY: ENCRYPTION_KEY,
      TIDEMARK_DATA_DIR: folder.path,
      PORT: '0',
    })
    const [, base = ''] = await api.says(/(http:\/\/[^\s"]+)/)
    const count = async (path: string, tries = 1): Promise<number> => {
      const authorization = `Bearer ${served.owner.api_key}`
      const answer = await fetch(base + path, { headers: { authorization } })
      if ([429, 503].includes(answer.status) && tries < MAX_TRIES) {
        await answer.body?.cancel()
        return count(path, tries + 1)
      }
      expect(answer.status).toBe(200)
      // Of a client that is too slow the connection is ended: it asks again.
      const text = await answer.text().catch(() => null)
      if (text === null && tries < MAX_TRIES) return count(path, tries + 1)
      // Parsed, ten of these would take more memory than this process should need.
      return (text ?? '').split('"user_id":').length - 1
    }
    const rows = { [`/v1/monitors/${id}/runs`]: 100, '/v1/deliveries': 100, '/v1/monitors': 13 }
    for (const [path, most] of Object.entries(rows)) {
      const counts = await Promise.all(Array.from({ length: CLIENTS }, () => count(`${path}?limit=100`)))
      expect(counts, path).toEqual(Array.from({ length: CLIENTS }, () => most))
    }
    const records = { [`/v1/runs/${run}`]: 1, [`/v1/deliveries/${delivery}`]: 1, [`/v1/monitors/${large}`]: 1 }
    for (const [path, most] of Object.entries(records)) {
      const counts = await Promise.all(Array.from({ length: CLIENTS }, () => count(path)))
      expect(counts, path).toEqual(Array.from({ length: CLIENTS }, () => most))
    }
    expect((await fetch(`${base}/healthz`)).status).toBe(200)
    const megabytes = peakOwnMemory(api.pid) / 1024 / 1024
    expect(megabytes).toBeLessThan(MEGABYTES)
    console.log(`most memory of the process, without the files that it maps: ${Math.round(megabytes)} MiB`)
  },
)
