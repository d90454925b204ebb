import { expect, test } from 'vitest'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { eventually } from '../support/run/eventually.ts'
import { operatorForEachTest, type OperatorSetup, TIMES } from './operator-setup.ts'

describeWithApiServer('A resource that the plan of its team does not allow', () => {
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ setup } = opened), { times: { ...TIMES, secretMs: 200 } })

  const limit = (limits: string) =>
    setup.sql(`update teams set limits = ${limits} from team_storage s where s.team_id = teams.id`)

  test('is stalled while the bytes of configurations are used up, and is applied once there is room', async () => {
    await setup.apply('kettle')
    await setup.until('kettle', 'Ready', 'Scheduled')
    await limit(`jsonb_build_object('configurationBytes', s.configuration_bytes + 100)`)
    await setup.apply('pot')
    const stalled = await setup.until('pot', 'Stalled', 'PlanLimit')
    expect(setup.condition(stalled, 'Stalled')).toMatchObject({ status: 'True' })
    expect(setup.condition(stalled, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PlanLimit',
      message: expect.stringMatching(/stores \d+ bytes of configurations, of which \d+ are used/),
    })
    await eventually(setup.events, (events) =>
      events.some(({ type, reason }) => type === 'Warning' && reason === 'PlanLimit'),
    )
    expect(await setup.monitors()).toHaveLength(1)
    // The resource that is there goes on.
    expect(setup.condition(await setup.read('kettle'), 'Ready')?.status).toBe('True')
    await limit('null')
    const ready = await setup.until('pot', 'Ready', 'Scheduled')
    expect(setup.condition(ready, 'Stalled')).toBeUndefined()
  })
})
