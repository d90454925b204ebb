import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow, TextRun } from 'docx'
import ical, { ICalEventRepeatingFreq } from 'ical-generator'
import { buffer } from 'node:stream/consumers'
import PDFDocument from 'pdfkit'

/** A file of a kind, as base64. */
interface MadeFile {
  readonly kind: 'pdf' | 'docx' | 'ics'
  readonly file: string
}

const OF_A_KIND = 7

/** Returns files that libraries for Node make. They are the same each time. */
export async function filesMadeHere(): Promise<readonly MadeFile[]> {
  const made: MadeFile[] = []
  const makers = { pdf: pdfFile, docx: wordFile, ics: calendarFile } as const
  for (const [kind, make] of [
    ['pdf', makers.pdf],
    ['docx', makers.docx],
    ['ics', makers.ics],
  ] as const)
    for (let nth = 0; nth < OF_A_KIND; nth += 1)
      made.push({ kind, file: Buffer.from(await make(nth)).toString('base64') })
  return made
}

/** Returns a PDF of texts, a paragraph each, by pdfkit. */
export async function printedByPdfkit(texts: readonly string[]): Promise<string> {
  const file = new PDFDocument({ size: 'A4', margin: 72 }).font('Helvetica').fontSize(10)
  for (const text of texts) file.text(text).moveDown(1)
  return (await ended(file)).toString('base64')
}

function ended(file: PDFDocument): Promise<Buffer> {
  const read = buffer(file)
  file.end()
  return read
}

const WORDS = (
  'price harbour kettle lamp order delivery customer coastal winter month term office ticket flower bridge ' +
  'Straße façade naïve überall señor Ærø fine affair shuffle'
).split(' ')

/** Returns words of a list that a file of this number has at this place. */
function sentence(nth: number, at: number, words: number): string {
  const chosen = Array.from({ length: words }, (_, word) => WORDS[(nth * 7 + at * 5 + word * (nth + 3)) % WORDS.length])
  return `${chosen.join(' ')}.`
}

function pdfFile(nth: number): Promise<Buffer> {
  const file = new PDFDocument({ size: 'A4', margin: 72, compress: nth % 2 === 0 })
  for (let page = 0; page <= nth % 3; page += 1) {
    if (page > 0) file.addPage()
    file
      .font('Helvetica-Bold')
      .fontSize(16)
      .text(`Part ${page + 1}: ${sentence(nth, page, 3)}`)
      .moveDown(1)
    file.font('Times-Roman').fontSize(11)
    for (let at = 0; at < 5; at += 1) file.text(sentence(nth, page + at, 40 + nth)).moveDown(1)
    const top = file.y
    for (let row = 0; row < nth; row += 1)
      for (const [column, text] of [`K-${row}`, sentence(nth, row, 2), `${row * 7}.50`].entries())
        file.text(text, 72 + 140 * column, top + 16 * row, { lineBreak: false })
  }
  return ended(file)
}

async function wordFile(nth: number): Promise<Buffer> {
  const children = Array.from({ length: 3 + (nth % 3) }, (_, part) => [
    new Paragraph({ text: sentence(nth, part, 4), heading: HeadingLevel.HEADING_2 }),
    new Paragraph({
      children: [new TextRun('Bold & <plain>: '), new TextRun({ text: sentence(nth, part, 30), bold: true })],
    }),
    ...Array.from(
      { length: nth % 4 },
      (__, item) => new Paragraph({ text: sentence(nth, item, 3), bullet: { level: 0 } }),
    ),
    new Table({
      rows: Array.from(
        { length: 2 + (nth % 3) },
        (__, row) =>
          new TableRow({
            children: [0, 1, 2].map(
              (column) => new TableCell({ children: [new Paragraph(sentence(nth, row + column, 2))] }),
            ),
          }),
      ),
    }),
  ]).flat()
  return Packer.toBuffer(new Document({ sections: [{ children }] }))
}

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', null] as const

function calendarFile(nth: number): Buffer {
  const calendar = ical({ name: `Calendar ${nth}`, prodId: '//files//made here//EN' })
  for (let number = 0; number < 3 + nth; number += 1) {
    const zone = ZONES[(nth + number) % ZONES.length] ?? null
    const start = new Date(Date.UTC(2026, number % 12, 1 + nth, 9, 30))
    const event = calendar.createEvent({
      id: `${nth}-${number}@example.com`,
      start,
      end: new Date(start.getTime() + 5_400_000),
      summary: sentence(nth, number, 12),
      location: `${sentence(nth, number, 1)}, hall; ${number}`,
      stamp: new Date(Date.UTC(2026, 0, 1)),
      ...(zone !== null && { timezone: zone }),
      ...(number % 4 === 3 && { allDay: true }),
    })
    if (number % 3 === 0) event.repeating({ freq: ICalEventRepeatingFreq.WEEKLY, count: 3 + number })
  }
  return Buffer.from(calendar.toString())
}
