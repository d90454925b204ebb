import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  followVisualExample,
  type Followed,
  type Picture,
  PICTURES,
  runNow,
  type RunningExample,
} from '../../examples/visual-example.ts'
import { compare } from '../../worker/pictures/compare.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { type CliProcess, startCli } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { type ExamplePage, startExamplePage } from './example-page.ts'

// The pictures are of the embedded browser, with the font that comes with it; another one draws text otherwise.
const hasEmbedded = process.platform === 'linux' && process.arch === 'x64'

describeIf(hasEmbedded, 'there is no embedded browser for this platform')(
  'The visual monitor of docs/visual.md',
  () => {
    let database: TestDatabase
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let serve: CliProcess
    let example: ExamplePage
    let running: RunningExample
    let followed: Followed
    let readme: string
    let page: string
    beforeAll(async () => {
      readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
      page = await readFile(new URL('../../docs/visual.md', import.meta.url), 'utf8')
      database = await createEmptyDatabase()
      folder = await temporaryFolder()
      example = await startExamplePage()
      serve = startCli(['serve'], {
        DATABASE_URL: database.url,
        TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test',
        TIDEMARK_DATA_DIR: folder.path,
        TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
        PORT: '0',
      })
      const [, tidemark = '', key = ''] = await serve.says(/running at (\S+)\n[\s\S]*API key\s+(svc_\w+)/)
      running = { tidemark, key, page: example.base }
      followed = await followVisualExample(running)
    }, 90_000)
    afterAll(async () => {
      serve.signal('SIGTERM')
      await serve.exited
      await example[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      await database.drop()
    })

    const messages = () =>
      Array.from(
        example.output.matchAll(/^received, (.+):\n(\{[^]*?^\})/gm),
        ([, how = '', body = '']) => [how, JSON.parse(body) as object] as const,
      )

    test('sees the percentage that README and page state', () => {
      expect(followed.baseline).toMatchObject({ visual_change_pct: 0, delivery_triggered: false })
      expect(followed.changed.delivery_triggered).toBe(true)
      const stated = /"change_pct": ([\d.]+)/.exec(page)?.[1]
      expect(String(followed.changed.visual_change_pct)).toBe(stated)
      expect(followed.region).toMatchObject({ label: 'Offer', changedPct: Number(stated), hasChanges: true })
      for (const text of [readme, page])
        expect(text.replaceAll(/\s+/g, ' ')).toContain(`${Number(stated).toFixed(2)} % of the offer`)
      expect(page).toContain(`"visual_change_pct": ${stated}`)
    })

    test('tells the receiver once, with the message that the page shows', async () => {
      await eventually(messages, (all) => all.length > 0)
      const again = await runNow(running, followed.monitorId)
      expect(again).toMatchObject({ visual_change_pct: 0, delivery_triggered: false })
      const shown = /^"diff": [^]*?(?=^```)/m.exec(page)?.[0] ?? ''
      expect(shown).toContain('"visual"')
      expect(messages()).toEqual([['verified', expect.objectContaining(JSON.parse(`{${shown}}`) as object)]])
    })

    test.for<Picture>(PICTURES)('makes the picture “%s” that README and page show', async (picture) => {
      const file = `docs/images/kettle-${picture}.png`
      expect(readme).toContain(`](${file})`)
      expect(page).toContain(`](images/kettle-${picture}.png)`)
      const committed = await readFile(new URL(`../../${file}`, import.meta.url))
      const { changed, width, height } = await compare({
        before: committed,
        after: followed.pictures[picture],
        thumb: false,
      })
      expect({ changed, width, height }).toEqual({ changed: 0, width: 1160, height: 540 })
      expect(committed.length).toBeLessThan(150_000)
    })
  },
)
