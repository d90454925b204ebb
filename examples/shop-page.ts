/** The example page: a small shop that offers one kettle. Only its price changes, and a clock that always does. */

const LIST_PRICE = 24
/** Discounts of at least this many percent have a badge. */
const BADGE_FROM = 30
/** Prices of the last days, in dollars; the last point of the chart is today's. */
const EARLIER = [
  22.5, 22.5, 22.5, 21.75, 21.75, 21.75, 21.75, 22.25, 22.25, 22.25, 21, 21, 21, 21, 21, 20.25, 20.25, 20.25, 20.75,
  20.75, 20.75, 20.75, 19.5, 19.5, 19.5, 19.99, 19.99, 19.99, 19.99,
]

/**
 * Returns the page with a price in dollars and a clock. It is complete in itself: no script, no picture or font to
 * fetch.
 */
export function shopPage(dollars: number, now: Date): string {
  const price = money(dollars)
  const saved = Math.round((1 - dollars / LIST_PRICE) * 100)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hearth kettle: ${price}</title>
<style>${STYLE}</style>
<header>
  <svg width="34" height="34" viewBox="0 0 34 34"><circle cx="17" cy="17" r="17" fill="#1f3d36"/>
    <path d="M9 14h13v5a6.5 6.5 0 0 1-13 0zM22 15h2.5a2.5 2.5 0 0 1 0 6H22"
      fill="none" stroke="#f4c95d" stroke-width="2.2"/></svg>
  <strong>Steep &amp; Pour</strong>
  <nav><a>Kettles</a><a>Teapots</a><a>Cups</a><a>Tea</a></nav>
  <span>Basket (0)</span>
</header>
<main>
  <figure>${KETTLE}${saved < BADGE_FROM ? '' : `<span class="badge"><b>Sale</b>−${saved} %</span>`}</figure>
  <section>
    <small>Kettles / Stove top</small>
    <h1>Hearth kettle, 0.9 litres</h1>
    <p class="stars">${STAR.repeat(5)} 4.8 from 212 reviews</p>
    <p class="offer">
      <b class="price">${price}</b><s>${money(LIST_PRICE)}</s><span class="saved">You save ${saved} %</span>
    </p>
    <p class="clock">Price as of ${now.toISOString().slice(11, 19)} UTC</p>
    <p class="buy"><button>Add to basket</button><span>In stock. With you in two days.</span></p>
    <h2>Price, last 30 days</h2>
    ${chart([...EARLIER, dollars])}
  </section>
</main>
<footer>Steep &amp; Pour sells nothing: it is an example page of Tidemark.</footer>
</html>
`
}

const money = (dollars: number): string => `$${dollars.toFixed(2)}`

const WIDTH = 520
const HEIGHT = 120
const BOTTOM = 96
/** The price in dollars at the chart's lowest line, and pixels for each dollar above it. */
const FLOOR = 14
const SCALE = 8

/** Returns a line in steps, one for each day, that ends at today's point. */
function chart(prices: readonly number[]): string {
  const left = 38
  const day = (WIDTH - 70) / prices.length
  const heights = prices.map((price) => BOTTOM - (price - FLOOR) * SCALE)
  const steps = heights.map((y, at) => `V${y}H${Math.round(left + (at + 1) * day)}`).join('')
  const line = `M${left} ${heights[0]}${steps}`
  const [x, y] = [Math.round(left + prices.length * day), heights.at(-1) ?? 0]
  const grid = [14, 18, 22].map((dollars) => {
    const at = BOTTOM - (dollars - FLOOR) * SCALE
    return `<path d="M${left} ${at}H${WIDTH}" stroke="#e4ddd0"/><text x="0" y="${at + 5}">$${dollars}</text>`
  })
  return `<svg class="chart" width="${WIDTH}" height="${HEIGHT}">${grid.join('')}
      <path d="${line}V${BOTTOM}H${left}Z" fill="#dcebe4"/>
      <path d="${line}" fill="none" stroke="#1f7a5c" stroke-width="3"/>
      <circle cx="${x}" cy="${y}" r="7" fill="#d1495b" stroke="#fff" stroke-width="2"/>
      <text x="${left}" y="${HEIGHT - 3}">30 days ago</text>
      <text x="${x}" y="${HEIGHT - 3}" text-anchor="middle">today</text></svg>`
}

const STAR =
  '<svg width="18" height="18" viewBox="0 0 20 20"><path d="M10 1l2.8 5.9 6.4.8-4.7 4.5 1.2 6.4L10 15.5l-5.7 3.1 ' +
  '1.2-6.4L.8 7.7l6.4-.8z" fill="#e0a526"/></svg>'

const KETTLE = `<svg viewBox="0 0 500 480" width="500" height="480">
    <circle cx="250" cy="236" r="178" fill="#f0dcae"/>
    <ellipse cx="250" cy="400" rx="150" ry="14" fill="#d9c08a"/>
    <path d="M160 190C150 84 350 84 340 190" fill="none" stroke="#3b2a20" stroke-width="16" stroke-linecap="round"/>
    <path d="M352 268c44-6 34-74 78-84l10 16c-26 14-20 96-84 128z" fill="#1f5c4d"/>
    <path d="M136 400c-26-70-14-150 40-196h148c54 46 66 126 40 196z" fill="#2a7a66"/>
    <path d="M136 400c-26-70-14-150 40-196h36c-44 46-52 126-32 196z" fill="#35917a"/>
    <path d="M172 206c10-30 146-30 156 0z" fill="#1f5c4d"/>
    <circle cx="250" cy="172" r="14" fill="#3b2a20"/>
    <path d="M128 366h244" stroke="#1f5c4d" stroke-width="6"/>
    <path d="M444 160c-12-18 14-26 2-46M468 156c-12-18 14-26 2-46"
      fill="none" stroke="#cdb98f" stroke-width="6" stroke-linecap="round"/></svg>`

// Open Sans comes with the embedded browser, in these two weights, so that the page looks the same on every machine.
const STYLE = `
* { box-sizing: border-box; margin: 0 }
body { background: #faf6ee; color: #2b2622; font: 17px/1.5 'Open Sans', sans-serif }
header { display: flex; align-items: center; gap: 14px; padding: 18px 80px; font-size: 20px }
header { background: #fff; border-bottom: 1px solid #e9e1d2 }
nav { display: flex; gap: 32px; margin: 0 auto; font-size: 17px; color: #6b6259 }
header span { font-size: 17px }
main { display: grid; grid-template-columns: 500px 1fr; gap: 60px }
main { max-width: 1160px; margin: 0 auto; padding: 30px 20px }
figure { position: relative; height: 480px; background: #f6ead0; border-radius: 24px }
.badge { position: absolute; top: 24px; left: 24px; width: 124px; height: 124px; padding-top: 28px }
.badge { border-radius: 62px; background: #d1495b; color: #fff; text-align: center; font-size: 24px; line-height: 1.4 }
.badge b { display: block }
small { color: #8a7f73; font-size: 15px }
h1 { margin: 2px 0; font-size: 38px; line-height: 1.25 }
h2 { margin: 22px 0 8px; font-size: 17px }
.stars { display: flex; align-items: center; gap: 3px; color: #6b6259; font-size: 15px }
.offer { display: flex; align-items: center; gap: 20px; margin-top: 14px }
.price { font-size: 64px; line-height: 1.2; color: #1f3d36 }
s { font-size: 26px; color: #9b9084 }
.saved { padding: 5px 14px; border-radius: 8px; background: #fbe3e4; color: #b02a3f; font-weight: 700 }
.clock { color: #8a7f73; font-size: 15px }
.buy { display: flex; align-items: center; gap: 20px; margin-top: 14px; color: #2a7a66 }
button { padding: 13px 32px; border: 0; border-radius: 12px; background: #1f3d36; color: #fff }
button { font: 700 18px 'Open Sans', sans-serif }
.chart { display: block; overflow: visible }
.chart text { font-size: 13px; fill: #8a7f73 }
footer { padding: 32px 80px; border-top: 1px solid #e9e1d2; text-align: center; color: #8a7f73; font-size: 15px }
`
