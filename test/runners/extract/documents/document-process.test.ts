import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kill } from 'node:process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { capacityOf } from '../../../../runners/capacity.ts'
import { outlineReader } from '../../../../runners/extract/candidates/look-readers.ts'
import { confinedArguments, DocumentProcess } from '../../../../runners/extract/documents/child/document-process.ts'
import { createDocumentOpener, type DocumentOpener } from '../../../../runners/extract/documents/document-opener.ts'
import type { DocumentForm } from '../../../../runners/extract/documents/opened-document.ts'
import type { Page } from '../../../../runners/extract/page.ts'
import { createExtractor } from '../../../../runners/extract/pool/extractor.ts'
import { jsonOf, pdfOf, pdfOfObjects, streamOf, tableOf, textAt } from '../../../support/documents/files.ts'
import { eventually } from '../../../support/run/eventually.ts'

const SMALLEST_MB = capacityOf({ cores: 1, memoryMb: 256 }).documents.residentMb
const config = { method: 'css', read_as: 'document', fields: { it: 'td' } } as const
const file = (body: Buffer) => ({ body, contentType: null, url: 'file:' })
const open = (opener: DocumentOpener, page: Page, form: DocumentForm) => opener.open(page, { form }, (opened) => opened)
const price = (value: number) => file(tableOf('A', [['Price'], [value]]))

