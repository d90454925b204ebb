import { describe, expect, test } from 'vitest'
import { jsonOf, linesPdf, pdfOf, pdfOfObjects, streamOf, textAt, treeOf } from '../../../support/documents/files.ts'

const LONG = 'A line of a paragraph that is as long as the page is wide, and goes on'

describe('a PDF', () => {
  test('has its lines in JSON, and paragraphs in the tree', async () => {
    const file = linesPdf(['Terms', '', `${LONG} be-`, `low. ${LONG} with`, 'its end.', 'Another & one <here>.'])
    expect(await jsonOf(file)).toEqual({
      info: {},
      pages: [{ lines: ['Terms', `${LONG} be-`, `low. ${LONG} with`, 'its end.', 'Another & one <here>.'] }],
    })
    expect(await treeOf(file)).toBe(
      `<section data-page="1">\n<p>Terms</p>\n<p>${LONG} below. ${LONG} with its end.</p>\n` +
        '<p>Another &amp; one &lt;here&gt;.</p>\n</section>',
    )
  })

  test('keeps the hyphens of a word that was divided at one of them', async () => {
    const file = linesPdf([`${LONG} state-of-`, `the-art. ${LONG} twenty-`, `year-old. ${LONG} un-`, 'divided.'])
    expect(await treeOf(file)).toContain(`state-of-the-art. ${LONG} twenty-year-old. ${LONG} undivided.`)
  })

  test('is read from the top, whatever the order in the file, and rows of a table stay rows', async () => {
    const rows = [
      ['K-9', 'Kettle', '19.90'],
      ['K-10', 'Lamp', '7.00'],
      ['K-11', 'Pan', '21.00'],
    ]
    const cells = rows.flatMap((row, at) =>
      row.map((cell, column) => [72 + 150 * column, 700 - 14 * at, cell] as const),
    )
    const file = pdfOf({ pages: [textAt([[72, 100, 'Below'], ...cells.toReversed(), [72, 720, 'Above']])] })
    expect(await jsonOf(file)).toMatchObject({
      pages: [{ lines: ['Above', 'K-9 Kettle 19.90', 'K-10 Lamp 7.00', 'K-11 Pan 21.00', 'Below'] }],
    })
    expect(await treeOf(file)).toContain('<p>K-9 Kettle 19.90</p>\n<p>K-10 Lamp 7.00</p>')
  })

  test('with columns of text is read column by column', async () => {
    const column = (x: number, name: string) =>
      Array.from(
        { length: 8 },
        (_, at) => [x, 700 - 14 * at, `${name} line ${at} has words enough to be text`] as const,
      )
    const file = pdfOf({
      pages: [textAt([[72, 740, 'A title'], ...column(40, 'left'), ...column(320, 'right'), [40, 40, 'A note']])],
    })
    const { pages } = (await jsonOf(file)) as { pages: { lines: string[] }[] }
    expect(pages[0]?.lines.map((line) => line.slice(0, 6))).toEqual([
      'A titl',
      ...Array.from({ length: 8 }, () => 'left l'),
      ...Array.from({ length: 8 }, () => 'right '),
      'A note',
    ])
  })

  test('marks what repeats at the edge of most pages', async () => {
    const pages = [1, 2, 3, 4].map((page) =>
      textAt([
        [72, 800, 'Price list 2026'],
        [72, 700, `Text of page ${'abcd'[page - 1]}`],
        [280, 30, `Page ${page} of 4`],
      ]),
    )
    const html = await treeOf(pdfOf({ pages }))
    expect(html.match(/<p class="running">/g)).toHaveLength(8)
    expect(html).toContain('<p>Text of page a</p>\n<p class="running">Page 1 of 4</p>')
  })

  test('has links where their text is, and none that runs a script', async () => {
    const link = (x: number, to: string) =>
      `<< /Type /Annot /Subtype /Link /Rect [${x} 695 ${x + 60} 712] /Border [0 0 0] /A ${to} >>`
    const page = `/Annots [${link(72, '<< /S /URI /URI (https://example.com/a) >>')} ${link(
      300,
      '<< /S /JavaScript /JS (app.alert(1)) >>',
    )}]`
    const file = pdfOf({
      pages: [
        textAt([
          [72, 700, 'The list'],
          [300, 700, 'Not a link'],
        ]),
      ],
      page,
    })
    expect(await treeOf(file)).toContain('<p><a href="https://example.com/a">The list</a> Not a link</p>')
  })

  test('says what it says about itself', async () => {
    const info = "/Info << /Title (Terms of delivery) /CreationDate (D:20261130153225+01'00') >>"
    expect(await jsonOf(pdfOf({ pages: [textAt([[72, 700, 'x']])], trailer: info }))).toMatchObject({
      info: { title: 'Terms of delivery', creation_date: '2026-11-30T15:32:25+01:00' },
    })
  })

  test('takes ligatures for the letters that they join', async () => {
    const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def
      1 begincodespacerange <00> <ff> endcodespacerange
      2 beginbfchar <41> <FB01> <42> <0065> endbfchar endcmap end end`
    const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 4 0 R >>'
    const file = pdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [5 0 R] >>',
      font,
      streamOf(map),
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
      streamOf(textAt([[72, 700, 'AB']])),
    ])
    expect(await jsonOf(file)).toMatchObject({ pages: [{ lines: ['fie'] }] })
  })
})

describe('a PDF that is not read whole', () => {
  const whole = linesPdf(['One', 'Two'])
  const drawn = (data: string | Buffer, entries: string) =>
    pdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
      streamOf(data, entries),
    ])

  test.each<[string, Buffer, string]>([
    ['was cut', whole.subarray(0, -200), 'unreadable_document: The file is damaged: the PDF has no end'],
    [
      'has no text',
      pdfOf({ pages: ['0 0 100 100 re f', ''] }),
      'unreadable_document: The PDF has 2 pages without any text',
    ],
    ['has no objects', Buffer.from('%PDF-1.4\n%%EOF'), 'unreadable_document: The file is damaged'],
    [
      'has no table of objects',
      Buffer.from(whole.toString('latin1').replace(/xref[^]*startxref/, 'startxref'), 'latin1'),
      'unreadable_document: The file is damaged',
    ],
    [
      'has a part that cannot be unpacked',
      drawn(Buffer.from('no deflated bytes at all'), '/Filter /FlateDecode'),
      'unreadable_document',
    ],
    [
      'needs a password',
      pdfOf({
        pages: [textAt([[72, 700, 'x']])],
        trailer: `/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] /Encrypt << /Filter
          /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`,
      }),
      'unreadable_document: The PDF is encrypted',
    ],
    [
      'has too many pages',
      pdfOf({ pages: Array.from({ length: 501 }, () => textAt([[72, 700, 'x']])) }),
      'too_complex: The file has more than 500 pages',
    ],
    [
      'has too many texts on a page',
      pdfOf({ pages: [`BT /F1 1 Tf ${'1 0 0 1 9 9 Tm (x) Tj 1 0 0 1 99 99 Tm (y) Tj '.repeat(50_001)} ET`] }),
      'too_complex: The file has more than 100,000 texts on a page',
    ],
  ])('is refused where it %s', async (_, file, message) => {
    await expect(jsonOf(file)).rejects.toThrow(message)
  })
})
