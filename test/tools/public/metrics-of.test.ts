import { expect, test } from 'vitest'
import { sourceFiles } from '../../../tools/check/source-file.ts'
import { metricsOf } from '../../../tools/public/metrics-of.ts'

const ROOT = new URL('../../../', import.meta.url).pathname

test('what is public has each metric that pages and alerts name', async () => {
  const files = await sourceFiles(ROOT)
  const known = metricsOf(files)
  const pages = files.filter(({ path }) => /^docs\/[^/]+\.md$|^charts\/tidemark\/files\/alerts\.yaml$/.test(path))
  const named = new Set(
    pages
      .flatMap(({ text }) => [...text.matchAll(/\btidemark_[a-z_]+[a-z]\b(?!_)/g)].map(([name]) => name))
      .map((name) => name.replace(/_(?:bucket|count|sum)$/, '')),
  )
  expect(named.size).toBeGreaterThan(40)
  // Those of the library, with the prefix of this program.
  const own = [...named].filter((name) => !/^tidemark_(?:process|nodejs)_/.test(name))
  expect(own.filter((name) => !known[name])).toEqual([])
  const unknown = Object.entries(known).filter(([, { type }]) => type === null)
  expect(unknown).toEqual([])
})

test('the type and the labels are those of the code', async () => {
  const text = `import { Gauge } from 'prom-client'
    const LEFT = 'tidemark_left'
    new Counter({ name: 'tidemark_a_total', help: '{x}', labelNames: ['result'], registers })
    new Histogram({ name: \`tidemark_\${what}_seconds\`, help: '', buckets: [1] })
    new Gauge({ name: LEFT, help: '' })
    const gauge = (name: string) => new Gauge({ name, labelNames: ['kind'], registers })
    gauge('tidemark_b')`
  expect(metricsOf([{ path: 'worker/a.ts', text }])).toEqual({
    tidemark_a_total: { type: 'counter', labels: ['result'] },
    tidemark_b: { type: 'gauge', labels: ['kind'] },
    tidemark_delivery_seconds: { type: 'histogram', labels: [] },
    tidemark_left: { type: 'gauge', labels: [] },
    tidemark_notice_seconds: { type: 'histogram', labels: [] },
  })
})
