import { onTestFinished, test } from 'vitest'
import { openTcpProxy } from '../support/network/tcp-proxy.ts'
import { until } from '../support/run/until.ts'
import type { FaultService } from './fault-service.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

/** Makes the COMMIT of a statement take a while: what a constraint that is deferred does, it does in the COMMIT. */
async function slowCommits({ query }: FaultService, table: string, when: string): Promise<void> {
  await query(`
    create function fault.dawdle() returns trigger language plpgsql as $$
    begin
      if current_setting('fault.dawdled', true) is distinct from txid_current()::text then
        perform set_config('fault.dawdled', txid_current()::text, true);
        perform pg_sleep(0.5);
      end if;
      return null;
    end $$;
    create constraint trigger dawdle after update on ${table} deferrable initially deferred for each row
      when (${when}) execute function fault.dawdle();
    grant usage on schema fault to public;
  `)
}

const IN_COMMIT =
  `select pid from pg_stat_activity where datname = current_database() and usename like 'worker%' and wait_event = ` +
  `'PgSleep'`

test.each([
  ['claim of checks', 'checks', 'new.fence > old.fence and new.run_id is not null'],
  ['record of checks', 'checks', 'old.run_id is not null and new.run_id is null'],
  ['claim of deliveries', 'deliveries', 'new.fence > old.fence and new.attempts = old.attempts'],
  ['record of deliveries', 'deliveries', 'new.attempts > old.attempts'],
])(
  'a connection that is reset, and a worker that is killed, in the middle of the COMMIT of a %s: whether it holds ' +
    'or not, no run and no delivery is lost or made twice.',
  async (_, table, when) => {
    const service = await freshService()
    const proxy = await openTcpProxy(service.url)
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    let worker = await service.worker({ url: proxy.url })
    await service.underLoad(async () => {
      await service.rounds(1)
      await slowCommits(service, table, when)
      for (const fault of ['unheard', 'undone', 'unheard', 'killed'] as const) {
        await until(
          () => service.query(IN_COMMIT),
          (sessions) => sessions.length > 0,
        )
        if (fault === 'killed') worker.signal('SIGKILL')
        else proxy.cut()
        if (fault === 'undone') await service.query(`select pg_terminate_backend(pid) from (${IN_COMMIT}) s`)
        proxy.mend()
      }
      worker = await service.worker({ url: proxy.url })
      await service.query(`drop trigger dawdle on ${table}`)
    })
    // Webhooks that were claimed and never heard of are leased for half a minute.
    await service.setClock('31 seconds')
    await service.caughtUp()
    // What the killed one had sent and not put down is sent again.
    await judgeInvariants(service, { faults: 1 })
  },
)
