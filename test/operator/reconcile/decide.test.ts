import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FINALIZER, type CustomResource } from '../../../operator/reconcile/custom-resource.ts'
import { type Action, decide, type Situation } from '../../../operator/reconcile/decide.ts'

const MONITOR = '0198c0de-0000-7000-8000-000000000001'
const OTHER = '0198c0de-0000-7000-8000-000000000002'
const HASHES = [Buffer.from('one'), Buffer.from('other')] as const

const resources = fc
  .record({
    generation: fc.integer({ min: 1, max: 3 }),
    uid: fc.constantFrom('a', 'b'),
    finalizers: fc.constantFrom([], [FINALIZER], ['others.example/x'], ['others.example/x', FINALIZER]),
    isDeleted: fc.boolean(),
    request: fc.option(fc.constantFrom('now', 'again')),
    adopt: fc.option(fc.constantFrom(MONITOR, OTHER)),
    suspend: fc.boolean(),
  })
  .map(({ generation, uid, finalizers, isDeleted, request, adopt, suspend }): CustomResource => ({
    metadata: {
      name: 'kettle',
      namespace: 'shop',
      uid,
      resourceVersion: '1',
      generation,
      finalizers,
      ...(isDeleted && { deletionTimestamp: '2026-05-01T12:00:00Z' }),
      annotations: {
        ...(request !== null && { 'tidemark.dev/run-requested-at': request }),
        ...(adopt !== null && { 'tidemark.dev/adopt': adopt }),
      },
    },
    spec: { suspend },
  }))

const situations = fc.record<Situation>({
  resource: fc.option(resources),
  vanished: fc.constantFrom(null, 'deleted', 'missing'),
  isKindGoing: fc.boolean(),
  resolved: fc.oneof(
    fc.constantFrom(...HASHES).map((hash) => ({ kind: 'valid', teamId: 't', hash }) as const),
    fc.constant({ kind: 'refused', reason: 'Invalid', message: 'spec.url is required' } as const),
  ),
  record: fc.option(
    fc.record({
      monitor_id: fc.constant(MONITOR),
      uid: fc.constantFrom('a', 'b'),
      generation: fc.integer({ min: 1, max: 3 }),
      hash: fc.constantFrom(...HASHES),
      last_request: fc.option(fc.constantFrom('now', 'again')),
    }),
  ),
})

const kinds = (situation: Situation) => decide(situation).map(({ kind }) => kind)
const all = (holds: (situation: Situation, actions: readonly Action['kind'][]) => void) =>
  fc.assert(
    fc.property(situations, (situation) => holds(situation, kinds(situation))),
    { numRuns: 2_000 },
  )
const isGoing = ({ resource }: Situation) => resource?.metadata.deletionTimestamp !== undefined

describe('In every situation', () => {
  test('a record is deleted only because its resource was deleted, and not with its kind', () => {
    all((situation, actions) => {
      if (!actions.includes('delete_record')) return
      expect(situation.record).not.toBeNull()
      expect(situation.isKindGoing).toBe(false)
      expect(isGoing(situation) || situation.vanished === 'deleted').toBe(true)
    })
  })

  test('the finalizer is set before the record is written, and goes after the record', () => {
    all(({ resource }, actions) => {
      const has = resource?.metadata.finalizers?.includes(FINALIZER) ?? false
      if (actions.includes('apply')) expect(has || actions[0] === 'add_finalizer').toBe(true)
      if (actions.includes('remove_finalizer')) expect(actions.at(-1)).toBe('remove_finalizer')
    })
  })

  test('a resource that is being deleted is not applied, and keeps no finalizer of ours', () => {
    all((situation, actions) => {
      if (!isGoing(situation)) return
      expect(actions).not.toContain('apply')
      expect(actions).not.toContain('add_finalizer')
      expect(actions.includes('remove_finalizer')).toBe(
        situation.resource?.metadata.finalizers?.includes(FINALIZER) ?? false,
      )
    })
  })

  test('a resource that cannot be resolved changes no record', () => {
    all((situation, actions) => {
      if (!situation.resource || isGoing(situation) || situation.resolved?.kind !== 'refused') return
      expect(actions).toEqual(['refuse'])
    })
  })

  test('what is applied already is not applied again', () => {
    all((situation) => {
      const { resource, resolved } = situation
      if (!resource || isGoing(situation) || resolved?.kind !== 'valid') return
      const { uid, generation = 0, annotations = {} } = resource.metadata
      const request = annotations['tidemark.dev/run-requested-at'] ?? null
      const monitor_id = annotations['tidemark.dev/adopt'] ?? MONITOR
      const record = { monitor_id, uid, generation, hash: resolved.hash, last_request: request }
      expect(kinds({ ...situation, record })).not.toContain('apply')
      if ('tidemark.dev/adopt' in annotations)
        expect(kinds({ ...situation, record: { ...record, monitor_id: 'another' } })).toContain('apply')
      expect(kinds({ ...situation, record: { ...record, uid: 'another' } })).toContain('apply')
      expect(kinds({ ...situation, record: { ...record, hash: Buffer.from('new') } })).toContain('apply')
    })
  })

  test('nothing is left to do once everything is gone', () => {
    all((situation) => {
      expect(kinds({ ...situation, resource: null, record: null })).toEqual([])
    })
  })
})

test('A resource that vanished without a deletion leaves its record to the API', () => {
  const record = { monitor_id: MONITOR, uid: 'a', generation: 1, hash: HASHES[0], last_request: null }
  const gone = { resource: null, isKindGoing: false, resolved: null, record }
  expect(kinds({ ...gone, vanished: 'missing' })).toEqual(['release_record'])
  expect(kinds({ ...gone, vanished: null })).toEqual(['release_record'])
  expect(kinds({ ...gone, vanished: 'deleted' })).toEqual(['delete_record'])
  expect(kinds({ ...gone, vanished: 'deleted', isKindGoing: true })).toEqual(['release_record'])
})
