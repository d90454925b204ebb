import { expect, test } from 'vitest'
import { docxOf, jsonOf, treeOf } from '../../../support/documents/files.ts'

const p = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr>${style}</w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
const STYLES = `<w:style w:styleId="Berschrift1"><w:name w:val="heading 1"/></w:style>
  <w:style w:styleId="Aufz"><w:name w:val="List Bullet"/></w:style>`
const cell = (...inner: string[]) => `<w:tc>${inner.join('')}</w:tc>`

test('a DOCX has headings, paragraphs, lists, tables, notes and links', async () => {
  const file = docxOf({
    styles: STYLES,
    links: { r1: 'https://example.com/terms', r2: 'javascript:alert(1)' },
    notes: `<w:footnote>${p('A note')}</w:footnote><w:footnote>${p('')}</w:footnote>`,
    body: [
      p('Terms', '<w:pStyle w:val="Berschrift1"/>'),
      `<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>all terms</w:t></w:r></w:hyperlink><w:r>
        <w:t>.</w:t></w:r><w:hyperlink r:id="r2"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p>`,
      p('One', '<w:pStyle w:val="Aufz"/>'),
      p('Two', '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="5"/></w:numPr>'),
      p('Not an item', '<w:pStyle w:val="Aufz"/><w:numPr><w:numId w:val="0"/></w:numPr>'),
      `<w:tbl><w:tr>${cell(p('SKU'))}${cell(p('Price'), p('in EUR'))}</w:tr>
        <w:tr>${cell(p('K-9'))}${cell(`<w:tbl><w:tr>${cell(p('19'))}${cell(p('90'))}</w:tr></w:tbl>`)}</w:tr></w:tbl>`,
      p(''),
    ].join(''),
  })
  expect(await jsonOf(file)).toEqual({
    blocks: [
      { type: 'heading', level: 1, text: 'Terms' },
      {
        type: 'paragraph',
        text: 'See all terms.x',
        links: [
          { text: 'all terms', address: 'https://example.com/terms' },
          { text: 'x', address: 'javascript:alert(1)' },
        ],
      },
      { type: 'list_item', level: 1, text: 'One' },
      { type: 'list_item', level: 2, text: 'Two' },
      { type: 'paragraph', text: 'Not an item' },
      {
        type: 'table',
        rows: [
          ['SKU', 'Price\nin EUR'],
          ['K-9', '19\n90'],
        ],
      },
      { type: 'note', text: 'A note' },
    ],
  })
  expect(await treeOf(file)).toBe(
    '<h1>Terms</h1>\n<p>See <a href="https://example.com/terms">all terms</a>.x</p>\n<ul>\n' +
      '<li data-level="1">One</li>\n<li data-level="2">Two</li>\n</ul>\n<p>Not an item</p>\n<table>\n' +
      '<tr><td>SKU</td> <td>Price<br>in EUR</td></tr>\n<tr><td>K-9</td> <td>19<br>90</td></tr>\n</table>\n' +
      '<p class="note">A note</p>',
  )
})

test('what nobody has accepted yet is there, what was deleted is not, and nothing is there twice', async () => {
  const file = docxOf({
    body: `<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText><w:t>old</w:t></w:r></w:del>
      <w:r><w:instrText>HYPERLINK "x"</w:instrText><w:tab/><w:t>end</w:t></w:r>
      <mc:AlternateContent><mc:Choice><w:r><w:t>!</w:t></w:r></mc:Choice>
        <mc:Fallback><w:r><w:t>!</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>`,
  })
  expect(await jsonOf(file)).toEqual({ blocks: [{ type: 'paragraph', text: 'new\tend!' }] })
})

test('a DOCX of pictures alone is refused, and one with an empty table', async () => {
  const picture = '<w:p><w:r><w:drawing/></w:r></w:p>'
  for (const body of [picture, `<w:tbl><w:tr>${cell(picture)}</w:tr></w:tbl>`])
    await expect(jsonOf(docxOf({ body }))).rejects.toThrow('unreadable_document: The document has no text')
})
