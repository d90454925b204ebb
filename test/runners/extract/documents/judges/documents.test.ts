import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { jsonOf, treeOf } from '../../../../support/documents/files.ts'
import { JUDGES_ADVICE, JUDGES_PYTHON } from '../../../../support/judges/python.ts'
import { describeIf } from '../../../../support/run/skip.ts'
import { filesMadeHere, printedByPdfkit } from './files-made-here.ts'
import { PRINTED, UNLIKE } from './printed-texts.ts'

interface Made {
  readonly kind: 'pdf' | 'xlsx' | 'docx' | 'ics'
  /** As base64. */
  readonly file: string
  /** What the library of its kind reads. */
  readonly theirs: unknown
}

interface Block {
  readonly text?: string
  readonly rows?: readonly (readonly string[])[]
}

/** Returns the share of words that two texts have in the same order. */
function shareInOrder(one: readonly string[], other: readonly string[]): number {
  let before = new Uint32Array(other.length + 1)
  for (const word of one) {
    const row = new Uint32Array(other.length + 1)
    for (let at = 1; at <= other.length; at += 1)
      row[at] = word === other[at - 1] ? (before[at - 1] ?? 0) + 1 : Math.max(before[at] ?? 0, row[at - 1] ?? 0)
    before = row
  }
  return (before[other.length] ?? 0) / Math.max(one.length, other.length)
}

/** Returns the texts of the paragraphs of a PDF. */
async function paragraphsOf(file: string): Promise<readonly string[]> {
  const tree = await treeOf(Buffer.from(file, 'base64'))
  return [...tree.matchAll(/<p[^>]*>([^]*?)<\/p>/g)].map(([, text = '']) => text.replaceAll(/\s+/g, ' ').trim())
}

const wordsOf = (texts: readonly string[]) => texts.join(' ').normalize('NFC').split(/\s+/).filter(Boolean)

describeIf(JUDGES_PYTHON !== null, JUDGES_ADVICE)('81 files that libraries made', () => {
  let made: readonly Made[] = []
  const of = (kind: Made['kind']) => made.filter((one) => one.kind === kind)
  const read = ({ file }: Made) => jsonOf(Buffer.from(file, 'base64'))

  let printed: readonly string[] = []
  beforeAll(async () => {
    const judge = join(import.meta.dirname, 'document-files.py')
    const input = JSON.stringify({ files: await filesMadeHere(), texts: PRINTED.map(({ texts }) => texts) })
    const answer = execFileSync(JUDGES_PYTHON ?? '', [judge], { input, maxBuffer: 2 ** 28, encoding: 'utf8' })
    const read = JSON.parse(answer) as { files: readonly Made[]; printed: readonly string[] }
    made = read.files
    printed = read.printed
  }, 120_000)

  test('are 22 of each kind by two libraries, and 15 workbooks', () => {
    expect((['pdf', 'docx', 'ics', 'xlsx'] as const).map((kind) => of(kind).length)).toEqual([22, 22, 22, 15])
  })

  test('read the same where two programs print one text, but for a listed few', async () => {
    const unlike: string[] = []
    for (const [at, { what, texts }] of PRINTED.entries()) {
      const [one, other] = [await printedByPdfkit(texts), printed[at] ?? '']
      const [ours, theirs] = [await paragraphsOf(one), await paragraphsOf(other)]
      if (JSON.stringify(ours) !== JSON.stringify(theirs)) unlike.push(what)
      // No letter is lost, whatever the lines are.
      const [letters, others] = [ours, theirs].map((texts) => texts.join('').replaceAll(/[\s-]/g, ''))
      expect(letters).toBe(others)
    }
    expect(unlike).toEqual(Object.keys(UNLIKE))
  })

  test('have the words of a PDF that pypdf reads, in their order', async () => {
    for (const one of of('pdf')) {
      const { pages } = (await read(one)) as { pages: readonly { lines: readonly string[] }[] }
      for (const [at, text] of (one.theirs as readonly string[]).entries())
        expect(shareInOrder(wordsOf(pages[at]?.lines ?? []), wordsOf([text]))).toBeGreaterThanOrEqual(0.99)
    }
  })

  test('have the cells that openpyxl reads, with their types', async () => {
    for (const one of of('xlsx')) {
      const { sheets } = (await read(one)) as { sheets: readonly { name: string; rows: readonly unknown[][] }[] }
      const theirs = one.theirs as readonly { name: string; rows: readonly unknown[][] }[]
      expect(sheets.map(({ name }) => name)).toEqual(theirs.map(({ name }) => name))
      const trimmed = (rows: readonly unknown[][]) =>
        rows.map((row) => row.slice(0, row.findLastIndex((it) => it !== null) + 1))
      for (const [at, { rows }] of sheets.entries()) expect(rows).toEqual(trimmed(theirs[at]?.rows ?? []))
    }
  })

  test('have the texts that python-docx reads, in their order', async () => {
    for (const one of of('docx')) {
      const { blocks } = (await read(one)) as { blocks: readonly Block[] }
      expect(blocks.flatMap(({ text, rows }) => rows?.flat() ?? [text])).toEqual(one.theirs)
    }
  })

  test('have the events that icalendar reads, in UTC', async () => {
    for (const one of of('ics')) {
      const { events } = (await read(one)) as { events: readonly Record<string, unknown>[] }
      expect(
        events.map(({ uid, summary, location, start, end, repeat }) => ({
          uid,
          summary,
          location,
          start,
          end,
          repeat,
        })),
      ).toEqual(one.theirs)
    }
  })
})
