declare module 'pdfkit' {
  import type { Readable } from 'node:stream'

  interface Placed {
    readonly columns?: number
    readonly columnGap?: number
    readonly height?: number
    readonly lineBreak?: boolean
  }

  /** What the test of documents uses of it: a file is read as a stream. */
  export default class PDFDocument extends Readable {
    constructor(options: { readonly size: string; readonly margin: number; readonly compress?: boolean })
    font(name: string): this
    fontSize(size: number): this
    text(text: string, options?: Placed): this
    text(text: string, x: number, y: number, options?: Placed): this
    moveDown(lines?: number): this
    addPage(): this
    end(): void
    readonly y: number
  }
}
