/**
 * A program of its own, to be killed: starts the embedded Postgres on the folder named, says its address, and stays
 * until its input ends.
 */
import { startEmbeddedPostgres } from '../../../platform/postgres/start-embedded-postgres.ts'
import { silentLog } from './embedded-fixture.ts'

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', log: silentLog() })
process.on('SIGINT', () => process.stdout.write('SIGINT\n'))
process.stdout.write(`${server.url}\n`)
process.stdin.resume().on('end', () => {
  void server.stop()
})
