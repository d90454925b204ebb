import sharp from 'sharp'

/** What a request of the page of a shop gets. */
interface Part {
  readonly type: string
  readonly body: string | Buffer
}

/** The shape of pages of shops: 104 requests and 3.2 MB, of which images are nine tenths. */
const SHAPE = { images: 90, scripts: 8, styles: 4 }
const [WIDTH, HEIGHT] = [480, 320]
const DIFFERENT = 12

const SCRIPT = `(() => { let sum = 0; for (let i = 0; i < 60000; i++) sum += (i * i) % 7; window.sum = sum
${Array.from({ length: 600 }, (_, n) => `window.f${n} = (a) => a + ${n};`).join('\n')} })()`
const STYLE = `@font-face { font-family: Own; src: url(/own.woff2) } body { font-family: Own, sans-serif }
${Array.from({ length: 400 }, (_, n) => `.c${n} { order: ${n}; padding: ${n % 9}px ${n % 7}px }`).join('\n')}`

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
const PAGE = `<!doctype html><meta charset="utf-8"><title>Shop</title>
${numbers(SHAPE.styles)
  .map((n) => `<link rel="stylesheet" href="/${n}.css">`)
  .join('\n')}
${numbers(SHAPE.scripts)
  .map((n) => `<script src="/${n}.js"></script>`)
  .join('\n')}
${numbers(SHAPE.images)
  .map((n) => `<div class="c${n}"><img src="/${n}.jpg" width="240" height="160" alt=""><p>Kettle no. ${n}</p></div>`)
  .join('\n')}
<b class="price"></b>
<script>
fetch('/api').then((answer) => answer.json()).then(([{ price }]) => {
  document.querySelector('.price').textContent = price
})
</script>`

/** Returns what is answered to a path of the page with media; null: it is none of its paths. */
export async function mediaParts(): Promise<(path: string) => Part | null> {
  const images = await Promise.all(numbers(DIFFERENT).map(imageOf))
  const byEnd: readonly (readonly [RegExp, (n: number) => Part])[] = [
    [/^\/media$/, () => ({ type: 'text/html', body: PAGE })],
    [/^\/(\d+)\.jpg$/, (n) => ({ type: 'image/jpeg', body: images[n % DIFFERENT] ?? '' })],
    [/^\/(\d+)\.js$/, () => ({ type: 'text/javascript', body: SCRIPT })],
    [/^\/(\d+)\.css$/, () => ({ type: 'text/css', body: STYLE })],
    [/\.woff2$/, () => ({ type: 'font/woff2', body: Buffer.alloc(60_000, 7) })],
  ]
  return (path) => {
    for (const [pattern, make] of byEnd) {
      const match = pattern.exec(path)
      if (match) return make(Number(match[1] ?? 0))
    }
    return null
  }
}

/** Returns a photograph as large as those of shops, 33 KB: a gradient with noise. */
function imageOf(which: number): Promise<Buffer> {
  const raw = Buffer.alloc(WIDTH * HEIGHT * 3)
  let noise = which + 1
  for (let at = 0; at < raw.length; at++) {
    noise = (noise * 1_103_515_245 + 12_345) & 0x7fffffff
    const pixel = Math.floor(at / 3)
    raw[at] = ((pixel % WIDTH) * (which + 3)) / 4 + Math.floor(pixel / WIDTH) * ((at % 3) + 1) + (noise % 12)
  }
  return sharp(raw, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 78 })
    .toBuffer()
}
