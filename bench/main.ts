import { startChild } from './child.ts'
import { startServer } from './database.ts'
import { measureThroughput, type Stage } from './throughput.ts'
import type { BareQuestion, Kind } from './bare-loop.ts'
import type { TargetQuestion } from './target-server.ts'

const only = process.argv[2] as Kind
const checks = Number(process.argv[3])
const rounds = Number(process.argv[4])
const target = startChild<{ what: TargetQuestion }, number>('target-server.ts')
const bare = startChild<BareQuestion, number>('bare-loop.ts')
const server = await startServer()
try {
  const base = `http://127.0.0.1:${await target.ask({ what: 'open' })}`
  const stage: Stage = { server, target, bare, base, ...(process.argv[5] && { profileDir: process.argv[5] }) }
  const m = await measureThroughput(stage, { kind: only, checks, rounds })
  console.log(JSON.stringify(m.row))
  await m.worker.stop()
  await m.database.close()
} finally {
  await server.stop()
  await bare.stop()
  await target.stop()
}
