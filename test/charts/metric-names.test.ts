import { readFile } from 'node:fs/promises'
import { glob } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { PANELS } from '../../tools/generate/chart/dashboard.ts'

const ROOT = new URL('../../', import.meta.url).pathname
/** Names that the code puts together: the prefix of a template, and what follows it. */
const COMPOSED: readonly (readonly [prefix: string, template: string])[] = [
  ['tidemark_operator_', 'name: `tidemark_operator_${name}`'],
  ['tidemark_delivery_', '`tidemark_${what}_'],
]

test('alerts and dashboard name only metrics that processes have', async () => {
  let code = ''
  for await (const file of glob('{api,worker,operator,deliveries,boot,cli,runners}/**/*.ts', { cwd: ROOT }))
    code += await readFile(`${ROOT}${file}`, 'utf8')
  const alerts = await readFile(`${ROOT}charts/tidemark/files/alerts.yaml`, 'utf8')
  const used = `${alerts}\n${PANELS.flatMap(({ queries }) => queries.map(([query]) => query)).join('\n')}`
  const names = new Set([...used.matchAll(/\btidemark_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|count)$/, '')))
  expect(names.size).toBeGreaterThan(15)
  const unknown = [...names].filter((name) => {
    // prom-client's own, with the prefix of this program.
    if (name.startsWith('tidemark_process_')) return !code.includes(`prefix: 'tidemark_'`)
    if (code.includes(`'${name}'`)) return false
    return !COMPOSED.some(
      ([prefix, template]) =>
        name.startsWith(prefix) &&
        code.includes(template) &&
        [`'${name.slice(prefix.length)}'`, `_${name.slice(prefix.length)}\``].some((rest) => code.includes(rest)),
    )
  })
  expect(unknown).toEqual([])
})
