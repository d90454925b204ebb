import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { ok, publicRoute, route } from '../../../api/http/route.ts'
import { Closed, Text } from '../../../schema/shape/shape.ts'
import { servedRoutes } from '../../support/api/all-routes.ts'
import { boundsOf, isBoundBySchema, RECORD_OF, titleOf, UNCOUNTED } from './route-bounds.ts'

describe('what a route may cost', () => {
  test.each(servedRoutes.map((one) => [titleOf(one), one] as const))(
    '%s has a bound for its calls, its request and its answer',
    (_title, one) => {
      const text = expect.any(String)
      expect(boundsOf(one)).toEqual({ calls: text, request: text, answer: text })
    },
  )

  test('is in a table only where the route does not say it', () => {
    const answers = servedRoutes.filter((one) => !('work' in one && one.work) && !one.streams && !isBoundBySchema(one))
    expect(Object.keys(RECORD_OF).toSorted()).toEqual(answers.map(titleOf).toSorted())
    const uncounted = servedRoutes.filter(
      (one) => one.policy === 'public' && one.perAddress === undefined && !one.path.startsWith('/v1/'),
    )
    expect(Object.keys(UNCOUNTED).toSorted()).toEqual(uncounted.map(titleOf).toSorted())
  })

  test('has no bound where a new route declares none', () => {
    const shared = { summary: 'New', tag: 'New', handle: async () => ok({}) } as const
    const answers = { 200: { description: 'All.', schema: Closed({ data: Type.Array(Text(1, 10)) }) } }
    expect(boundsOf(route({ ...shared, method: 'GET', path: '/v1/new', policy: 'team.read', answers }))).toMatchObject({
      answer: null,
    })
    const params = Closed({ id: Type.String() })
    expect(
      boundsOf(publicRoute({ ...shared, method: 'GET', path: '/new/:id', policy: 'public', params, answers })),
    ).toEqual({ calls: null, request: null, answer: null })
  })
})
