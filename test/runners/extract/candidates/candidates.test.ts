import { describe, expect, test } from 'vitest'
import { candidatesOf } from '../../../../runners/extract/candidates/candidates.ts'
import { elementAt, pathOf } from '../../../../runners/extract/candidates/element-at.ts'
import { CANDIDATE_ORDER } from '../../../../runners/extract/candidates/order.ts'
import { elementsOf, elementWith, offered, treeOf } from './element-of.ts'

const page = (body: string) => `<!doctype html><body>${body}`

const FIRST: readonly (readonly [what: string, body: string, rule: string, reason: string])[] = [
  [
    'itemprop before everything else',
    '<div id=offer class=price itemprop=price data-testid=p>$5</div>',
    '[itemprop="price"]',
    'the only element with itemprop=price',
  ],
  [
    'a test id before other data attributes',
    '<b data-role=cost data-testid=price id=a>$5</b>',
    '[data-testid="price"]',
    'the only element with data-testid=price',
  ],
  [
    'a data attribute of few values before an id',
    '<b data-role=cost id=a>$5</b>',
    '[data-role="cost"]',
    'the only element with data-role=cost',
  ],
  [
    'a data attribute by being there where its value is what is watched',
    '<b data-price="1999">$5</b>',
    '[data-price]',
    'the only element with the attribute data-price',
  ],
  ['an id before an aria-label', '<b id=total aria-label=Total>$5</b>', '#total', 'the only element with the id total'],
  [
    'an aria-label before a class',
    '<b class=total aria-label="Total price">$5</b>',
    '[aria-label="Total price"]',
    'the only element with aria-label=Total price',
  ],
  [
    'a class that one element has',
    '<b class="big price">$5</b><i class=big>',
    '.price',
    'the only element with the class price',
  ],
  [
    'two classes where each has other elements',
    '<b class=price></b><b class=total></b><b class="price total">$5</b>',
    '.price.total',
    'the only element with the class price and the class total',
  ],
  [
    'a name with an attribute where the attribute alone finds another element',
    '<i class=price>1</i><b class=price>$5</b>',
    'b.price',
    'the only b element with the class price',
  ],
  ['the name of the only element of its kind', '<i>1</i><output>$5</output>', 'output', 'the only output element'],
  [
    'steps from a named element',
    '<b>1</b><div id=main><i>2</i><b>$5</b></div>',
    '#main > b',
    'the only b in the element with the id main',
  ],
  [
    'steps with a class from a named element',
    '<b class=price>1</b><div id=main><p><b class=price>$5</b><b>2</b></p></div>',
    '#main .price',
    'the only element with the class price in the element with the id main',
  ],
  [
    'a class before one that looks generated',
    '<i class="kettle css-1x2y3z sc-bdVaJa"></i><b class="css-1x2y3z price">$5</b>',
    '.price',
    'the only element with the class price',
  ],
  [
    'a named element around it before an id with a number',
    '<div id=main><b id=post-83121>$5</b></div>',
    '#main > b',
    'the only b in the element with the id main',
  ],
]

describe('the candidates of an element', () => {
  test.each(FIRST)('begin with %s', (_what, body, rule, reason) => {
    const [best] = offered(page(body), '$5').values
    expect(best).toMatchObject({ rule, reason, method: 'css', value: '$5', fragile: false })
  })

  test('begin with the text in front of a value where nothing else names it', () => {
    const rows = '<tr><td>Weight</td><td>2 kg</td></tr><tr><td>Price</td><td>$5</td></tr>'
    const [best] = offered(page(`<table>${rows}</table><table></table>`), '$5').values
    expect(best).toMatchObject({
      method: 'xpath',
      rule: '//td[normalize-space()="Price"]/following-sibling::td[1]',
      reason: 'the td element behind the text "Price"',
      fragile: false,
    })
  })

  test('begin with the item that links to an address where items are alike', () => {
    const item = (name: string, price: string) =>
      `<li class=item><a href="/${name}">${name}</a><span class=price>${price}</span></li>`
    const { values, lists } = offered(page(`<ul>${item('pot', '$4')}${item('kettle', '$5')}</ul>`), '$5')
    expect(values[0]).toMatchObject({
      rule: 'li:has(a[href="/kettle"]) > .price',
      reason: 'the only element with the class price in the li with a link to /kettle',
    })
    expect(lists[0]).toMatchObject({ rule: '.price[]', value: ['$4', '$5'], matches: 2 })
  })

  test('come in the order of the table, and end with the path from the root, which is fragile', () => {
    const body = '<div id=main><b itemprop=price id=price class="price css-1x2y3z">$5</b></div>'
    const kinds = offered(page(body), '$5').values.map(({ kind }) => kind)
    const places = kinds.map((kind) => CANDIDATE_ORDER.findIndex((place) => place.kind === kind))
    expect(kinds).toEqual(['itemprop', 'id', 'class', 'anchored', 'counted', 'generated', 'position'])
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    const last = offered(page(body), '$5').values.at(-1)
    expect(last).toMatchObject({ rule: 'html > body > div > b', fragile: true })
  })

  test('leave out a selector that finds another element first', () => {
    const rules = offered(page('<b itemprop=price>$4</b><b itemprop=price>$5</b>'), '$5').values.map(({ rule }) => rule)
    expect(rules).not.toContain('[itemprop="price"]')
    expect(rules).toEqual(['html > body > b:nth-of-type(2)'])
  })

  test('say how many others a selector finds', () => {
    expect(offered(page('<b itemprop=price>$5</b><b itemprop=price>$4</b>'), '$5').values[0]).toMatchObject({
      rule: '[itemprop="price"]',
      kind: 'first',
      matches: 2,
      reason: 'the first of 2 elements with itemprop=price',
    })
  })

  test('are written in XPath where the monitor has fields in XPath', () => {
    const { values } = offered(page('<div id=main><b class=price>$5</b></div>'), '$5', { method: 'xpath' })
    expect(values.map(({ method }) => method)).not.toContain('css')
    expect(values[0]).toMatchObject({
      rule: '//*[contains(concat(" ", normalize-space(@class), " "), " price ")]',
      value: '$5',
    })
  })

  test('say what the other document of the look gives', () => {
    const other = treeOf(page('<b id=price>$6</b>'))
    const same = treeOf(page('<i></i><b id=price>$5</b>'))
    const body = page('<b id=price>$5</b>')
    expect(offered(body, '$5', { other }).values[0]?.other).toEqual({ value: '$6', isSame: false })
    expect(offered(body, '$5', { other: same }).values[0]?.other).toEqual({ value: '$5', isSame: true })
    expect(offered(body, '$5', { other: treeOf(page('')) }).values[0]?.other).toEqual({ value: null, isSame: false })
    expect(offered(body, '$5').values[0]?.other).toBeNull()
  })
})

