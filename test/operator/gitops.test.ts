import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LuaFactory } from 'wasmoon'
import type { CustomResource } from '../../operator/reconcile/custom-resource.ts'
import { failTimes } from '../support/database/check-states.ts'
import { hasGo, kstatusOf } from '../support/kubernetes/kstatus.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openOperatorSetup, startCluster } from './operator-setup.ts'

const SCRIPT = new URL('../../examples/argocd/health.lua', import.meta.url)
/** The first build loads modules and takes two minutes. */
const BUILD_MS = 400_000

/** The state of a resource, and what each tool must make of it. */
const EXPECTED = {
  untouched: { argo: 'Progressing', kstatus: 'InProgress' },
  ready: { argo: 'Healthy', kstatus: 'Current' },
  failing: { argo: 'Healthy', kstatus: 'Current' },
  suspended: { argo: 'Suspended', kstatus: 'Current' },
  refused: { argo: 'Degraded', kstatus: 'Failed' },
  edited: { argo: 'Progressing', kstatus: 'InProgress' },
  mended: { argo: 'Progressing', kstatus: 'InProgress' },
  deleted: { argo: 'Progressing', kstatus: 'Terminating' },
} as const
type State = keyof typeof EXPECTED
const STATES = Object.keys(EXPECTED) as readonly State[]

/** Returns a value as Lua writes it: Argo CD hands tables over, which count from one. */
function inLua(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (Array.isArray(value)) return `{${value.map(inLua).join(',')}}`
  if (typeof value !== 'object') return typeof value === 'string' ? inQuotes(value) : JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `[${inQuotes(key)}]=${inLua(item)}`)
    .join(',')}}`
}
const inQuotes = (text: string) =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`

describeWithApiServer('A status that the operator writes', () => {
  let kube: KubeApi
  let samples: Record<State, CustomResource>

  beforeAll(async () => {
    kube = await startCluster()
    await using setup = await openOperatorSetup(kube)
    const broken = { extractConfig: { method: 'css', fields: { price: 'b[[' } } }
    for (const name of ['ready', 'failing', 'edited', 'deleted']) await setup.apply(name)
    for (const name of ['refused', 'mended']) await setup.apply(name, broken)
    await setup.apply('suspended', { suspend: true })
    for (const name of ['ready', 'failing', 'edited', 'deleted']) await setup.until(name, 'Ready', 'Scheduled')
    for (const name of ['refused', 'mended']) await setup.until(name, 'Ready', 'Invalid')
    await setup.until('suspended', 'Ready', 'Suspended')
    await failTimes(setup, { resource: 'failing' }, 7)
    await setup.apply('failing', { scheduleIntervalSeconds: 600 })
    await setup.until('failing', 'Healthy', 'Failing')
    await setup.stop()
    await setup.apply('untouched')
    await setup.apply('edited', { scheduleIntervalSeconds: 600 })
    await setup.apply('mended')
    await kube.call('DELETE', setup.path('deleted'))
    const read = await Promise.all(STATES.map(async (state) => [state, await setup.read(state)] as const))
    samples = Object.fromEntries(read) as Record<State, CustomResource>
  }, 60_000)
  afterAll(() => kube.stop())

  test.each(STATES)('of a resource that is %s is read rightly by Argo CD', async (state) => {
    const engine = await new LuaFactory().createEngine()
    const script = await readFile(SCRIPT, 'utf8')
    const read = await engine.doString(`obj = ${inLua(samples[state])}\n${script}`)
    engine.global.close()
    expect(read.status).toBe(EXPECTED[state].argo)
    expect(read.message).toMatch(/\S{3}/)
  })

  // A machine without Go cannot build the reader, and is not asked to.
  if (!hasGo()) process.stdout.write('skipped: statuses as kstatus reads them: install Go\n')
  test.skipIf(!hasGo())(
    'is read rightly by kstatus, and so by Flux and Helm',
    async () => {
      const read = await kstatusOf(STATES.map((state) => samples[state]))
      expect(Object.fromEntries(STATES.map((state, index) => [state, read[index]?.status]))).toEqual(
        Object.fromEntries(STATES.map((state) => [state, EXPECTED[state].kstatus])),
      )
    },
    BUILD_MS,
  )
})
