import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { POLICIES, type PolicyName } from '../../api/auth/policies.ts'
import { atLeast, ROLES } from '../../schema/account/role.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { seedDelivery, seedRun } from '../support/api/seeded-runs.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

/** A button with its permission, and why it does nothing for those who have that. Absent: it does something. */
type Button = readonly [name: string, policy: PolicyName, otherwise?: RegExp | undefined]

interface Screen {
  /** `:name` stands for the id of what is seeded. */
  readonly path: string
  /** A button or a link that is there once all is read. */
  readonly last: string
  /** What is selected. */
  readonly selected?: string
  readonly buttons: readonly Button[]
}

const EDITED_THERE = /declared in a cluster or a file/
const HELD = /waits for a later hour/
const ofRows = (name: string, otherwise?: RegExp): Screen => ({
  path: '/?sort=name',
  last: 'Changed',
  selected: `Select ${name}`,
  buttons: [
    ['Run now', 'monitors.write'],
    ['Pause', 'monitors.write'],
    ['Resume', 'monitors.write'],
    ['Mute…', 'monitors.write'],
    ['Unmute', 'monitors.write', /None of them is muted/],
    ['Labels…', 'monitors.write', otherwise],
    ['Interval…', 'monitors.write', otherwise],
    ['Mark as seen', 'changes.mark', /None of them has a change/],
    ['Delete…', 'monitors.write', otherwise],
  ],
})
const ofMonitor = (name: string): Screen => ({
  path: `/monitors/:${name}`,
  last: 'Export JSON',
  buttons: [
    ['Run now', 'monitors.write'],
    ['Pause', 'monitors.write'],
    ['Mute…', 'monitors.write'],
    ['Export CSV', 'runs.read'],
    ['Export JSON', 'runs.read'],
    ['Show', 'secrets.read'],
    ['Replace…', 'secrets.rotate'],
  ],
})

/** A form, with the word of the button that saves it. */
const form = (path: string, last: string, ...others: readonly Button[]): Screen => ({
  path,
  last,
  buttons: [[last, 'monitors.write'], ...others],
})
const LOOK: Button = ['Look', 'monitors.write']
const TEST: Button = ['Send a test', 'monitors.write']
const SEARCH: Button = ['Search now', 'monitors.write']

/** Each with a monitor of the API, and with one that a manifest owns. */
const SCREENS: readonly Screen[] = [
  { path: '/changes', last: 'Mark all seen', buttons: [['Mark all seen', 'changes.mark', /^none$|^You have seen/]] },
  { path: '/new', last: 'Look', buttons: [LOOK] },
  form('/new?from=:Kettle', 'Watch it', LOOK, TEST),
  form('/monitors/:Kettle/edit', 'Save', LOOK, TEST, ['Would it have fired?', 'runs.read']),
  // It is edited where it is declared.
  { path: '/monitors/:Lamp/edit', last: 'Show', buttons: [] },
  form('/new/search', 'Watch it', ['Search now', 'monitors.write', /There is no keyword yet/]),
  form('/serp-monitors/:Rank/edit', 'Save', SEARCH),
  { ...ofMonitor('Rank'), path: '/serp-monitors/:Rank' },
  ofRows('Kettle'),
  ofRows('Lamp', EDITED_THERE),
  ofMonitor('Kettle'),
  ofMonitor('Lamp'),
  {
    path: '/deliveries',
    last: 'Clear',
    selected: 'Select the delivery of Kettle',
    buttons: [
      ['Send again', 'deliveries.replay'],
      ['Send now', 'deliveries.replay', HELD],
      ['Drop…', 'deliveries.replay', HELD],
    ],
  },
  { path: '/deliveries/:delivery', last: 'Send again', buttons: [['Send again', 'deliveries.replay']] },
  {
    path: '/monitors/:Kettle/runs/:run',
    last: 'Send again',
    buttons: [
      ['Send again', 'deliveries.replay'],
      ['Mute…', 'monitors.write'],
    ],
  },
]

