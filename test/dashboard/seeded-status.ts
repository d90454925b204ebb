import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import type { TestApi } from '../support/api/test-api.ts'

/** Asks the API as the owner of the team. */
type Ask = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Readonly<Record<string, unknown>>>

/** The end of the address of the page that `seedStatusPages` publishes. */
export const PUBLISHED_SLUG = 'shop-prices'

/** Makes a status page of some monitors of the team, which is published, and one of a label, which is not. */
export async function seedStatusPages(ask: Ask): Promise<void> {
  const { data } = await ask('GET', '/v1/overview?sort=name&limit=8')
  const monitors = (data as readonly { readonly id: string; readonly name: string }[]).map(({ id, name }, nth) => ({
    monitor_id: id,
    name: `${name} of the shop`,
    show_value: nth < 3,
  }))
  const shows = { by: 'monitors', monitors }
  const { id } = await ask('POST', '/v1/status-pages', { title: 'Prices of our shop', slug: PUBLISHED_SLUG, shows })
  await ask('POST', `/v1/status-pages/${String(id)}/publish`)
  const label = { by: 'label', label: 'team=shop', show_values: true }
  await ask('POST', '/v1/status-pages', { title: 'What the buyers watch', shows: label, indexed: true })
}

/** Adds a status page that is published, `Public`, and one that is not, `Draft`. */
export async function addStatusPages(api: TestApi, { session_token: session }: CreatedOwner): Promise<void> {
  for (const title of ['Public', 'Draft']) {
    const shows = { by: 'monitors', monitors: [] }
    const { body } = await api.call(session, 'POST', '/v1/status-pages', { title, shows })
    if (title === 'Public') await api.call(session, 'POST', `/v1/status-pages/${body['id']}/publish`)
  }
}
