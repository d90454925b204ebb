/**
 * An error in the text of an expression. It is thrown only in this folder, and `compileXPath` turns it into a value.
 */
export class XPathFault extends Error {
  /** 1-based, in UTF-16 units. */
  readonly column: number

  constructor(message: string, column: number) {
    super(message)
    this.column = column
  }
}
