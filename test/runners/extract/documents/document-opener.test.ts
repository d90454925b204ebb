import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Answer, DocumentProcess } from '../../../../runners/extract/documents/child/document-process.ts'
import { createDocumentOpener, type OpenedPage } from '../../../../runners/extract/documents/document-opener.ts'

type Process = Pick<DocumentProcess, 'ask' | 'close' | 'hasRead' | 'isOver'>

const read = (readMs: number): Answer => ({
  ok: true,
  frame: { head: { ok: true, warnings: [] }, body: Buffer.from('x') },
  readMs,
})
const broken: Answer = { ok: false, why: 'broken', trace: 'Error', readMs: 1 }

/** Processes that answer when the test says so. */
class Processes {
  readonly niceness: number[] = []
  /** The files that are being read, in the order in which they were asked for. */
  readonly asked: { url: string; answer: (answer: Answer) => void }[] = []

  readonly start = (nice: number): Process => {
    this.niceness.push(nice)
    const process = {
      hasRead: false,
      isOver: false,
      close: () => undefined,
      ask: async (head: object) => {
        const { promise, resolve } = Promise.withResolvers<Answer>()
        this.asked.push({ url: 'url' in head ? String(head.url) : '', answer: resolve })
        const answer = await promise
        process.hasRead ||= answer.ok
        process.isOver = !answer.ok
        return answer
      },
    }
    return process
  }

  /** Returns the next file that is read, when it is. */
  async next() {
    return vi.waitFor(() => {
      const first = this.asked.shift()
      if (first === undefined) throw new Error('no file is being read')
      return first
    })
  }
}

const page = (url: string) => ({ body: Buffer.from('a'), contentType: 'text/csv', url })
const itself = (opened: OpenedPage) => opened

