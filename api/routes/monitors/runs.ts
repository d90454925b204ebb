import Type from 'typebox'
import { replayRun } from '../../../deliveries/replay.ts'
import { differenceOfRuns } from '../../../monitors/difference-of-runs.ts'
import { runDifference } from '../../../monitors/run-difference.ts'
import { Delivery } from '../../../schema/run/delivery.ts'
import { DiffAgainst, RunDiff } from '../../../schema/run/run-diff.ts'
import { Run } from '../../../schema/run/run.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { hasValues } from '../../../store/db/listed-bytes.ts'
import { listRunDeliveries } from '../../../store/deliveries/deliveries.ts'
import { toRun } from '../../../store/runs/run-record.ts'
import { findRun, readRunTexts } from '../../../store/runs/runs.ts'
import { noSuch } from '../../http/common-errors.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, ok, okParts, route } from '../../http/route.ts'
import { wholeRun } from '../../presenters/listed.ts'
import { answerDeliveries } from '../delivery-list.ts'
import { readerOf } from '../overview/overview-filters.ts'

export const getRunRoute = route({
  method: 'GET',
  path: '/v1/runs/:id',
  summary: 'Read a run',
  description: 'A run is readable as soon as it is queued or claimed. Runs of deleted monitors too.',
  tag: 'Runs',
  policy: 'runs.read',
  params: ById,
  answers: { 200: { description: 'The run.', schema: Run } },
  streams: true,
  async handle({ params: { id }, principal: { teamId }, services: { store, lists }, left }) {
    const stored = await findRun(store, teamId, id)
    if (!stored) throw noSuch('run')
    if (hasValues([stored])) return ok(toRun(stored))
    const read = async () => {
      const [texts] = await readRunTexts(store, [stored.id])
      if (!texts) throw noSuch('run')
      return wholeRun(stored, texts)
    }
    return okParts(await lists.openRecord({ teamId, bytes: stored.bytes, read, left }))
  },
})

export const diffRunRoute = route({
  method: 'GET',
  path: '/v1/runs/:id/diff',
  summary: 'Compare a run with the one before it, or with another one',
  description:
    'Returns a unified diff and one by words of each text that the run found to differ: the readable text of a page ' +
    'that is watched as a whole, and values that are texts before and after. With `against`, also all values that ' +
    'differ. If there is nothing to compare, the response is 404, and the message says why.',
  tag: 'Runs',
  policy: 'runs.read',
  work: 'difference',
  params: ById,
  query: Closed({ against: Type.Optional(DiffAgainst) }),
  answers: { 200: { description: 'The differences.', schema: RunDiff } },
  beyond: true,
  async handle({ params: { id }, query: { against }, principal, signal, services: { store, differ } }) {
    const ports = { store, differ: differ ?? null }
    if (against === undefined)
      return ok(doneOf(await runDifference(ports, { teamId: principal.teamId, id, signal })).diff)
    return ok(doneOf(await differenceOfRuns(ports, { reader: readerOf(principal), id, against, signal })).diff)
  },
})

export const listRunDeliveriesRoute = route({
  method: 'GET',
  path: '/v1/runs/:id/deliveries',
  summary: 'List the deliveries of a run',
  tag: 'Runs',
  policy: 'deliveries.read',
  params: ById,
  answers: { 200: { description: 'All deliveries of the run.', schema: Closed({ data: Type.Array(Delivery) }) } },
  streams: true,
  async handle(call) {
    const { params, principal, services } = call
    const { teamId } = principal
    if (!(await findRun(services.store, teamId, params.id))) throw noSuch('run')
    return answerDeliveries(call, await listRunDeliveries(services.store, teamId, params.id))
  },
})

export const replayRunRoute = route({
  method: 'POST',
  path: '/v1/runs/:id/replay',
  summary: 'Send the failed deliveries of a run again',
  description:
    'Every failed or dead delivery of the run, those that wait for their next attempt included, is sent at once with ' +
    'the same id and payload, and gets all its attempts again.',
  tag: 'Runs',
  policy: 'deliveries.replay',
  params: ById,
  answers: {
    200: {
      description: 'The number of deliveries that are queued again.',
      schema: Closed({ queued: Type.Integer({ minimum: 0 }) }),
    },
  },
  async handle({ params, principal: { teamId }, actor, services }) {
    const { queued } = doneOf(await replayRun(services, { teamId, actor, id: params.id }))
    return ok({ queued })
  },
})
