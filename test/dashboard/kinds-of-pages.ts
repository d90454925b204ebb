import { html, type Answer } from '../support/network/site.ts'

/** A page of one kind, and where a person presses on its picture to watch a value. */
export interface PageKind {
  readonly kind: string
  readonly page: string | Answer
  /** In pixels of the page, which is 1,280 wide. Null: it is a tree, and the value is found in it. */
  readonly at: readonly [x: number, y: number] | null
  /** The value that is shown, and that a run stores. */
  readonly value: string
  /** What a run stores besides, of what was guessed. Default: nothing. */
  readonly more?: readonly unknown[]
  readonly mode?: 'browser'
  /** Presses that lead to another value, or to a reason why there is none. The last of them stands for all. */
  readonly before?: readonly { readonly at: readonly [x: number, y: number]; readonly says: string }[]
  /** What the page is waited for. It is not there without. */
  readonly waitFor?: string
  /** The button that gets something out of the way. */
  readonly hides?: string
  /** The dashboard is enlarged three times. */
  readonly isZoomed?: true
}

const STYLE = `<!doctype html><meta charset="utf-8"><style>
  body { margin: 0; font: 20px/40px sans-serif } .at { position: absolute; left: 100px; top: 200px; width: 200px }
  p, td, th { margin: 0; padding: 0; height: 40px }</style>`
const shadow = (
  mode: 'open' | 'closed',
): string => `${STYLE}<div id="host" style="height: 40px"></div><p id="price">$12.00</p>
  <script>host.attachShadow({ mode: '${mode}' }).innerHTML = '<b style="display: block">$13.00</b>'</script>`

const ROWS = ['Cup', 'Pot', 'Tea'].map((name, nth) => `<tr><th>${name}</th><td>$${nth + 1}0.00</td></tr>`).join('')
const ITEMS = ['One', 'Two'].map((name) => `<item><title>${name}</title><guid>${name}</guid></item>`).join('')
const XML = { 'content-type': 'application/rss+xml' }

/** Every kind of page that is walked through. */
export const PAGE_KINDS: readonly PageKind[] = [
  {
    kind: 'a feed',
    page: html(`<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${ITEMS}</channel></rss>`, XML),
    at: null,
    value: 'Two',
    // The links and the titles.
    more: [[], ['One', 'Two']],
  },
  {
    kind: 'a table',
    page: `${STYLE}<table cellspacing="0">${ROWS}</table><style>th, td { width: 200px }</style>`,
    at: [250, 60],
    value: '$20.00',
  },
  {
    kind: 'a page with a frame',
    page: `${STYLE}<iframe style="display: block; border: 0; height: 80px" srcdoc="<p>$11.00</p>"></iframe>
      <p id="price">$12.00</p>`,
    at: [40, 100],
    value: '$12.00',
    before: [{ at: [40, 40], says: 'It cannot be read: it is a frame' }],
  },
  {
    kind: 'a page with an open shadow root',
    page: shadow('open'),
    at: [40, 60],
    value: '$12.00',
    before: [{ at: [40, 20], says: 'It cannot be read: it is inside a shadow root' }],
  },
  {
    kind: 'a page with a closed shadow root',
    page: shadow('closed'),
    at: [40, 60],
    value: '$12.00',
    before: [{ at: [40, 20], says: 'It cannot be read: it is a closed shadow root' }],
  },
  {
    kind: 'a page with a header that sticks',
    page: `${STYLE}<header style="position: sticky; top: 0; background: #eee">Menu</header>
      <p style="height: 560px">Long</p><p id="price">$12.00</p><p style="height: 3000px">Longer</p>
      <script>scrollTo(0, 590)</script>`,
    // The header is in front of what stands there. Below it is the lower half of the price.
    at: [40, 636],
    value: '$12.00',
    before: [{ at: [40, 610], says: 'Menu' }],
  },
  {
    kind: 'a page with a box that is turned and enlarged',
    page: `${STYLE}<p>Kettle</p><p class="at" id="price" style="transform: rotate(90deg) scale(2)">$12.00</p>`,
    // The box was 200 by 40 pixels around this point, and is 80 by 400 now.
    at: [200, 400],
    value: '$12.00',
    before: [{ at: [20, 20], says: 'Kettle' }],
  },
  {
    kind: 'a page with a box that is scrolled',
    page: `${STYLE}<div id="box" style="height: 80px; overflow: auto">
      ${['One', 'Two', 'Three', 'Four', 'Five'].map((name) => `<p id="${name}">${name}</p>`).join('')}</div>
      <script>box.scrollTop = 80</script>`,
    at: [40, 60],
    value: 'Four',
    before: [{ at: [40, 20], says: 'Three' }],
  },
  {
    kind: 'a page that is read from right to left',
    page: `${STYLE}<body dir="rtl"><p style="width: 100px">ימין</p><p id="price">₪12</p>`,
    at: [1_260, 60],
    value: '₪12',
    before: [{ at: [1_230, 20], says: 'ימין' }],
  },
  {
    kind: 'a page that is enlarged three times',
    page: `${STYLE}<style>html { zoom: 3 }</style><p>Kettle</p><p id="price">$12.00</p>`,
    at: [100, 180],
    value: '$12.00',
    before: [{ at: [100, 60], says: 'Kettle' }],
  },
  {
    kind: 'a page in a dashboard that is enlarged three times',
    page: `${STYLE}<p>Kettle</p><p id="price">$12.00</p>`,
    at: [40, 60],
    value: '$12.00',
    before: [{ at: [40, 20], says: 'Kettle' }],
    isZoomed: true,
  },
  {
    kind: 'a page whose value comes after two seconds',
    page: `${STYLE}<main>Wait</main>
      <script>
        setTimeout(() => { document.querySelector('main').innerHTML = '<p id="price">$12.00</p>' }, 2000)
      </script>`,
    at: [40, 20],
    value: '$12.00',
    mode: 'browser',
    waitFor: '#price',
  },
  {
    kind: 'a page without JavaScript',
    page: `${STYLE}<p>Kettle</p><p id="price">$12.00</p>`,
    at: [40, 60],
    value: '$12.00',
  },
  {
    kind: 'a page behind a cookie wall',
    page: `${STYLE}<p>Kettle</p><p id="price">$12.00</p>
      <div id="wall" style="position: fixed; inset: 0; background: #fff"><p>We use cookies</p></div>`,
    at: [40, 60],
    value: '$12.00',
    hides: 'Hide this',
  },
]