describe('attributes', () => {
  test('are offered in the language of the rules, those of the link around the element too', () => {
    const body = page('<a href="/kettle"><img id=photo src="/kettle.png" alt=Kettle><b>$5</b></a>')
    const tree = treeOf(body)
    const image = elementsOf(tree).find(({ name }) => name === 'img')
    if (image === undefined) throw new Error('no image')
    const read = candidatesOf(tree, image).attributes
    expect(candidatesOf(tree, image, { method: 'css' }).attributes).toEqual(read)
    expect(read.map(({ attribute, rule, value }) => [attribute, rule, value])).toEqual([
      ['src', '#photo::attr(src)', '/kettle.png'],
      ['alt', '#photo::attr(alt)', 'Kettle'],
      ['href', 'html > body > a::attr(href)', '/kettle'],
    ])
    expect(read[0]?.reason).toBe('src of the only element with the id photo')
    const [src, , href] = candidatesOf(tree, image, { method: 'xpath' }).attributes
    expect([src?.rule, href?.rule]).toEqual(['//*[@id="photo"]/@src', '/html/body/a/@href'])
  })

  test('with numbers for scripts are offered, and pictures in an address are not', () => {
    const { attributes } = offered(
      page('<b data-price="19.99" title="" content="data:image/png;base64,AA">$5</b>'),
      '$5',
    )
    expect(attributes.map(({ attribute, value }) => [attribute, value])).toEqual([['data-price', '19.99']])
  })
})

describe('lists', () => {
  test('of the items around an element are offered, and say how many', () => {
    const items = [1, 2, 3].map((n) => `<article class=card><h2><a href="/${n}">Item ${n}</a></h2></article>`).join('')
    const { lists } = offered(page(`<div id=shop>${items}</div><h2><a href="/x">Elsewhere</a></h2>`), 'Item 2')
    expect(lists[0]).toMatchObject({ value: ['Item 1', 'Item 2', 'Item 3'], matches: 3 })
    expect(lists[0]?.reason).toBe('all 3 a elements, one in each item')
  })

  test('of a column of a table come before the cells of its row', () => {
    const rows = [1, 2, 3].map((n) => `<tr><td>Pot ${n}</td><td>$${n}</td></tr>`).join('')
    const { lists } = offered(page(`<table id=prices>${rows}</table>`), '$2')
    expect(lists.map(({ value }) => value)).toEqual([
      ['$1', '$2', '$3'],
      ['Pot 2', '$2'],
    ])
  })
})

describe('the path of an element', () => {
  test('counts the element children from the root, and names one element', () => {
    const tree = treeOf(page('text<!-- c --><i></i><p>a<b>$5</b></p><template><b>x</b></template>'))
    const element = elementWith(tree, '$5')
    expect(pathOf(element)).toEqual([1, 1, 0])
    expect(elementAt(tree, [1, 1, 0])).toBe(element)
    expect(elementAt(tree, [])?.name).toBe('html')
    expect(elementAt(tree, [1, 9])).toBeNull()
    expect(elementAt(tree, [1, 2, 0])).toBeNull()
  })
})
