import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPages, type Pages } from '../faults/pages.ts'
import { openSink, type Sink } from '../faults/sink.ts'
import { createEmptyDatabase } from '../support/database/test-database.ts'
import { freePort } from '../support/network/free-port.ts'
import { openSite, status } from '../support/network/site.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { until } from '../support/run/until.ts'
import { type Api, besides, type Versions } from './versions.ts'

/**
 * The commit that stands for the version before this one: it joined the migrations. From it on, they are only added, as
 * docs/decisions/0023-migrations-only-add.md says. A release moves it to the release before.
 */
const BEFORE = '13cf5becccc2'
const ROOT = join(import.meta.dirname, '../..')
const MONITORS = 12

const run = promisify(execFile)
const hasHistory = await run('git', ['cat-file', '-e', `${BEFORE}^{commit}`], { cwd: ROOT }).then(
  () => true,
  () => false,
)

describeIf(hasHistory, 'fetch the history of the repository', { isBeyondCi: true })(
  'The version before and this one, on one database',
  () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let database: Awaited<ReturnType<typeof createEmptyDatabase>>
    let pages: Pages
    let sink: Sink
    let versions: Versions<Version>

    beforeAll(async () => {
      folder = await temporaryFolder()
      database = await createEmptyDatabase()
      pages = await openPages(2 * MONITORS)
      sink = await openSink()
      const before = join(folder.path, 'before')
      await mkdir(before)
      await run('bash', ['-ec', `git archive ${BEFORE} | tar -x -C "$1"`, 'bash', before], { cwd: ROOT })
      await symlink(join(ROOT, 'node_modules'), join(before, 'node_modules'))
      const dataFolder = join(folder.path, 'data')
      versions = besides({ roots: { before, this: ROOT }, newest: 'this', databaseUrl: database.url, dataFolder })
    })
    afterAll(async () => {
      await versions[Symbol.asyncDispose]()
      await sink[Symbol.asyncDispose]()
      await pages[Symbol.asyncDispose]()
      await database.drop()
      await folder[Symbol.asyncDispose]()
    })

    /** Makes monitors of the pages from `first` on, and waits for their first runs. Returns their ids by the page. */
    async function makeMonitors(api: Api, first: number): Promise<[page: number, id: string][]> {
      const made: [number, string][] = []
      for (let page = first; page < first + MONITORS; page++) {
        const monitor = await api('POST', '/v1/monitors', {
          name: `Page ${page}`,
          url: `${pages.base}/${page}`,
          schedule_interval_seconds: 86_400,
          extract_config: { method: 'css', fields: { version: '.version' } },
          diff_predicate: { type: 'any_field_changes' },
          deliveries: [{ type: 'webhook', url: `${sink.base}/${page}` }],
        })
        made.push([page, String(monitor['id'])])
      }
      await until(
        () => Promise.all(made.map(([, id]) => api('GET', `/v1/monitors/${id}/runs`))),
        (lists) => lists.every(({ data }) => Array.isArray(data) && data.some(({ status }) => status === 'success')),
      )
      return made
    }

    /** Changes every page, checks it by request, and waits until each change arrived. */
    async function changesArrive(api: Api, monitors: readonly (readonly [number, string])[]): Promise<void> {
      for (const [page, id] of monitors) {
        pages.change(page)
        await api('POST', `/v1/monitors/${id}/run`)
      }
      await until(
        () => monitors.filter(([page]) => !arrived(page, `v${pages.version(page)}`)),
        (missing) => missing.length === 0,
      )
    }

    const arrived = (page: number, version: string) =>
      sink.arrivals.some((arrival) => arrival.page === page && arrival.after === version)

    test('check, deliver and answer side by side, while the new one migrates and after it went back', async () => {
      const { ended, startApi, startWorker, stop } = versions
      await ended('before', 'migrate')
      await versions.createOwner('before')
      const oldApi = await startApi('before')
      const oldWorker = await startWorker('before')
      const monitors = await makeMonitors(oldApi, 0)

      await ended('this', 'migrate')
      await changesArrive(oldApi, monitors)

      const api = await startApi('this')
      const worker = await startWorker('this')
      monitors.push(...(await makeMonitors(api, MONITORS)))
      await changesArrive(oldApi, monitors)
      for (const [page, id] of monitors) {
        const [editor, reader] = page % 2 === 0 ? [oldApi, api] : [api, oldApi]
        await editor('PATCH', `/v1/monitors/${id}`, { name: `Renamed ${page}` })
        expect(await reader('GET', `/v1/monitors/${id}`)).toMatchObject({ name: `Renamed ${page}` })
      }

      await stop(oldWorker)
      await changesArrive(oldApi, monitors)
      expect(await ended('before', 'migrate')).toBeDefined()
      await startWorker('before')
      await stop(worker)
      await changesArrive(api, monitors)

      const ids = sink.arrivals.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      const perPage = pages.version(0) - 1
      expect(sink.arrivals.filter(({ page }) => page === 0)).toHaveLength(perPage)
    }, 240_000)

    test('have runners that do what workers of the other version ask, previews too', async () => {
      const { startApi, startWorker, startRunner, stop } = versions
      await versions.endAll()
      const port = String(await freePort())
      const serving = { TIDEMARK_BROWSER_PAGES: '0', TIDEMARK_RUNNER_API_PORT: port }
      const api = await startApi('this', { TIDEMARK_BROWSER_PAGES: '0' })
      const rendered = (page: number, more: object = {}) => ({
        url: `${pages.base}/${page}`,
        fetch_mode: 'browser',
        extract_config: { method: 'css', fields: { version: '.version' } },
        ...more,
      })
      const { id } = await api('POST', '/v1/monitors', {
        ...rendered(0),
        ...{ name: 'Rendered', schedule_interval_seconds: 86_400, diff_predicate: { type: 'any_field_changes' } },
      })
      const rendersNow = async () => {
        const { run_id: run } = await api('POST', `/v1/monitors/${id}/run`)
        const done = await eventually(
          () => api('GET', `/v1/runs/${run}`),
          ({ status: seen }) => seen !== 'running',
          { forMs: 90_000 },
        )
        expect(done).toMatchObject({ status: 'success', fetch_method: 'browser' })
      }

      const worker = await startWorker('this', serving)
      const oldRunner = await startRunner('before', port)
      await rendersNow()
      const fields = { version: `v${pages.version(1)}` }
      const preview = (more: object = {}) => api('POST', '/v1/monitors/preview', rendered(1, more))
      expect(await preview()).toMatchObject({ status: 'success', fields, fetch_method: 'browser', error_code: null })
      const regions = [{ selector: '.version' }, { selector: '#none', label: 'None' }]
      expect(await preview({ visual_config: { enabled: true, regions } })).toMatchObject({
        ...{ status: 'success', fields },
        warnings: ['The region "None" was not found on the page; its picture is empty.'],
      })
      // It does not say how the page was fetched, but the status of one that failed is part of every outcome.
      await using missing = await openSite()
      missing.answer(status(404))
      expect(await preview({ url: missing.url })).toMatchObject({
        ...{ status: 'error', error_code: 'http_status', http_status: 404 },
      })
      await stop(oldRunner)
      await stop(worker)

      await startWorker('before', serving)
      await startRunner('this', port)
      await rendersNow()
    }, 240_000)
  },
)

type Version = 'before' | 'this'