describe('an opener of files', () => {
  test('survives a process that cannot be started, and starts the next one', async () => {
    const processes = new Processes()
    let tries = 0
    const start = (nice: number) => {
      tries += 1
      if (tries === 1) throw new Error('spawn ENOMEM')
      return processes.start(nice)
    }
    const opener = createDocumentOpener({ start })
    expect(await opener.open(page('1'), { form: 'tree' }, itself)).toMatchObject({
      fault: { code: 'internal' },
      trace: expect.stringContaining('ENOMEM'),
    })
    const second = opener.open(page('2'), { form: 'tree' }, itself)
    ;(await processes.next()).answer(read(1))
    expect(await second).toMatchObject({ ok: true })
    await opener.close()
  })

  test('lets teams take turns', async () => {
    const processes = new Processes()
    const opener = createDocumentOpener({ start: processes.start })
    const files = ['a1', 'a2', 'a3', 'b1'].map((url) =>
      opener.open(page(url), { form: 'tree', team: url.slice(0, 1) }, itself),
    )
    const order: string[] = []
    for (const _ of files) {
      const { url, answer } = await processes.next()
      order.push(url)
      answer(read(1))
    }
    expect(order).toEqual(['a1', 'b1', 'a2', 'a3'])
    await Promise.all(files)
    await opener.close()
  })

  test('reads slow files in the one process that there is where memory is short, with the longer time', async () => {
    const processes = new Processes()
    const room = { processes: 1, residentMb: 192 } as const
    const opener = createDocumentOpener({ start: processes.start, room })
    const ofA = opener.open(page('a1'), { form: 'tree', team: 'a' }, itself)
    const took = await processes.next()
    const others = ['a2', 'b1'].map((url) => opener.open(page(url), { form: 'tree', team: url.slice(0, 1) }, itself))
    took.answer({ ok: false, why: 'time', readMs: 2_000 })
    const order: string[] = []
    for (const _ of [1, 2, 3]) {
      const { url, answer } = await processes.next()
      order.push(url)
      answer(read(1))
    }
    // The slow file goes behind that of another team.
    expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a1'))
    expect([await ofA, ...(await Promise.all(others))]).toMatchObject([{ ok: true }, { ok: true }, { ok: true }])
    expect(new Set(processes.niceness)).toEqual(new Set([0]))
    await opener.close()
  })

  test('says how much memory a file may take here', async () => {
    const processes = new Processes()
    const opener = createDocumentOpener({ start: processes.start, room: { processes: 1, residentMb: 192 } })
    const opened = opener.open(page('a'), { form: 'tree' }, itself)
    ;(await processes.next()).answer({ ok: false, why: 'memory', readMs: 1 })
    expect(await opened).toMatchObject({
      fault: {
        code: 'too_complex',
        message: 'The file takes more than 192 MB of memory to be read. Watch a smaller file.',
      },
    })
    await opener.close()
  })

  test('reads a file once more where the process that failed had read another one', async () => {
    const processes = new Processes()
    const opener = createDocumentOpener({ start: processes.start })
    const first = opener.open(page('1'), { form: 'tree' }, itself)
    ;(await processes.next()).answer(read(1))
    await first
    const second = opener.open(page('2'), { form: 'tree' }, itself)
    ;(await processes.next()).answer({ ok: false, why: 'memory', readMs: 1 })
    ;(await processes.next()).answer(read(1))
    expect(await second).toMatchObject({ ok: true })
    const third = opener.open(page('3'), { form: 'tree' }, itself)
    ;(await processes.next()).answer(broken)
    ;(await processes.next()).answer(broken)
    expect(await third).toMatchObject({ ok: false, fault: { code: 'internal' } })
    expect(processes.niceness).toHaveLength(3)
    await opener.close()
  })

  test('has few pages open, and opens the next one when one is read', async () => {
    const processes = new Processes()
    const opener = createDocumentOpener({ start: processes.start })
    const reads: (() => void)[] = []
    const files = ['a', 'b', 'c', 'd', 'e'].map((team) =>
      opener.open(page(team), { form: 'tree', team }, async (opened) => {
        await new Promise<void>((resolve) => reads.push(resolve))
        return opened
      }),
    )
    for (const _ of 'abcd') (await processes.next()).answer(read(1))
    await vi.waitFor(() => expect(reads).toHaveLength(4))
    expect(processes.asked).toHaveLength(0)
    for (const done of reads) done()
    ;(await processes.next()).answer(read(1))
    await vi.waitFor(() => expect(reads).toHaveLength(5))
    reads.at(-1)?.()
    await Promise.all(files)
    await opener.close()
  })

  test('says that a file is blank', async () => {
    const opener = createDocumentOpener()
    const blank = { ...page('1'), body: Buffer.from('\ufeff\r\n') }
    expect(await opener.open(blank, { form: 'tree' }, itself)).toMatchObject({ fault: { code: 'empty_body' } })
    await opener.close()
  })
})

describe('a wait for a turn', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => vi.useRealTimers())

  test('does not make a monitor slow, but the time of its own file does', async () => {
    const processes = new Processes()
    const opener = createDocumentOpener({ start: processes.start })
    const slow = opener.open(page('1'), { form: 'tree', key: 1 }, itself)
    const waits = opener.open(page('2'), { form: 'tree', key: 2 }, itself)
    const first = await processes.next()
    vi.advanceTimersByTime(5_000)
    first.answer(read(2_500))
    ;(await processes.next()).answer(read(1))
    await Promise.all([slow, waits])
    for (const [key, niceness] of [
      [2, [0]],
      [1, [0, 10]],
    ] as const) {
      const again = opener.open(page('3'), { form: 'tree', key }, itself)
      ;(await processes.next()).answer(read(1))
      await again
      expect(processes.niceness).toEqual(niceness)
    }
    await opener.close()
  })

  test('ends with its check, and after 30 seconds', async () => {
    const processes = new Processes()
    const opener = createDocumentOpener({ start: processes.start })
    const held = opener.open(page('1'), { form: 'tree' }, itself)
    const stopping = new AbortController()
    const stopped = opener.open(page('2'), { form: 'tree', signal: stopping.signal }, itself)
    const late = opener.open(page('3'), { form: 'tree' }, itself)
    const first = await processes.next()
    stopping.abort()
    expect(await stopped).toMatchObject({ fault: { code: 'timeout' } })
    vi.advanceTimersByTime(30_000)
    expect(await late).toMatchObject({ fault: { code: 'extract_timeout' } })
    first.answer(read(1))
    await held
    await opener.close()
  })
})