/** Buttons that change only what is shown or seen, or that lead elsewhere. */
const OTHERS = [
  /^(?:All|Changed|Failing|Paused|Muted|Locked|Pages|Searches|Given up|Tried again|Held|On the way|Delivered) ?\d/,
  /^(?:All|Changed|Fired|Failed|Sent|Not sent|Clear|Show\b.*|Select all .*|New monitor|Copy|Copy as Markdown)$/,
  // What is filled in. Templates have their description in their name.
  /^(?:Remove|Treat|Add|Change|Use) .*$|^(?:Another field|Parts of it|The whole page|A prompt)$|reports when/i,
  /^(?:Manifest|Pulumi|curl)$/,
  /^(?:Unseen|By day|By monitor|\d+ days|Mark (?:un)?seen: the change of .*)$/,
  /^(?:Mark seen e|Older|Newer|Previous p|Next n)$/,
]

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The screens about monitors', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  const ids = new Map<string, string>()
  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    const { services } = dashboard.api
    const change = { fields: [{ field: 'price', before: '$20', after: '$15', percent: -25 }], more: 0 }
    const deliveries = [{ type: 'webhook', url: 'https://hooks.example.com/in' }]
    const search = { name: 'Rank', keyword: 'kettle', engine: 'bing', schedule_interval_seconds: 86_400 }
    const { body: rank } = await dashboard.api.call(owner.api_key, 'POST', '/v1/serp-monitors', search)
    ids.set('Rank', String(rank['id']))
    await seedRun(services, String(rank['id']))
    for (const name of ['Lamp', 'Kettle']) {
      const monitor = { ...SMALLEST, name, deliveries }
      const { body } = await dashboard.api.call(owner.api_key, 'POST', '/v1/monitors', monitor)
      ids.set(name, String(body['id']))
      ids.set('run', await seedRun(services, String(body['id']), { triggered: true, change }))
    }
    ids.set('delivery', await seedDelivery(services, ids.get('run') ?? '', { status: 'dead', attempts: 6 }))
    await changeMonitors(dashboard.api, ids.get('Lamp') ?? '', { managedBy: 'file' })
  }, 60_000)
  afterAll(() => dashboard[Symbol.asyncDispose]())

  test.each(ROLES)('have buttons for a %s as the table of access says, and no others', async (role) => {
    const session_token = role === 'owner' ? owner.session_token : await dashboard.api.member(owner, role)
    for (const { path, last, selected, buttons } of SCREENS) {
      const address = path.replace(/:(\w+)/g, (_, name: string) => ids.get(name) ?? '')
      const { page } = await dashboard.open(address, { session_token })
      await page.getByRole('button', { name: /^Team: / }).waitFor()
      if (selected !== undefined) await page.getByRole('checkbox', { name: selected }).check()
      await page.getByRole('main').getByRole('button', { name: last }).first().waitFor()
      for (const [name, policy, otherwise] of buttons) {
        const button = page.getByRole('main').getByRole('button', { name, exact: true }).first()
        const expected = atLeast(role, POLICIES[policy].role) ? (otherwise ?? /^none$/) : /^Your role/
        expect
          .soft([path, name, (await reasonOf(button)) ?? 'none'])
          .toEqual([path, name, expect.stringMatching(expected)])
      }
      const unlisted = (await namesOf(page)).filter(
        (name) => !OTHERS.some((other) => other.test(name)) && !buttons.some(([listed]) => listed === name),
      )
      expect([path, unlisted]).toEqual([path, []])
      // Links to forms are for those who may save them.
      const edit = page.getByRole('main').getByRole('link', { name: 'Edit', exact: true })
      if (path.startsWith('/monitors/:') && last === 'Export JSON')
        expect([path, await edit.count()]).toEqual([path, Number(atLeast(role, POLICIES['monitors.write'].role))])
      await page.context().close()
    }
  })
})

/** Returns why a button cannot be used, in a hint or beside it. Null: it can be used. */
async function reasonOf(button: Locator): Promise<string | null> {
  if (!(await button.isDisabled())) return null
  await button.focus()
  // A hint comes a moment after the focus. What is under way has none, and can be used then.
  const id = await eventually(
    async () => ((await button.isDisabled()) ? button.getAttribute('aria-describedby') : ''),
    (found) => found !== null,
  )
  if (id === '') return null
  const reason = button.page().locator(`[id="${id}"]`)
  await reason.waitFor()
  return reason.textContent()
}

const namesOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('main button')].map(
    (button) => button.getAttribute('aria-label') ?? button.textContent.trim())`)
