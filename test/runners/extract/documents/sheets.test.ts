import { describe, expect, test } from 'vitest'
import { jsonOf, tableOf, treeOf, xlsxOf } from '../../../support/documents/files.ts'

const CSV = { contentType: 'text/csv' }

describe('a list of values', () => {
  test('is a table with records by its first row, and numbers are numbers', async () => {
    const text = 'SKU,Name,Price\r\nK-9,"Kettle, ""big""",19.90\r\n007,Lamp,-3\r\n'
    expect(await jsonOf(text, CSV)).toEqual({
      sheets: [
        {
          name: 'Sheet1',
          records: [
            { SKU: 'K-9', Name: 'Kettle, "big"', Price: 19.9 },
            { SKU: '007', Name: 'Lamp', Price: -3 },
          ],
          rows: [
            ['SKU', 'Name', 'Price'],
            ['K-9', 'Kettle, "big"', 19.9],
            ['007', 'Lamp', -3],
          ],
        },
      ],
    })
    expect(await treeOf(text, CSV)).toBe(
      '<table data-sheet="Sheet1">\n<tr><th>SKU</th> <th>Name</th> <th>Price</th></tr>\n' +
        '<tr><td>K-9</td> <td>Kettle, &quot;big&quot;</td> <td>19.90</td></tr>\n' +
        '<tr><td>007</td> <td>Lamp</td> <td>-3</td></tr>\n</table>',
    )
  })

  test.each<[string, string, string, unknown[]]>([
    [
      'semicolons',
      'text/csv',
      'a;b\n1,5;x, y\n',
      [
        ['a', 'b'],
        ['1,5', 'x, y'],
      ],
    ],
    [
      'tabs',
      'text/tab-separated-values',
      'a\tb\n1\t"x"\n',
      [
        ['a', 'b'],
        [1, 'x'],
      ],
    ],
    [
      'lines',
      'application/csv',
      'a|b\n1|2',
      [
        ['a', 'b'],
        [1, 2],
      ],
    ],
    [
      'a separator that it names',
      'text/csv',
      'sep=;\r\na;b\r\n1;2\r\n',
      [
        ['a', 'b'],
        [1, 2],
      ],
    ],
    [
      'line ends in quotes',
      'text/csv',
      'a,b\n"1\n2",3\n',
      [
        ['a', 'b'],
        ['1\n2', 3],
      ],
    ],
    ['empty values and lines', 'text/csv', 'a,,c\n\n,2,\n', [['a', null, 'c'], [], [null, 2]]],
    [
      'old line ends',
      'text/csv',
      'a,b\r1,2\r',
      [
        ['a', 'b'],
        [1, 2],
      ],
    ],
    [
      'text behind quotes',
      'text/csv',
      'a,b\n"1"x,2\n',
      [
        ['a', 'b'],
        ['1x', 2],
      ],
    ],
    [
      'a title above, and commas in it',
      'text/csv',
      'Prices, of November, in EUR\na;b;c\n1,5;2;x\n',
      [['Prices, of November, in EUR'], ['a', 'b', 'c'], ['1,5', 2, 'x']],
    ],
    [
      'semicolons and a comma in each number',
      'text/csv',
      'K;1,5\nL;2,5\n',
      [
        ['K', '1,5'],
        ['L', '2,5'],
      ],
    ],
    [
      'rows of other lengths',
      'text/csv',
      'a,b,c\n1,2;3\n1,2,3\n',
      [
        ['a', 'b', 'c'],
        [1, '2;3'],
        [1, 2, 3],
      ],
    ],
    ['one column', 'text/csv', 'a\nb c\n', [['a'], ['b c']]],
    ['a mark of its byte order', 'text/csv; charset=utf-8', '\ufeffa,b\n', [['a', 'b']]],
    [
      'long digits, which stay as they are',
      'text/csv',
      'a\n12345678901234567890\n1e5\n',
      [['a'], ['12345678901234567890'], ['1e5']],
    ],
  ])('may have %s', async (_, contentType, text, rows) => {
    expect(await jsonOf(text, { contentType })).toMatchObject({ sheets: [{ rows }] })
  })

  test.each(['\ufeff\r\n', ',,\r\n', '""'])('is refused where it has no value', async (text) => {
    await expect(jsonOf(text, CSV)).rejects.toThrow('unreadable_document: The file has no cell with a value')
  })

  test('is known by the ending of its address where the type is vague', async () => {
    const given = { contentType: 'text/plain', url: 'https://example.com/a/prices.CSV?day=1' }
    expect(await jsonOf('a,b\n', given)).toMatchObject({ sheets: [{ rows: [['a', 'b']] }] })
  })

  test('that ends within quotes is damaged', async () => {
    await expect(jsonOf('a,b\n"1,2\n', CSV)).rejects.toThrow('unreadable_document: The file is damaged: it ends within')
  })
})

