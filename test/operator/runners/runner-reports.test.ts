import { expect, test } from 'vitest'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'
import type { OperatorSetup } from '../operator-setup.ts'
import { AT, PODS, runnersForEachTest } from './runners-setup.ts'

const ended = (exitCode: number, more: object = {}) => ({
  phase: 'Failed',
  containerStatuses: [
    {
      ...{ name: 'runner', ready: false, restartCount: 0, image: 'tidemark-runner:1', imageID: '' },
      state: { terminated: { exitCode, ...more } },
    },
  ],
})

describeWithApiServer('An operator whose runner pods fail', () => {
  let setup: OperatorSetup
  const { jobsAre, wait, status, complete, fail, podOf, warned } = runnersForEachTest((opened) => ({ setup } = opened))

  const FULL = 'Container runner exceeded its local ephemeral storage limit "32Mi". '
  test.each([
    [
      'evicted',
      { phase: 'Failed', reason: 'Evicted', message: FULL },
      /was evicted: Container runner exceeded its local ephemeral storage limit "32Mi"\. Another one/,
      /Raise the limits of runner\.resources/,
    ],
    [
      'out of memory',
      ended(137, { reason: 'OOMKilled' }),
      /ran out of memory \(OOMKilled\)/,
      /Raise runner\.resources\.limits\.memory/,
    ],
    ['refused by its token', ended(77, { reason: 'Error' }), /token was refused \(exit code 77\)/, /the same database/],
    [
      'ended by an error',
      ended(1, { reason: 'Error', message: 'one line\ntidemark: TIDEMARK_RUNNER_API_URL leads to no runner API\n' }),
      /ended with exit code 1: tidemark: TIDEMARK_RUNNER_API_URL leads to no runner API\./,
      /kubectl -n default logs \S+ -c runner/,
    ],
    [
      'ended by an error that nobody caught',
      ended(1, {
        reason: 'Error',
        message: '    throw er;\n\nError: read ECONNRESET\n    at x {\n}\n\nNode.js v24.1.0\n',
      }),
      /ended with exit code 1: Error: read ECONNRESET\./,
      /kubectl -n default logs \S+ -c runner/,
    ],
  ] as const)('says of a pod that was %s why it ended, and what to do', async (_, of, why, next) => {
    await wait('browser', 1)
    const [job] = await jobsAre(1)
    const name = job?.metadata.name ?? ''
    const pod = await podOf(name, of)
    await fail(name, 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')
    const [said = ''] = (await warned(/^Job RunnerFailed/)).filter((text) => text.startsWith('Job RunnerFailed'))
    expect(said).toContain(`The runner failed (BackoffLimitExceeded). Its pod ${pod} `)
    expect(said).toMatch(why)
    expect(said).toMatch(next)
    expect(said).not.toContain('backoff limit')
    expect(said).not.toContain('..')
  })

  test('says of resources that wait that pods fail one after the other, until one completes', async () => {
    await setup.apply('kettle', { fetchMode: 'browser' })
    const open = async (count: number) =>
      (await jobsAre(count)).find(({ status: of = {} }) => !('conditions' in of))?.metadata.name ?? ''
    const failing = async (count: number) => {
      const name = await open(count)
      await podOf(name, ended(1, { reason: 'Error', message: 'tidemark: no such setting' }))
      await fail(name, 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')
    }
    await failing(1)
    await failing(2)
    await jobsAre(3)
    expect(setup.condition(await setup.read('kettle'), 'Healthy')).toMatchObject({ reason: 'NeverRun' })
    await failing(3)
    const waiting = await setup.until('kettle', 'Healthy', 'NoRunners')
    expect(setup.condition(waiting, 'Healthy')?.message).toMatch(
      /^Its check waits for a runner pod: the last ones failed\. Its pod \S+ ended with exit code 1: tidemark: no such/,
    )
    await complete(await open(4))
    await setup.until('kettle', 'Healthy', 'NeverRun')
  })

  test.each([
    [
      'no node takes',
      {
        phase: 'Pending',
        conditions: [
          {
            ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
            message: '0/1 nodes are available: 1 Insufficient memory.',
          },
        ],
      },
      /no node takes it: Unschedulable: 0\/1 nodes are available: 1 Insufficient memory\. Give the nodes more room/,
    ],
    [
      'has no image',
      {
        phase: 'Pending',
        containerStatuses: [
          {
            ...{ name: 'runner', ready: false, restartCount: 0, image: 'tidemark-runner:1', imageID: '' },
            state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "tidemark-runner:1"' } },
          },
        ],
      },
      /its container runner does not start: ImagePullBackOff: Back-off .*\. See that nodes can fetch runner\.image/,
    ],
  ] as const)('says of a pod that %s why it did not start', async (_, of, why) => {
    await setup.restart({ runners: { ...PODS, startSeconds: 1 } })
    await setup.apply('kettle', { fetchMode: 'browser' })
    const [job] = await jobsAre(1)
    const name = job?.metadata.name ?? ''
    await podOf(name, of)
    await status(name, { startTime: AT, active: 1, ready: 0 })
    await warned(new RegExp(`^Job RunnerNotStarted: Its pod did not start within 1 s, and was given up: ${why.source}`))
    const waiting = await setup.until('kettle', 'Healthy', 'NoRunners')
    expect(setup.condition(waiting, 'Healthy')?.message).toMatch(why)
  })
})
