interface Signature {
  readonly min: number
  readonly max: number
  readonly returns: 'string' | 'number' | 'boolean' | 'nodes'
  /** The parameters that must be node-sets. */
  readonly nodes?: readonly number[]
}

/**
 * The core function library of XPath 1.0 (§4), and nothing else: no function here reads a file, an address or a
 * setting.
 */
export const SIGNATURES: ReadonlyMap<string, Signature> = new Map<string, Signature>([
  ['last', { min: 0, max: 0, returns: 'number' }],
  ['position', { min: 0, max: 0, returns: 'number' }],
  ['count', { min: 1, max: 1, returns: 'number', nodes: [0] }],
  ['id', { min: 1, max: 1, returns: 'nodes' }],
  ['local-name', { min: 0, max: 1, returns: 'string', nodes: [0] }],
  ['namespace-uri', { min: 0, max: 1, returns: 'string', nodes: [0] }],
  ['name', { min: 0, max: 1, returns: 'string', nodes: [0] }],
  ['string', { min: 0, max: 1, returns: 'string' }],
  ['concat', { min: 2, max: Infinity, returns: 'string' }],
  ['starts-with', { min: 2, max: 2, returns: 'boolean' }],
  ['contains', { min: 2, max: 2, returns: 'boolean' }],
  ['substring-before', { min: 2, max: 2, returns: 'string' }],
  ['substring-after', { min: 2, max: 2, returns: 'string' }],
  ['substring', { min: 2, max: 3, returns: 'string' }],
  ['string-length', { min: 0, max: 1, returns: 'number' }],
  ['normalize-space', { min: 0, max: 1, returns: 'string' }],
  ['translate', { min: 3, max: 3, returns: 'string' }],
  ['boolean', { min: 1, max: 1, returns: 'boolean' }],
  ['not', { min: 1, max: 1, returns: 'boolean' }],
  ['true', { min: 0, max: 0, returns: 'boolean' }],
  ['false', { min: 0, max: 0, returns: 'boolean' }],
  ['lang', { min: 1, max: 1, returns: 'boolean' }],
  ['number', { min: 0, max: 1, returns: 'number' }],
  ['sum', { min: 1, max: 1, returns: 'number', nodes: [0] }],
  ['floor', { min: 1, max: 1, returns: 'number' }],
  ['ceiling', { min: 1, max: 1, returns: 'number' }],
  ['round', { min: 1, max: 1, returns: 'number' }],
])
