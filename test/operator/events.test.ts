import { expect, onTestFinished, test } from 'vitest'
import { createKubeClient } from '../../operator/cluster/kube-client.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { endLeases, failTimes } from '../support/database/check-states.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openSite, status } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import { createFaultyKube } from './cluster/faulty-kube.ts'
import { KEY, operatorForEachTest, type OperatorSetup } from './operator-setup.ts'

describeWithApiServer('Events of a resource', () => {
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ setup } = opened))

  /** Waits for an Event with this reason, and returns the Events about checks, in the order of their times. */
  async function checksUntil(expected: string) {
    const events = await eventually(setup.events, (found) => found.some(({ reason }) => reason === expected))
    return events
      .filter(({ action }) => action === 'Check')
      .toSorted((one, other) => one.eventTime.localeCompare(other.eventTime))
      .map(({ type, reason, note }) => ({ type, reason, note }))
  }

  test('tell once that checks fail, with the reason, and once that they succeed again', async () => {
    await using site = await openSite({ otherwise: status(503) })
    await using worker = await startWorker({ url: setup.url, secrets: createSecretBox(KEY) })
    worker.loop.start()
    await setup.apply('kettle', { url: site.url })
    await setup.until('kettle', 'Healthy', 'NoSuccess')
    // Four more failures would take a quarter of an hour.
    await failTimes(setup, 'all', 4)
    await endLeases(setup, 'all')
    worker.loop.wake()
    await setup.until('kettle', 'Healthy', 'Failing')
    site.price('$10')
    await setup.apply('kettle', { url: site.url }, { 'tidemark.dev/run-requested-at': 'now' })
    worker.loop.wake()
    await setup.until('kettle', 'Healthy', 'Succeeding')
    expect(await checksUntil('Succeeding')).toEqual([
      { type: 'Warning', reason: 'NoSuccess', note: expect.stringContaining('503') },
      { type: 'Warning', reason: 'Failing', note: expect.stringContaining('503') },
      { type: 'Normal', reason: 'Succeeding', note: 'The checks succeed.' },
    ])
  })

  test('are not written again for a health that stays, whatever else of the status changes', async () => {
    const checked = (failures: number) => failTimes(setup, { resource: 'kettle' }, failures)
    await setup.apply('kettle')
    await setup.until('kettle', 'Ready', 'Scheduled')
    await checked(7)
    await setup.until('kettle', 'Healthy', 'Failing')
    await checksUntil('Failing')
    await setup.apply('kettle', { scheduleIntervalSeconds: 600 })
    await setup.until('kettle', 'Healthy', 'Failing')
    await setup.restart()
    await setup.apply('kettle', { scheduleIntervalSeconds: 1_200 })
    await setup.until('kettle', 'Healthy', 'Failing')
    // Events are written one after the other, and stopping the operator waits for them.
    await setup.stop()
    const events = await setup.events()
    expect(events.filter(({ reason }) => reason === 'Failing')).toMatchObject([{ type: 'Warning', action: 'Check' }])
    expect(events.find(({ reason }) => reason === 'Failing')).not.toHaveProperty('series')
  })

  test('tell what a write changed whose answer was lost', async () => {
    await setup.stop()
    await using faulty = await createFaultyKube(setup.kube, setup.folder)
    const client = createKubeClient(faulty.kubeconfig)
    onTestFinished(() => client.close())
    const operator = await setup.start({ client })
    await operator.leading
    await setup.apply('kettle')
    await setup.until('kettle', 'Ready', 'Scheduled')
    faulty.spoil(/^PATCH .*kettle\/status/, { kind: 'unanswered' })
    await failTimes(setup, 'all', 7)
    await setup.until('kettle', 'Healthy', 'Failing')
    await checksUntil('Failing')
    faulty.spoil(/^PATCH .*kettle\/status/, { kind: 'unanswered' })
    await setup.apply('kettle', { extractConfig: { method: 'css', fields: { price: 'b[[' } } })
    await setup.until('kettle', 'Ready', 'Invalid')
    await checksUntil('Invalid')
    await operator.stop()
    const told = (await setup.events()).map(({ reason }) => reason).toSorted()
    expect(told).toEqual(['Created', 'Failing', 'Invalid'])
  })

  test('tell when the rule of a field stops and starts to match, and the status names it meanwhile', async () => {
    await using site = await openSite()
    await using worker = await startWorker({ url: setup.url, secrets: createSecretBox(KEY) })
    worker.loop.start()
    const spec = { url: site.url, extractConfig: { method: 'css', fields: { price: '.price', stock: '.stock' } } }
    await setup.apply('kettle', spec)
    const without = await setup.until('kettle', 'Healthy', 'Succeeding')
    expect(without.status?.values).toEqual({ price: '$1', stock: null })
    expect(setup.condition(without, 'Healthy')?.message).toBe('The checks succeed. No match: "stock".')
    site.page('/', '<b class="price">$1</b><b class="stock">7</b>')
    await setup.apply('kettle', spec, { 'tidemark.dev/run-requested-at': 'now' })
    worker.loop.wake()
    await checksUntil('FieldsFound')
    const whole = await setup.read('kettle')
    expect(whole.status?.values).toEqual({ price: '$1', stock: '7' })
    expect(setup.condition(whole, 'Healthy')?.message).toBe('The checks succeed.')
    const found = await checksUntil('FieldsFound')
    expect(found.filter(({ reason }) => reason.startsWith('Fields'))).toEqual([
      { type: 'Warning', reason: 'FieldsMissing', note: 'The rules of these fields have no match: "stock".' },
      { type: 'Normal', reason: 'FieldsFound', note: 'The rules of these fields match again: "stock".' },
    ])
  })

  test('say that no field has a value, which a check that succeeds hides', async () => {
    await using site = await openSite()
    await using worker = await startWorker({ url: setup.url, secrets: createSecretBox(KEY) })
    worker.loop.start()
    await setup.apply('kettle', {
      url: site.url,
      extractConfig: { method: 'css', fields: { price: '.nothere', tags: '.tag[]' } },
    })
    const empty = await setup.until('kettle', 'Healthy', 'NoValues')
    expect(setup.condition(empty, 'Healthy')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('No field has a value'),
    })
    expect(empty.status?.values).toEqual({ price: null, tags: null })
    expect(await checksUntil('FieldsMissing')).toEqual([
      { type: 'Warning', reason: 'NoValues', note: expect.stringContaining('cannot notice a change') },
      {
        type: 'Warning',
        reason: 'FieldsMissing',
        note: 'The rules of these fields have no match: "price", "tags".',
      },
    ])
  })
})