describe('the process that opens files', () => {
  test('may do nothing but read its program', async () => {
    const program = join(import.meta.dirname, 'confined-program.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [...confinedArguments(program)], {
      env: { TZ: 'UTC' },
    })
    const outcomes = JSON.parse(stdout) as Record<string, string>
    expect(Object.keys(outcomes)).toHaveLength(9)
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== 'refused')).toEqual([])
  })

  test('is started when a file needs it, serves the next one, and ends with the extractor', async () => {
    const extractor = createExtractor()
    const before = await childrenOf()
    await extractor.extract(
      { body: Buffer.from('<td>1'), contentType: 'text/html', url: 'file:' },
      { method: 'css', fields: { it: 'td' } },
    )
    expect(await childrenOf()).toEqual(before)
    const read = await Promise.all([1, 2, 3].map((value) => extractor.extract(price(value), config)))
    expect(read.map((one) => one.ok && one.values['it'])).toEqual(['1', '2', '3'])
    // On a busy machine a file takes longer than a quick one may, and has a second process.
    expect((await childrenOf()).length).toBeGreaterThan(before.length)
    await extractor.close()
    await eventually(childrenOf, (now) => now.length === before.length)
    expect(await extractor.extract(price(4), config)).toMatchObject({ ok: false, fault: { code: 'internal' } })
  })

  test('ends when it had nothing to read for a while, and starts again', async () => {
    const before = await childrenOf()
    const opener = createDocumentOpener({ idleMs: 50 })
    for (const value of [1, 2]) {
      expect(await open(opener, price(value), 'tree')).toMatchObject({ ok: true })
      await eventually(childrenOf, (now) => now.length === before.length)
    }
    await opener.close()
  })

  test('leaves a file that takes long to one of lower priority, and tells where it takes too long there', async () => {
    const patient = createDocumentOpener({ quickMs: 0, readMs: 60_000 })
    expect(await open(patient, price(1), 'json')).toMatchObject({ ok: true, page: { contentType: 'application/json' } })
    await patient.close()
    const hasty = createDocumentOpener({ quickMs: 0, readMs: 0 })
    const large = file(
      tableOf(
        'A',
        Array.from({ length: 30_000 }, (_, at) => [`row ${at}`, at]),
      ),
    )
    expect(await open(hasty, large, 'tree')).toMatchObject({ ok: false, fault: { code: 'too_complex' } })
    await hasty.close()
  })

  test('is watched, is the first that the kernel ends, and ends so for want of memory', async () => {
    const before = await childrenOf()
    const process = new DocumentProcess(0, 384)
    const file = { form: 'json', contentType: null, url: 'file:' }
    const asked = { ms: 10_000, signal: new AbortController().signal }
    expect(await process.ask(file, price(1).body, asked)).toMatchObject({ ok: true })
    const [child = ''] = (await childrenOf()).filter((one) => !before.includes(one))
    const pid = Number.parseInt(child.trim(), 10)
    expect(await readFile(`/proc/${pid}/oom_score_adj`, 'latin1')).toBe('1000\n')
    expect(await childrenOf(`tidemark-watchman ${pid}`)).toHaveLength(1)
    // It must not answer before it is killed.
    kill(pid, 'SIGSTOP')
    const answer = process.ask(file, price(2).body, asked)
    kill(pid, 'SIGKILL')
    expect(await answer).toMatchObject({ ok: false, why: 'memory' })
    await eventually(
      () => childrenOf(`tidemark-watchman ${pid}`),
      (now) => now.length === 0,
    )
  })

  test('is heard by a process that was busy while it started and answered', async () => {
    const process = new DocumentProcess(0, SMALLEST_MB)
    const asked = { ms: 5_000, signal: new AbortController().signal }
    const answer = process.ask({ form: 'json', contentType: null, url: 'file:' }, price(1).body, asked)
    // The file is sent, and then nothing is read for longer than it takes.
    await new Promise(setImmediate)
    for (const since = performance.now(); performance.now() - since < 3_000;);
    expect(await answer).toMatchObject({ ok: true })
    process.close()
  })

  test('of the smallest size reads one PDF of twenty pages after the other', async () => {
    const process = new DocumentProcess(0, SMALLEST_MB)
    const page = textAt(Array.from({ length: 40 }, (_, at) => [72, 770 - 14 * at, `Line ${at} has some words`]))
    const body = pdfOf({ pages: Array.from({ length: 20 }, () => page) })
    const asked = { ms: 60_000, signal: new AbortController().signal }
    for (const nth of [1, 2, 3]) {
      const answer = await process.ask({ form: 'tree', contentType: null, url: 'file:' }, body, asked)
      expect({ nth, ok: answer.ok, isOver: process.isOver }).toEqual({ nth, ok: true, isOver: false })
    }
    process.close()
  })

  test('opens a large file whose paths are shown', async () => {
    const extractor = createExtractor()
    const opened = await extractor.open({ ...file(Buffer.from('a\n'.repeat(70_000))), contentType: 'text/csv' }, 'json')
    const read = opened.ok ? await extractor.read(outlineReader(), opened.page) : opened
    expect(read).toMatchObject({ ok: true, read: { tree: { method: 'json_path' } } })
    await extractor.close()
  })

  test('stops where the check is stopped, and the next file is read', async () => {
    const extractor = createExtractor()
    const stopped = new AbortController()
    const waiting = extractor.extract(price(1), config, { signal: stopped.signal })
    stopped.abort()
    expect(await waiting).toMatchObject({ ok: false, fault: { code: 'timeout' } })
    expect(await extractor.extract(price(2), config)).toMatchObject({ ok: true, values: { it: '2' } })
    await extractor.close()
  })
})

test('a script in a font of a PDF is not run, and its text is read', async () => {
  const pwned = () => (globalThis as { tidemarkPwned?: boolean }).tidemarkPwned
  const script = '1\\); globalThis.tidemarkPwned = true; throw new Error\\(1'
  const body = pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FontMatrix [0.1 0 0 0.1 0 (${script})]
      /FontDescriptor 6 0 R >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
    streamOf(textAt([[72, 700, 'Terms']])),
    `<< /Type /FontDescriptor /FontName /Helvetica /Flags 4 /FontMatrix [0.1 0 0 0.1 0 (${script})] >>`,
  ])
  expect(await jsonOf(body)).toMatchObject({ pages: [{ lines: ['Terms'] }] })
  expect(pwned()).toBeUndefined()
})

/** The processes that this one has started. */
async function childrenOf(program = 'open-documents'): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)])
  return stdout.split('\n').filter((line) => line.includes(program))
}
