import sharp from 'sharp'

/** Which segments a digit lights, from the top, clockwise, the middle one last: pictures of tests need no font. */
const SEGMENTS = ['abcdef', 'bc', 'abged', 'abgcd', 'fgbc', 'afgcd', 'afgedc', 'abc', 'abcdefg', 'abcdfg'] as const
const PLACES: Readonly<Record<string, readonly [number, number, number, number]>> = {
  a: [0, 0, 8, 2],
  b: [6, 0, 2, 8],
  c: [6, 7, 2, 8],
  d: [0, 13, 8, 2],
  e: [0, 7, 2, 8],
  f: [0, 0, 2, 8],
  g: [0, 6, 8, 2],
}

export interface Drawing {
  readonly width?: number
  readonly height?: number
  /** Digits of the price; the strokes are two pixels wide, the digits fifteen high. */
  readonly price?: string
  /** How much further to the right all shapes stand; a part of a pixel smooths their edges otherwise. */
  readonly shift?: number
  /** Top of the scrollbar's thumb. */
  readonly thumb?: number
  /** A box somewhere. */
  readonly box?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  readonly background?: string
}

/** A page with slanted and round shapes, a price in digits, and a scrollbar, as PNG. */
export async function draw(drawing: Drawing = {}): Promise<Buffer> {
  const { width = 400, height = 300, background = '#ffffff' } = drawing
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="${width}" height="${height}" fill="${background}"/>${shapes(drawing)}${digits(drawing)}
    <rect x="${width - 15}" width="15" height="${height}" fill="#f1f1f1"/>
    <rect x="${width - 13}" y="${drawing.thumb ?? 20}" width="11" height="100" fill="#c1c1c1"/>${box(drawing)}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

function shapes({ shift = 0 }: Drawing): string {
  const x = (at: number) => at + shift
  return `<circle cx="${x(60)}" cy="60" r="31.5" fill="#0f766e"/>
    <path d="M ${x(120)} 90 L ${x(151)} 33 L ${x(182)} 90 Z" fill="#b91c1c"/>
    <path d="M ${x(20)} 150 Q ${x(80)} 110 ${x(140)} 150 T ${x(260)} 150"
      stroke="#374151" stroke-width="2" fill="none"/>`
}

function digits({ price = '1249', shift = 0 }: Drawing): string {
  return Array.from(price)
    .map((digit, index) => segmentsOf(digit, 40 + index * 12 + shift))
    .join('')
}

function segmentsOf(digit: string, left: number): string {
  return Array.from(SEGMENTS[Number(digit)] ?? '')
    .map((segment) => PLACES[segment] ?? [0, 0, 0, 0])
    .map(
      ([x, y, width, height]) =>
        `<rect x="${left + x}" y="${200 + y}" width="${width}" height="${height}" fill="#111"/>`,
    )
    .join('')
}

function box({ box: at }: Drawing): string {
  return at ? `<rect x="${at.x}" y="${at.y}" width="${at.width}" height="${at.height}" fill="#1d4ed8"/>` : ''
}

/** Width, height, and the colour of one pixel as `#rrggbb`. */
export async function look(png: Uint8Array, x = 0, y = 0): Promise<{ width: number; height: number; pixel: string }> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * 3
  return { width: info.width, height: info.height, pixel: `#${data.subarray(at, at + 3).toString('hex')}` }
}
