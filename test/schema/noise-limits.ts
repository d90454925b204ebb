const many = <T>(count: number, item: () => T): T[] => Array.from({ length: count }, item)
const WITHOUT = { method: 'css', fields: { price: '$' } }

/** The limits of what is left out and of what is done to values, as in `LIMITS`. */
export const NOISE_LIMITS: readonly (readonly [string, object, object, string])[] = [
  [
    'elements are left out of what any method reads of a page',
    { extract_config: { ...WITHOUT, ignore: { selectors: many(20, () => '.ad') } } },
    { extract_config: { ...WITHOUT, ignore: { selectors: many(21, () => '.ad') } } },
    'extract_config.ignore.selectors',
  ],
  [
    '… and lines of whole pages alone',
    { extract_config: { method: 'full_page', ignore: { patterns: ['a'] } } },
    { extract_config: { ...WITHOUT, ignore: { patterns: ['a'] } } },
    'extract_config.ignore.patterns',
  ],
  [
    'a field has one treatment',
    { extract_config: { ...WITHOUT, clean: { price: [{ do: 'sort' }] } } },
    { extract_config: { ...WITHOUT, clean: { price: [] } } },
    'extract_config.clean.price',
  ],
  [
    '… to ten',
    { extract_config: { ...WITHOUT, clean: { price: many(10, () => ({ do: 'unique' })) } } },
    { extract_config: { ...WITHOUT, clean: { price: many(11, () => ({ do: 'unique' })) } } },
    'extract_config.clean.price',
  ],
  [
    '… that are known',
    { extract_config: { ...WITHOUT, clean: { price: [{ do: 'first', count: 1_000 }] } } },
    { extract_config: { ...WITHOUT, clean: { price: [{ do: 'first', count: 1_001 }] } } },
    'extract_config.clean.price[0].count',
  ],
  [
    '… with what they need',
    { extract_config: { ...WITHOUT, clean: { price: [{ do: 'replace', pattern: 'a', text: '' }] } } },
    { extract_config: { ...WITHOUT, clean: { price: [{ do: 'replace', pattern: 'a' }] } } },
    'extract_config.clean.price[0].text',
  ],
  [
    'only fields that are extracted are treated',
    { extract_config: { ...WITHOUT, clean: { price: [{ do: 'sort' }] } } },
    { extract_config: { ...WITHOUT, clean: { 'the price': [{ do: 'sort' }] } } },
    'extract_config.clean["the price"]',
  ],
  [
    '… and of a whole page its hash',
    { extract_config: { method: 'full_page', clean: { content_hash: [{ do: 'sort' }] } } },
    { extract_config: { method: 'full_page', clean: { price: [{ do: 'sort' }] } } },
    'extract_config.clean.price',
  ],
  [
    '… and nothing of JSON',
    { extract_config: WITHOUT },
    { extract_config: { method: 'json_path', fields: { price: '$' }, ignore: {} } },
    'extract_config.ignore',
  ],
]
