/** Items of the page of a shop. Each has a name, a price and a text. */
export const ITEMS = 300
/** Elements of the page with as many as are listed. */
export const SMALL_BOXES = 4_000

/** In pixels. */
const ITEM = { width: 210, height: 60, inALine: 6 } as const
const BOX = { width: 64, height: 20, inALine: 20 } as const

/** Returns the text of the price of an item, which no other one has. */
export const priceOf = (item: number): string => `$${item}.25`

/** Returns a place within the price of an item, in pixels of the page. */
export const placeOfPrice = (item: number): readonly [x: number, y: number] => [
  ITEM.width * (item % ITEM.inALine) + 20,
  ITEM.height * Math.floor(item / ITEM.inALine) + 30,
]

/** Returns a place within a small box, in pixels of the page. */
export const placeOfBox = (box: number): readonly [x: number, y: number] => [
  BOX.width * (box % BOX.inALine) + BOX.width / 2,
  BOX.height * Math.floor(box / BOX.inALine) + BOX.height / 2,
]

export function itemsPage(): string {
  const items = Array.from({ length: ITEMS }, (_, nth) => {
    const text = 'Of stainless steel, for all kinds of stoves. '
    return `<li><h2>Kettle ${nth}</h2><b id="price-${nth}">${priceOf(nth)}</b><p>${text}</p></li>`
  })
  return `<!doctype html><meta charset="utf-8"><title>Shop</title><style>
    body, ul, h2, p { margin: 0; padding: 0; font: 12px/20px sans-serif }
    li { float: left; width: ${ITEM.width}px; height: ${ITEM.height}px; overflow: hidden; list-style: none }
    b { display: block } p { white-space: nowrap }</style><ul>${items.join('')}</ul>`
}

export function smallBoxesPage(): string {
  const boxes = Array.from({ length: SMALL_BOXES }, (_, nth) => `<i>No ${nth}</i> `)
  return `<!doctype html><meta charset="utf-8"><title>Boxes</title><style>
    body { margin: 0 } i { float: left; width: ${BOX.width}px; height: ${BOX.height}px; overflow: hidden }
    </style>${boxes.join('')}`
}
