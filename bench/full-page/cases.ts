import { PARTS, type Parts, type Scripted } from './page-with-parts.ts'

/** Two answers of a site. */
export interface Case {
  readonly name: string
  /**
   * `unseen`: a person sees no difference, so that an alert is a false one. `seen`: a person sees or uses something
   * else, so that an alert is due.
   */
  readonly kind: 'unseen' | 'seen'
  readonly scripted: Scripted
  /** What differs in the second answer; of the recorded page itself: a number of its text. */
  readonly change: Partial<Parts> | 'own number'
}

const unseen = (name: string, change: Partial<Parts>, scripted: Scripted = 'plain'): Case => ({
  name,
  kind: 'unseen',
  scripted,
  change,
})
const seen = (name: string, change: Case['change'], scripted: Scripted = 'plain'): Case => ({
  name,
  kind: 'seen',
  scripted,
  change,
})

const { items } = PARTS
const NEW_REQUEST = { nonce: 'q7Zx81bb', requestId: '01J0BBBB' }

export const CASES: readonly Case[] = [
  unseen('a nonce of each script', { nonce: NEW_REQUEST.nonce }),
  unseen('a token of forms', { token: '09ab77e1f3c4' }),
  unseen('a request id in data and a comment', { requestId: NEW_REQUEST.requestId }),
  unseen('a release: addresses of scripts and styles', { release: '9d01b7e' }),
  unseen('a session id in links', { session: '42cc9e' }),
  unseen('the variant of an experiment', { experiment: 'exp-41-b' }),
  unseen('generated class names', { styles: 'css-9q8w7e' }),
  unseen('line breaks between elements', { breaks: 2 }),
  unseen('a text that a style sheet hides', { hiddenText: 'Loaded 14 of 97 stories' }),
  unseen('a request id, on a page with a clock', NEW_REQUEST, 'clock'),
  unseen('a request id, on a page with offers in turn', NEW_REQUEST, 'rotation'),
  seen('a number in the page itself', 'own number'),
  seen('a price', { price: 'EUR 11.90' }),
  seen('one item more in a list', { items: [...items, 'Parking: behind the museum'] }),
  seen('a paragraph less', { notice: '' }),
  seen('another picture, same text beside it', { picture: { ...PARTS.picture, src: '/pictures/front-2.jpg' } }),
  seen('another text of a picture', { picture: { ...PARTS.picture, alt: 'The front, under repair' } }),
  seen('another document behind a link', { document: '/terms-2026.pdf' }),
  seen('a label from the style sheet', { label: 'sold-out' }),
  seen('the value of a field', { fieldValue: '21.00' }),
  seen('a text from data in the page', { dataText: 'Two seats are left.' }, 'written'),
  seen('a text from a fetched answer', { fetchedText: 'Water level: 388 cm' }, 'written'),
  seen('a fetched text, and a request id', { fetchedText: 'Water level: 388 cm', ...NEW_REQUEST }, 'written'),
  seen('a text from a script file', { scriptText: 'Next tour: 15:30' }, 'written'),
]
