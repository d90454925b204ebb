import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SERVED_KINDS } from '../../../../boot/kinds.ts'
import { muteMatching } from '../../../../monitors/mute-matching.ts'
import { SYSTEM } from '../../../../schema/account/audit.ts'
import { createMonitor } from '../../../support/api/monitor-requests.ts'
import { type ServedApi, serveApi } from '../../../support/api/served-api.ts'

const SEARCH = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 3_600, target_domain: 'example.com' }

let served: ServedApi
beforeAll(async () => {
  served = await serveApi('unlimited')
})
afterAll(() => served.close())

/** A team with two monitors of a label, one of each kind, and one without it. */
async function labelled() {
  const team = await served.anotherTeam('unlimited')
  const labels = { team: 'shop' }
  const { id: page } = await createMonitor(team, { name: 'Kettle', labels })
  const rank = (await team.post('/v1/serp-monitors', { ...SEARCH, labels })).body.id
  await createMonitor(team, { name: 'Lamp' })
  return { team, page, rank }
}
const filter = { label: 'team=shop' }
type Team = Awaited<ReturnType<ServedApi['anotherTeam']>>
const muted = async (team: Team) =>
  (await team.get('/v1/overview?muted=true&sort=name')).body.data.map(({ name }) => name)
const mute = (team: Team, body: object) => team.post('/v1/overview/mute', { filter, until: null, ...body })

describe('all monitors that a filter leaves', () => {
  test('are muted, whatever their kind, and unmuted again; each is in the audit log', async () => {
    const { team, page, rank } = await labelled()
    const done = await mute(team, { expected: 2, reason: 'a move', drop: true })
    expect([done.status, done.body]).toEqual([200, { changed: 2 }])
    expect(await muted(team)).toEqual(['Kettle', 'Rank'])
    const { body } = await team.get(`/v1/serp-monitors/${rank}`)
    expect(body['mute']).toMatchObject({ until: null, reason: 'a move', drop: true })
    const unmuted = await team.post('/v1/overview/unmute', { filter: {}, expected: 3 })
    // The one without the label was not muted.
    expect(unmuted.body).toEqual({ changed: 2 })
    expect(await muted(team)).toEqual([])
    const actions = async (id: string) =>
      (await team.get('/v1/team/audit?limit=50')).body.data
        .filter(({ target_id: target }) => target === id)
        .map(({ action }) => action)
    expect(await actions(page)).toEqual(['monitor.unmuted', 'monitor.muted', 'monitor.created'])
    expect(await actions(rank)).toEqual(['serp_monitor.unmuted', 'serp_monitor.muted', 'serp_monitor.created'])
  })

  test('are left where the filter leaves another number by now, which the refusal says', async () => {
    const { team } = await labelled()
    const { status, body } = await mute(team, { expected: 3 })
    expect(status).toBe(409)
    expect(body.error.message).toBe('The filter leaves 2 monitors and not 3.')
    expect(await muted(team)).toEqual([])
  })

  test('are muted in batches', async () => {
    const { team } = await labelled()
    const { team_id: teamId } = team.owner
    const kinds = SERVED_KINDS.map(({ kind }) => kind)
    const query = { reader: { teamId, userId: null }, kinds: kinds.map(({ table }) => table), wanted: {} }
    const asked = { teamId, actor: SYSTEM, query, expected: 3, request: { until: null }, batch: 2 }
    expect(await muteMatching(served.api.services, kinds, asked)).toEqual({ kind: 'done', changed: 3 })
    expect(await muted(team)).toEqual(['Kettle', 'Lamp', 'Rank'])
  })

  test.each([
    [{ expected: 2, until: '2001-01-01T00:00:00Z' }],
    [{ expected: 0 }],
    [{ expected: 2, until: undefined }],
    [{ expected: 2, filter: { colour: 'red' } }],
  ])('are not muted by what is no request: %j', async (body) => {
    const { team } = await labelled()
    expect((await mute(team, body)).status).toBe(422)
  })
})
