/** The size of a page in bytes, for every price: about the size of a shop's page for one product. */
export const PAGE_BYTES = 20_480

/** The rule that extracts the price of such a page. */
export const PAGE_EXTRACT = { method: 'css', fields: { price: '.price' } } as const

/**
 * Returns a page of a shop that shows this price. The length is the same for all prices with the same number of digits.
 */
export function shopPage(cents: number): string {
  return HEAD + price(cents) + TAIL
}

const price = (cents: number): string => `€ ${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

const PRODUCT = {
  '@context': 'https://schema.org',
  '@type': 'Product',
  name: 'Pour-over kettle',
  sku: 'K-0914',
  brand: 'Slow',
}
const LINKS = ['Kettles', 'Grinders', 'Scales', 'Filters', 'Cups', 'Beans', 'Spare parts', 'Gift cards']

const NAVIGATION = LINKS.map((name, i) => `<li class="nav-item"><a href="/c/${i}">${name}</a></li>`).join('\n')
const GALLERY = [1, 2, 3, 4]
  .map((n) => `<img loading="lazy" src="/img/k-0914-${n}.webp" alt="View ${n}" width="640" height="640">`)
  .join('\n')

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pour-over kettle, 0.9 l – The Slow Kitchen</title>
<meta name="description" content="A gooseneck kettle for slow mornings.">
<link rel="canonical" href="https://shop.example/kettles/pour-over-09">
<link rel="stylesheet" href="/assets/shop.css?v=41">
<script type="application/ld+json">${JSON.stringify(PRODUCT)}</script>
<script>window.basket = { items: [], currency: 'EUR' }
for (let i = 0; i < 3 && i > -1; i++) window.basket.items.push(null)</script>
</head>
<body class="product-page">
<header class="site-header">
<a class="logo" href="/"><img src="/assets/logo.svg" alt="The Slow Kitchen" width="120" height="32"></a>
<nav aria-label="Departments"><ul>${NAVIGATION}</ul></nav>
<form class="search" action="/search"><input type="search" name="q" placeholder="Search"><button>Go</button></form>
</header>
<main>
<ol class="breadcrumbs"><li><a href="/">Home</a><li><a href="/c/0">Kettles</a><li>Pour-over kettle, 0.9 l</ol>
<article class="product" data-sku="K-0914">
<div class="gallery">${GALLERY}</div>
<div class="buy-box"><h1 itemprop="name">Pour-over kettle, 0.9&nbsp;l</h1>
<p class="rating" aria-label="4.7 of 5">★★★★★ <a href="#reviews">212 reviews</a></p>
<p class="price-line"><span class="price" data-testid="price">`

function review(n: number): string {
  const title = n % 3 === 0 ? 'Pours like a dream' : 'Does what it should'
  const day = String((n % 28) + 1).padStart(2, '0')
  return `<li class="review" id="review-${n}"><h3>${title}</h3>
<p class="byline">by <b>Customer ${n}</b>, <time datetime="2026-01-${day}">this winter</time></p>
<p>The spout is steady &amp; the handle stays cool. It holds enough for two large cups;
<em>the lid</em> could sit tighter.</p>
<p class="helpful"><button type="button" data-vote="${n}">Helpful (${(n * 7) % 40})</button></p></li>`
}

const RELATED = (
  n: number,
) => `<li class="card"><a href="/p/${n}"><img loading="lazy" src="/img/p-${n}.webp" alt="" width="240" height="240">
<span class="card-title">Companion no. ${n}</span></a><span class="price">€ ${12 + n}.90</span></li>`

const END = `</section>
</main>
<footer><p>Prices include VAT. Delivery in two to four days.</p>
<ul><li><a href="/imprint">Imprint</a></li><li><a href="/privacy">Privacy</a></li></ul></footer>
<script src="/assets/shop.js?v=41" defer></script>
</body>
</html>
`

const FACTS = ['Material', 'Volume', 'Weight', 'Colour']
  .map((name) => `<tr><th>${name}</th><td>see the data sheet</td></tr>`)
  .join('')

/** Fills the page up with reviews. */
function tail(): string {
  let text = `</span> <s class="old-price">€ 89.00</s></p>
<p class="stock in-stock">In stock</p><button class="add-to-basket" type="submit">Add to basket</button></div>
<table class="facts">${FACTS}</table>
</article>
<section class="related"><h2>Goes well with</h2><ul>${[1, 2, 3, 4, 5, 6].map(RELATED).join('\n')}</ul></section>
<section id="reviews"><h2>Reviews</h2><ol>`
  const room = PAGE_BYTES - Buffer.byteLength(HEAD) - Buffer.byteLength(price(100_000)) - Buffer.byteLength(END)
  for (let n = 1; ; n++) {
    const next = review(n)
    if (Buffer.byteLength(text) + Buffer.byteLength(next) + 64 > room) break
    text += next
  }
  text += '</ol>'
  return `${text}<!--${'.'.repeat(room - Buffer.byteLength(text) - 7)}-->${END}`
}
const TAIL = tail()
