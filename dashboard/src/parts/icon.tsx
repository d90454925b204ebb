/** Paths of 16 × 16, drawn by lines. */
const PATHS = {
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  changes: 'M2.5 5.5h9M9 3l2.5 2.5L9 8M13.5 10.5h-9M7 8l-2.5 2.5L7 13',
  deliveries: 'M14 2.5 7.2 9.3M14 2.5 9.8 14l-2.6-4.7L2.5 6.7z',
  ranks: 'M2.500 3v10.500h11M5 10.500 7.500 7l2.500 2 3.500-5',
  muted: 'M4 11.500h8l-1-1.500V7a3 3 0 0 0-5.200-2M5 7v3l-1 1.500M7 13.500h2M2.500 2.500l11 11',
  book: 'M3 3.2c2-.7 3.7-.5 5 .6 1.3-1.1 3-1.3 5-.6v9.6c-2-.7-3.7-.5-5 .6-1.3-1.1-3-1.3-5-.6zM8 3.8v9.6',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM14 14l-3.4-3.4',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.8 13.6c.6-2.3 2.6-3.6 5.2-3.6s4.6 1.3 5.2 3.6',
  team: 'M2.5 13.5v-9l5.5-2.5 5.5 2.5v9M6 13.5v-3h4v3M6 6.5h.01M10 6.5h.01',
  people:
    'M6 7.6a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.6 13.2c.5-2.1 2.1-3.3 4.4-3.3s3.9 1.2 4.4 3.3' +
    'M10.6 3a2.4 2.4 0 0 1 0 4.4M12.2 10.2c1.2.5 2 1.5 2.3 3',
  down: 'M4 6.5 8 10l4-3.5',
  keys: 'M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5 9.3h6',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.3a2.5 2.5 0 0 1 5 0v2.2',
} as const

/** A picture beside a word. It says nothing that the word does not. */
export const Icon = ({ name }: { readonly name: keyof typeof PATHS }) => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 16 16"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
  >
    <path d={PATHS[name]} strokeLinecap="round" strokeLinejoin="round" />
  </svg>
)
