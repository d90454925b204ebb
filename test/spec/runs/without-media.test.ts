import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'

// Each waits for several pages to be rendered.
vi.setConfig({ testTimeout: 180_000 })

const RULES = {
  fetch_mode: 'browser',
  extract_config: { method: 'css', fields: { price: '.price' } },
  schedule_interval_seconds: 2_592_000,
}

interface Shop {
  readonly price?: string
  /** What the price is once the image is there in its size, and not otherwise. */
  readonly withImage?: string
}

/** Where the media of a page are. */
interface Media {
  readonly image: string
  readonly font: string
  readonly sound: string
}

/** A page with media, whose price a script may write when the image has its size. */
const page = ({ price = '', withImage = '' }: Shop, { image, font, sound }: Media) =>
  `<!doctype html><title>Shop</title>
   <style>@font-face { font-family: Own; src: url(${font}) } body { font-family: Own, serif }</style>
   <h1>Kettle</h1><img alt=""><audio autoplay src="${sound}"></audio><b class="price">${price}</b>
   <script>
     const image = document.querySelector('img')
     image.onload = () => {
       image.setAttribute('data-loaded', 'yes')
       if (image.naturalWidth > 1 && '${withImage}') document.querySelector('.price').textContent = '${withImage}'
     }
     image.src = '${image}'
   </script>`

/** A picture of more than one pixel. */
const pixels = () =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: '#345' } })
    .png()
    .toBuffer()

interface Run {
  readonly without_media?: true
  readonly extracted: object
  readonly diff: object
}

describe('a page that is rendered for its values alone', () => {
  let browsers: Browsers
  let watching: Watching
  beforeAll(async () => {
    browsers = testBrowsers()
    watching = await startWatching({ browsers, pictures: true })
  })
  afterAll(async () => {
    await watching.close()
    await browsers.close()
  })

  async function watch(shop: Shop, more: object = {}) {
    const parts = { image: watching.page(null), font: watching.page(null), sound: watching.page(null) }
    parts.image.set(await pixels(), 'image/png')
    parts.font.set(Buffer.from('none'), 'font/woff2')
    parts.sound.set(Buffer.from('none'), 'audio/mpeg')
    const media = { image: parts.image.url, font: parts.font.url, sound: parts.sound.url }
    const asked = () => Object.values(parts).map(({ requests }) => requests.length)
    const watched = await watching.watch(page(shop, media), { ...RULES, ...more })
    return {
      baseline: watched.baseline as Run,
      asked,
      set: (next: Shop) => watched.set(page(next, media)),
      /** Returns the next run, with how many requests it made for the document and for the image. */
      async next() {
        const [documents, images] = [watched.requests.length, parts.image.requests.length]
        const run = (await watched.run()) as Run
        return {
          run,
          documents: watched.requests.length - documents,
          images: parts.image.requests.length - images,
        }
      },
    }
  }

  test('is rendered with its media first, and without them as long as it reads the same', async () => {
    const watched = await watch({ price: '7' })
    expect(watched.baseline).not.toHaveProperty('without_media')
    const asked = watched.asked()
    expect(
      asked.every((count) => count > 0),
      String(asked),
    ).toBe(true)
    const { run, documents } = await watched.next()
    expect(run).toMatchObject({ without_media: true, extracted: { price: '7' }, diff: {} })
    expect([watched.asked(), documents]).toEqual([asked, 1])
  })

  test('is read again with its media before a change is reported', async () => {
    const watched = await watch({ price: '7' })
    watched.set({ price: '8' })
    const { run, images, documents } = await watched.next()
    expect(run).toMatchObject({ extracted: { price: '8' }, diff: { fields_changed: ['price'] } })
    expect(run).not.toHaveProperty('without_media')
    expect([images, documents]).toEqual([1, 2])
    // It may change at each check, so it has them for four intervals.
    const next = await watched.next()
    expect([next.run.without_media, next.documents, next.images]).toEqual([undefined, 1, 1])
    await watching.setClock(5 * 2_592_000)
    expect((await watched.next()).run).toMatchObject({ without_media: true, diff: {} })
    await watching.setClock(0)
  })

  test('keeps its media for a week where it reads otherwise without them, and reports no change', async () => {
    const watched = await watch({ price: '0', withImage: '7' })
    expect(watched.baseline).toMatchObject({ extracted: { price: '7' } })
    const second = await watched.next()
    expect(second.run).toMatchObject({ extracted: { price: '7' }, diff: {} })
    expect([second.run.without_media, second.documents]).toEqual([undefined, 2])
    const third = await watched.next()
    expect([third.run.without_media, third.documents, third.images]).toEqual([undefined, 1, 1])
    await watching.setClock(8 * 86_400)
    expect((await watched.next()).documents).toBe(2)
    await watching.setClock(0)
  })

  test('learns that its image was loaded', async () => {
    const loaded = { extract_config: { method: 'css', fields: { loaded: 'img::attr(data-loaded)' } } }
    const watched = await watch({ price: '7' }, loaded)
    expect(watched.baseline).toMatchObject({ extracted: { loaded: 'yes' } })
    expect((await watched.next()).run).toMatchObject({ without_media: true, extracted: { loaded: 'yes' } })
  })

  test('has all of them where pictures are taken', async () => {
    const watched = await watch({ price: '7' }, { visual_config: { enabled: true } })
    const { run, images } = await watched.next()
    expect([run.without_media, images]).toEqual([undefined, 1])
  })
})
