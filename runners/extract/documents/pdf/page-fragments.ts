import type { PDFPageProxy } from 'pdfjs-dist'
import { DOCUMENT_LIMITS } from '../document-limits.ts'
import { tooMany } from '../refused-document.ts'
import type { Fragment, TextLink } from './text-line.ts'

export type PdfPage = Pick<PDFPageProxy, 'getTextContent' | 'getAnnotations' | 'getViewport' | 'cleanup'>

/** A place on the page that is a link. */
interface LinkArea {
  readonly link: TextLink
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

type Matrix = readonly number[]

/** Returns the texts of a page with their places, as it is shown. */
export async function fragmentsOfPage(page: PdfPage): Promise<Fragment[]> {
  const { transform }: { readonly transform: Matrix } = page.getViewport({ scale: 1 })
  const links = linksOf(await page.getAnnotations(), transform)
  const { items } = await page.getTextContent()
  if (items.length > DOCUMENT_LIMITS.texts) throw tooMany('texts')
  const fragments: Fragment[] = []
  for (const item of items) {
    if (!('str' in item) || item.str.trim() === '') continue
    const { str, width, transform: at }: { str: string; width: number; transform: Matrix } = item
    const [x, y] = placed(transform, at[4] ?? 0, at[5] ?? 0)
    const size = Math.hypot(at[2] ?? 0, at[3] ?? 0) || 1
    const own = links.filter(
      (area) => area.left < x + width && area.right > x && y >= area.top - 1 && y <= area.bottom + 1,
    )
    fragments.push({ text: equalText(str), x, y, width, size, links: own.map(({ link }) => link) })
  }
  return fragments
}

const LIGATURES = /[\ufb00-\ufb06]/g

/** Ligatures become the letters that they join, and accents that stand apart become one with their letter. */
const equalText = (text: string) => text.replace(LIGATURES, (one) => one.normalize('NFKD')).normalize('NFC')

function linksOf(annotations: readonly unknown[], transform: Matrix): LinkArea[] {
  return annotations.flatMap((annotation): LinkArea[] => {
    if (typeof annotation !== 'object' || annotation === null) return []
    if (!('url' in annotation && 'rect' in annotation && 'overlaidText' in annotation)) return []
    const { url, rect, overlaidText } = annotation
    if (typeof url !== 'string' || !Array.isArray(rect) || typeof overlaidText !== 'string') return []
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = rect.map(Number)
    const [left, top] = placed(transform, x1, y1)
    const [right, bottom] = placed(transform, x2, y2)
    return [
      {
        link: { address: url, text: equalText(overlaidText).replace(/\s+/g, ' ').trim() },
        left: Math.min(left, right),
        right: Math.max(left, right),
        top: Math.min(top, bottom),
        bottom: Math.max(top, bottom),
      },
    ]
  })
}

function placed([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix, x: number, y: number): readonly [number, number] {
  return [a * x + c * y + e, b * x + d * y + f]
}
