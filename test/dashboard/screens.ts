import type { Page } from 'playwright-core'
import { PUBLISHED_SLUG } from './seeded-status.ts'

/** A screen, or something that opens on one, and how a person gets there. */
interface Screen {
  readonly name: string
  readonly path: string
  /** Whether a stranger sees it. */
  readonly isPublic?: boolean
  /** Waits until it is there. */
  arrive(page: Page): Promise<unknown>
}

/** The ids of a seeded monitor and of a run of it. */
interface Seeded {
  readonly monitor: string
  readonly run: string
  /** A monitor of a whole page, and a run that found its text to differ. */
  readonly text?: { readonly monitor: string; readonly run: string }
  /** The address of a page to look at, where looks are made. */
  readonly look?: string
  /** A delivery that was given up. */
  readonly delivery: string
  /** A search with a rank, and a run of it. */
  readonly search: { readonly monitor: string; readonly run: string }
}

const row = (page: Page) => page.getByRole('gridcell').getByRole('link').first().waitFor()

const oneDelivery = (page: Page) => page.getByRole('listitem').getByRole('checkbox').first().waitFor()

/** Every screen and dialog that there is, for walks through all of them. */
export const screensOf = ({ monitor, run, text, look, delivery, search }: Seeded): readonly Screen[] => [
  { name: 'sign-in', path: '/sign-in', isPublic: true, arrive: (page) => page.getByRole('heading').first().waitFor() },
  { name: 'list', path: '/', arrive: row },
  {
    name: 'list-selected',
    path: '/?sort=name',
    async arrive(page) {
      await row(page)
      await page.getByRole('checkbox').first().check()
      await page.getByRole('checkbox').nth(1).check()
      await page.getByText('2 selected').waitFor()
    },
  },
  {
    name: 'list-delete',
    path: '/?sort=name',
    async arrive(page) {
      await row(page)
      await page.getByRole('checkbox').first().check()
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
  {
    name: 'list-mute',
    path: '/?sort=name',
    async arrive(page) {
      await row(page)
      await page.getByRole('checkbox').first().check()
      await page.getByRole('button', { name: 'Mute…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'list-labels',
    path: '/?sort=name',
    async arrive(page) {
      await row(page)
      await page.getByRole('checkbox').first().check()
      await page.getByRole('button', { name: 'Labels…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'list-interval',
    path: '/?sort=name',
    async arrive(page) {
      await row(page)
      await page.getByRole('checkbox').first().check()
      await page.getByRole('button', { name: 'Interval…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'list-nothing',
    path: '/?q=nothing-is-called-so',
    arrive: (page) => page.getByText('No monitor matches').waitFor(),
  },
  {
    name: 'palette',
    path: '/',
    async arrive(page) {
      await row(page)
      await page.keyboard.press('Control+k')
      await page.getByRole('menuitem').first().waitFor()
    },
  },
  {
    name: 'keys',
    path: '/',
    async arrive(page) {
      await row(page)
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    },
  },
  {
    name: 'person',
    path: '/',
    async arrive(page) {
      await page.getByRole('button', { name: /^You: / }).click()
      await page.getByRole('menu').waitFor()
    },
  },
  { name: 'changes', path: '/changes', arrive: (page) => page.getByRole('listitem').first().waitFor() },
  {
    name: 'changes-by-monitor',
    path: '/changes?group=monitor',
    arrive: (page) => page.getByRole('listitem').first().waitFor(),
  },
  { name: 'deliveries', path: '/deliveries', arrive: oneDelivery },
  {
    name: 'deliveries-selected',
    path: '/deliveries?given_up=true',
    async arrive(page) {
      await oneDelivery(page)
      await page.getByRole('checkbox').first().check()
      await page.getByText('1 selected').waitFor()
    },
  },
  {
    name: 'deliveries-not-sent',
    path: '/deliveries?show=silent',
    arrive: (page) => page.getByText('nobody was written to').waitFor(),
  },
  {
    name: 'delivery',
    path: `/deliveries/${delivery}`,
    arrive: (page) => page.getByLabel('Body').waitFor(),
  },
  ...searchScreens(search),
  { name: 'new', path: '/new', arrive: (page) => page.getByLabel('Address').waitFor() },
  { name: 'new-search', path: '/new/search', arrive: (page) => page.getByLabel('Keyword').waitFor() },
  ...(look === undefined ? [] : [lookedAt(look)]),
  {
    name: 'monitor',
    path: `/monitors/${monitor}`,
    arrive: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  },
  {
    name: 'edit',
    path: `/monitors/${monitor}/edit`,
    async arrive(page) {
      await page.getByText('More settings').click()
      await page.getByText('Nothing is changed yet.').waitFor()
    },
  },
  {
    name: 'run',
    path: `/monitors/${monitor}/runs/${run}`,
    arrive: (page) => page.getByRole('heading', { name: 'What differs' }).waitFor(),
  },
  ...(text === undefined ? [] : [runOfText(text)]),
  ...TEAM_SCREENS,
  ...KEY_SCREENS,
  ...STATUS_SCREENS,
  ...AUDIT_SCREENS,
  ...ACCOUNT_SCREENS,
]

const searchScreens = ({ monitor, run }: Seeded['search']): readonly Screen[] => [
  { name: 'searches', path: '/searches', arrive: (page) => page.getByRole('listitem').first().waitFor() },
  {
    name: 'searches-keyword',
    path: '/searches/keyword?keyword=coffee+grinder',
    arrive: (page) => page.locator('canvas').first().waitFor(),
  },
  { name: 'search', path: `/serp-monitors/${monitor}`, arrive: (page) => page.locator('canvas').first().waitFor() },
  {
    name: 'search-run',
    path: `/serp-monitors/${monitor}/runs/${run}`,
    arrive: (page) => page.getByText('watched').first().waitFor(),
  },
  {
    name: 'search-run-beside',
    path: `/serp-monitors/${monitor}/runs/${run}?results=beside`,
    arrive: (page) => page.getByRole('columnheader', { name: 'Before' }).waitFor(),
  },
]

const statusRead = (page: Page) =>
  page
    .getByRole('link', { name: /^Edit: / })
    .first()
    .waitFor()

const STATUS_SCREENS: readonly Screen[] = [
  {
    name: 'status',
    path: `/status/${PUBLISHED_SLUG}`,
    isPublic: true,
    arrive: (page) => page.getByRole('listitem').first().waitFor(),
  },
  {
    name: 'status-none',
    path: '/status/there-is-none',
    isPublic: true,
    arrive: (page) => page.getByRole('heading').first().waitFor(),
  },
  { name: 'status-pages', path: '/status-pages', arrive: statusRead },
  {
    name: 'status-pages-publish',
    path: '/status-pages',
    async arrive(page) {
      await statusRead(page)
      await page.getByRole('button', { name: /^Publish: / }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'status-pages-delete',
    path: '/status-pages',
    async arrive(page) {
      await statusRead(page)
      await page
        .getByRole('button', { name: /^Delete: / })
        .first()
        .click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
  {
    name: 'status-pages-new',
    path: '/status-pages/new',
    async arrive(page) {
      await page.getByLabel('Title').fill('Prices of our shop')
      await page.getByRole('radio', { name: /^An address of your own/ }).check()
      for (let nth = 0; nth < 2; nth += 1)
        await page
          .getByRole('button', { name: /^Add: / })
          .first()
          .click()
      await page.getByText('Added').nth(1).waitFor()
    },
  },
  {
    name: 'status-pages-edit',
    path: '/status-pages',
    async arrive(page) {
      await statusRead(page)
      await page
        .getByRole('link', { name: /^Edit: / })
        .last()
        .click()
      await page.getByLabel('Label').waitFor()
    },
  },
]

const auditRead = (page: Page) => page.getByRole('listitem').first().waitFor()

const AUDIT_SCREENS: readonly Screen[] = [
  { name: 'audit', path: '/audit', arrive: auditRead },
  { name: 'usage', path: '/usage', arrive: (page) => page.getByText('Nothing is sold here').waitFor() },
  {
    name: 'audit-details',
    path: '/audit?type=api_key',
    async arrive(page) {
      await auditRead(page)
      await page
        .getByRole('button', { name: /^Details: / })
        .first()
        .click()
      await page.getByRole('button', { name: 'Only what was done to this' }).waitFor()
    },
  },
]

const ACCOUNT_SCREENS: readonly Screen[] = [
  { name: 'account', path: '/account', arrive: (page) => page.getByText('this one').waitFor() },
  {
    name: 'account-end',
    path: '/account',
    async arrive(page) {
      await page.getByText('this one').waitFor()
      await page.getByRole('button', { name: 'Delete the account…' }).click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
]

const peopleRead = (page: Page) =>
  page
    .getByRole('button', { name: /^(?:Leave|Remove): / })
    .first()
    .waitFor()

const TEAM_SCREENS: readonly Screen[] = [
  { name: 'team', path: '/team', arrive: peopleRead },
  {
    name: 'team-settings',
    path: '/team',
    async arrive(page) {
      await peopleRead(page)
      await page.getByText('Each permission').click()
      await page.getByRole('switch').last().scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'team-invite',
    path: '/team',
    async arrive(page) {
      await peopleRead(page)
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByRole('dialog').getByLabel('Address').fill('noether@example.com')
    },
  },
]

const keysRead = (page: Page) => page.getByRole('region', { name: 'Keys that work' }).waitFor()

const KEY_SCREENS: readonly Screen[] = [
  { name: 'api-keys', path: '/keys', arrive: keysRead },
  {
    name: 'api-keys-new',
    path: '/keys',
    async arrive(page) {
      await keysRead(page)
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Deploy of the shop')
    },
  },
  {
    name: 'api-keys-issued',
    path: '/keys',
    async arrive(page) {
      await keysRead(page)
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Deploy of the shop')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Copy the key now' }).waitFor()
    },
  },
  {
    name: 'api-keys-revoke',
    path: '/keys',
    async arrive(page) {
      await keysRead(page)
      await page
        .getByRole('button', { name: /^Revoke: / })
        .first()
        .click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
]

const runOfText = ({ monitor, run }: NonNullable<Seeded['text']>): Screen => ({
  name: 'run-of-text',
  path: `/monitors/${monitor}/runs/${run}`,
  arrive: (page) => page.locator('ins').first().waitFor(),
})

const lookedAt = (address: string): Screen => ({
  name: 'new-looked',
  path: '/new',
  async arrive(page) {
    await page.getByLabel('Address').fill(address)
    await page.keyboard.press('Enter')
    await page.getByText('1 match').waitFor()
  },
})