const STYLES = `<numFmts><numFmt numFmtId="164" formatCode="#,##0.00&quot; EUR&quot;"/>
  <numFmt numFmtId="165" formatCode="dd/mm/yyyy hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>
  <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="165"/><xf numFmtId="9"/></cellXfs>`

describe('a workbook', () => {
  test('has its cells as they are shown in the tree, and typed in JSON', async () => {
    const file = xlsxOf({
      styles: STYLES,
      texts: ['<t>Price</t>', '<r><t>Two </t></r><r><t>runs</t></r><rPh><t>aloud</t></rPh>'],
      sheets: {
        Prices: `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
          <row r="2"><c r="A2" s="1"><v>1234.5</v></c><c r="B2" s="2"><v>46356</v></c><c r="C2" s="4"><v>0.25</v></c>
            <c r="D2" t="b"><v>1</v></c><c r="E2" t="e"><v>#N/A</v></c></row>
          <row r="4"><c r="A4" s="3"><v>46356.5</v></c><c r="C4" t="str"><f>A1&amp;"!"</f><v>Price!</v></c>
            <c r="D4" t="inlineStr"><is><t>a &lt; b</t></is></c></row>`,
      },
    })
    expect(await jsonOf(file)).toEqual({
      sheets: [
        {
          name: 'Prices',
          records: [
            { Price: 1234.5, 'Two runs': '2026-11-30', C: 0.25, D: true, E: '#N/A' },
            { Price: '2026-11-30T12:00:00', 'Two runs': null, C: 'Price!', D: 'a < b' },
          ],
          rows: [
            ['Price', 'Two runs'],
            [1234.5, '2026-11-30', 0.25, true, '#N/A'],
            [],
            ['2026-11-30T12:00:00', null, 'Price!', 'a < b'],
          ],
        },
      ],
    })
    expect(await treeOf(file)).toContain(
      '<tr><td>1,234.50 EUR</td> <td>2026-11-30</td> <td>25%</td> <td>TRUE</td> <td>#N/A</td></tr>\n<tr></tr>\n' +
        '<tr><td>30/11/2026 12:00</td> <td></td> <td>Price!</td> <td>a &lt; b</td></tr>',
    )
  })

  test('is refused where no cell has a value', async () => {
    const file = xlsxOf({ sheets: { A: '<row><c/></row>', B: '' } })
    await expect(jsonOf(file)).rejects.toThrow('unreadable_document: The file has no cell with a value')
  })

  test('gives each column a name of its own', async () => {
    const file = tableOf('A & B', [
      ['Price', 'Price', ''],
      [1, 2, 3],
    ])
    expect(await jsonOf(file)).toMatchObject({ sheets: [{ records: [{ Price: 1, 'Price 2': 2, C: 3 }] }] })
  })

  test('gives a column that is named by a backslash alone its letter', async () => {
    expect(await jsonOf('\\,b\n1,2\n', CSV)).toMatchObject({ sheets: [{ records: [{ A: 1, b: 2 }] }] })
  })

  test('begins its records below the first row that has a value', async () => {
    const file = tableOf('A', [[], ['', 'Price'], ['x', 5]])
    expect(await jsonOf(file)).toMatchObject({ sheets: [{ records: [{ A: 'x', Price: 5 }] }] })
  })

  test('keeps a hidden sheet out of the text that is read, and marks it', async () => {
    const row = '<row><c><v>1</v></c></row>'
    const file = xlsxOf({ sheets: { A: row, B: row }, states: { B: 'state="hidden"' } })
    expect(await treeOf(file)).toContain('<table data-sheet="B" hidden>')
    expect(await jsonOf(file)).toMatchObject({ sheets: [{ name: 'A' }, { name: 'B', hidden: true }] })
  })

  test('counts days from 1904 where it says so', async () => {
    const file = xlsxOf({
      styles: STYLES,
      workbook: '<workbookPr date1904="1"/>',
      sheets: { A: '<row><c s="2"><v>0</v></c><c s="2"><v>1</v></c></row>' },
    })
    expect(await jsonOf(file)).toMatchObject({ sheets: [{ rows: [['00:00:00', '1904-01-02']] }] })
  })
})
