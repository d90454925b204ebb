import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultsOf } from '../../support/api/monitor-requests.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { type ModelServer, openModelServer } from '../../worker/prompts/model-server.ts'

let watching: Watching
let model: ModelServer
beforeAll(async () => {
  model = await openModelServer()
  watching = await startWatching({ model: { LLM_BASE_URL: model.baseUrl } })
})
afterAll(async () => {
  await watching.close()
  await model[Symbol.asyncDispose]()
})

interface Run {
  readonly extracted: object
  readonly diff: object
  readonly fired: boolean | null
  readonly warnings: readonly string[]
}
const seen = (run: unknown) => run as Run
const GAINS = { diff_predicate: { type: 'list_gains_items', field: 'jobs' }, schedule_interval_seconds: 2_592_000 }
const job = (path: string) => `<li class="job"><a href="${path}">A job</a></li>`
const extract_config = {
  method: 'css',
  fields: { jobs: 'li.job > a::attr(href)[]' },
  clean: { jobs: [{ do: 'absolute_links' }, { do: 'drop_lines', pattern: '/sponsored/' }, { do: 'unique' }] },
}
const links = (run: unknown) => (seen(run).extracted as { jobs: string[] }).jobs.map((link) => new URL(link).pathname)

describe('extract_config.clean', () => {
  test('treats values before they are compared, so that noise is quiet', async () => {
    const watched = await watching.watch(job('/a') + job('/sponsored/1') + job('/a'), { ...GAINS, extract_config })
    expect(links(watched.baseline)).toEqual(['/a'])
    watched.set(job('/sponsored/2') + job('/a') + job('/sponsored/3'))
    expect(seen(await watched.run())).toMatchObject({ fired: false, diff: {} })
    watched.set(job('/b') + job('/a'))
    const run = await watched.run()
    expect([seen(run).fired, links(run)]).toEqual([true, ['/b', '/a']])
  })

  test('makes the next run a silent baseline when it is set or removed', async () => {
    const { clean: _, ...plain } = extract_config
    const watched = await watching.watch(job('/b') + job('/a'), { ...GAINS, extract_config: plain })
    const edited = { extract_config: { ...plain, clean: { jobs: [{ do: 'first', count: 1 }] } } }
    for (const [change, paths] of [
      [edited, ['/b']],
      [{ extract_config: plain }, ['/b', '/a']],
    ] as const) {
      const answer = await watching.served.me.patch(`/v1/monitors/${watched.id}`, change)
      expect(answer).toMatchObject({ status: 200, body: change })
      const run = await watched.run()
      expect(seen(run)).toMatchObject({ fired: false, diff: {} })
      expect(seen(run).extracted).toEqual({ jobs: paths })
    }
  })

  test('leaves an empty value and a warning where nothing is left', async () => {
    const watched = await watching.watch(job('/sponsored/1'), { ...GAINS, extract_config })
    const warning = 'Nothing is left of the field "jobs" by its treatments in extract_config.clean.'
    expect(seen(watched.baseline)).toMatchObject({ extracted: { jobs: [] }, warnings: [warning] })
  })

  test('treats the answer of a model too, of which it keeps the untreated one', async () => {
    model.says('Pilot\nBaker\nPilot')
    const prompt = 'Which jobs are open?'
    const unique = [{ do: 'unique' }, { do: 'sort' }]
    const asking = { extract_config: { method: 'prompt', prompt, clean: { result: unique } } }
    const watched = await watching.watch('<p>Pilot, baker', {
      ...asking,
      diff_predicate: { type: 'any_field_changes' },
    })
    expect(seen(watched.baseline).extracted).toEqual({ result: 'Baker\nPilot' })
    const last = { extract_config: { method: 'prompt', prompt, clean: { result: [{ do: 'last', count: 1 }] } } }
    await watching.served.me.patch(`/v1/monitors/${watched.id}`, last)
    expect(seen(await watched.run()).extracted).toEqual({ result: 'Pilot' })
    expect(model.questions).toHaveLength(1)
  })

  test('is refused by the path of each fault', async () => {
    const clean = {
      jobs: [{ do: 'sort' }, { do: 'drop_lines', pattern: '(' }, { do: 'first' }, { do: 'shuffle' }],
      'the others': [{ do: 'sort' }],
    }
    expect(await faultsOf(watching.served.me, { extract_config: { ...extract_config, clean } })).toEqual([
      'extract_config.clean.jobs[1].pattern',
      'extract_config.clean.jobs[2].count',
      'extract_config.clean.jobs[3].do',
    ])
    const unknown = { 'the others': [{ do: 'sort' }] }
    expect(await faultsOf(watching.served.me, { extract_config: { ...extract_config, clean: unknown } })).toEqual([
      'extract_config.clean["the others"]',
    ])
  })
})
