/** A text that two programs print, as paragraphs. */
interface PrintedText {
  readonly what: string
  readonly texts: readonly string[]
}

const LOREM =
  'The harbour office is open from Monday to Friday between eight and five, and on Saturday until noon. Tickets are ' +
  'sold at the quay, and return journeys cost less than two single ones when both are bought on the same day. '

export const PRINTED: readonly PrintedText[] = [
  { what: 'one line', texts: ['A single line.'] },
  { what: 'one paragraph of several lines', texts: [LOREM] },
  { what: 'three paragraphs', texts: [LOREM, LOREM, LOREM] },
  { what: 'paragraphs of one line', texts: ['First.', 'Second.', 'Third.'] },
  { what: 'prices', texts: ['Lamp $19.90, kettle 1.299,00 EUR', 'Delivery: 4,95'] },
  { what: 'letters with marks', texts: ['Straße façade naïve überall señor Ærø', 'Crème brûlée, Å, ÿ'] },
  { what: 'quotes and dashes', texts: ['“Quoted” and ‘single’, a – b — c…', "It's plain"] },
  { what: 'currencies', texts: ['€ 5, £ 6, ¥ 700, ¢ 8'] },
  { what: 'markup', texts: ['<b>not bold</b> & <p>no paragraph</p>', 'a < b > c'] },
  { what: 'brackets and backslashes', texts: ['(a (b) c) \\ [d] {e}', '100 % (of all)'] },
  { what: 'words with hyphens', texts: ['A well-known twenty-year-old state-of-the-art harbour. '.repeat(6)] },
  { what: 'words that look like ligatures', texts: ['The office of affairs shuffles five fine flags. '.repeat(5)] },
  { what: 'numbers in lines', texts: ['1 2 3 4 5 6 7 8 9 10', '11 12 13 14 15 16 17 18 19 20'] },
  { what: 'a list by dashes', texts: ['- One', '- Two', '- Three'] },
  { what: 'a list by bullets', texts: ['• One', '• Two', '• Three'] },
  { what: 'an address', texts: ['https://example.com/a/b?c=d&e=f#g', 'name@example.com'] },
  { what: 'a word longer than a line', texts: [`${'abcdefghij'.repeat(14)} end`] },
  { what: 'a page full', texts: Array.from({ length: 14 }, (_, at) => `${at + 1}. ${LOREM}`) },
  { what: 'several pages', texts: Array.from({ length: 40 }, (_, at) => `${at + 1}. ${LOREM}`) },
  { what: 'dates and times', texts: ['2026-11-30 10:00', '30 November 2026, 10 a.m.', '10:00–12:30'] },
]

/** What is not read the same, with the reason. */
export const UNLIKE: Readonly<Record<string, string>> = {
  'a word longer than a line': 'each program breaks it where its line ends, without a mark',
  'several pages': 'a paragraph that goes on behind the end of a page is one on each, and pages end elsewhere',
}
