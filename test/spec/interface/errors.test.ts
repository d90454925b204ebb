import { describe, expect, test } from 'vitest'
import { createMonitor, MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe('errors', () => {
  test('all errors use the envelope: code, message, details (always an array) and requestId', async () => {
    const answers = [
      await served.as(null).get('/v1/monitors'),
      await served.me.get(`/v1/monitors/${UNKNOWN}`),
      await served.me.get('/v1/monitors/nonsense'),
      await served.me.get('/v1/nowhere'),
      await served.me.post('/v1/monitors', '{'),
      await served.me.post('/v1/monitors', {}),
      await served.me.delete('/v1/monitors'),
    ]
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [401, 'UNAUTHORIZED'],
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
      [422, 'VALIDATION_ERROR'],
      [422, 'VALIDATION_ERROR'],
      [405, 'METHOD_NOT_ALLOWED'],
    ])
    for (const { body } of answers) {
      expect(Object.keys(body)).toEqual(['error'])
      const message = expect.stringMatching(/./)
      expect(body.error).toEqual({ code: expect.any(String), message, details: expect.any(Array), requestId: message })
    }
  })

  test('one answer names all faults of a body, whatever finds them', async () => {
    const body = {
      ...MONITOR,
      name: '',
      url: 'http://127.0.0.1/',
      extra: 1,
      extract_config: { method: 'css', fields: { price: 'p[', stock: 'b' } },
      diff_predicate: { type: 'field_matches_regex', field: 'colour', pattern: '(' },
      deliveries: [
        { type: 'email', to: 'nobody' },
        { type: 'slack', webhookUrl: 'http://10.0.0.1/' },
      ],
      request_headers: { Host: 'a', 'x a': 'b' },
      visual_config: { enabled: true, thresholdPct: 101 },
    }
    expect(pathsOf(await served.me.post('/v1/monitors', body))).toEqual(
      [
        'name',
        'url',
        'extra',
        'extract_config.fields.price',
        'diff_predicate.field',
        'diff_predicate.pattern',
        'deliveries[0].to',
        'deliveries[1].webhookUrl',
        'request_headers.Host',
        'request_headers["x a"]',
        'visual_config.thresholdPct',
      ].sort(),
    )
  })

  test('an answer lists at most a hundred faults, says how many there are, and hides no delivery', async () => {
    const bad = (index: number) => ({ type: 'slack', webhookUrl: index, url: 1, headers: 1, to: 1, extra: 1 })
    const deliveries = Array.from({ length: 25 }, (_, index) => bad(index))
    const { error } = (await served.me.post('/v1/monitors', { ...MONITOR, name: '', deliveries })).body
    expect(error.details).toHaveLength(100)
    expect(error.message).toMatch(/^The body is not valid: .* \(and 125 more; details lists 100 of them\)\.$/)
    const paths: string[] = error.details.map(({ path }) => path)
    expect(paths).toContain('name')
    for (const [index] of deliveries.entries())
      expect(paths.filter((path) => path.startsWith(`deliveries[${index}].`)).length).toBeGreaterThan(2)
  })

  test('bodies that are no object are refused, not dropped', async () => {
    for (const body of ['null', '[]', '"a"', '7', 'true'])
      expect(pathsOf(await served.me.post('/v1/monitors', body))).toEqual([''])
  })

  test('the requestId is that of the answer, and another one each time', async () => {
    const answers = [await served.me.get('/v1/nowhere'), await served.me.get('/v1/nowhere')]
    for (const { headers, body } of answers) expect(body.error.requestId).toBe(headers.get('x-request-id'))
    expect(answers[0]?.body.error.requestId).not.toBe(answers[1]?.body.error.requestId)
  })

  test('VALIDATION_ERROR names each fault with its path and what is wrong with it', async () => {
    const { body } = await served.me.post('/v1/monitors', { ...MONITOR, name: '', extra: 1 })
    expect([...body.error.details].sort((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: 'extra', message: 'is not a known key' },
      { path: 'name', message: 'must not be empty' },
    ])
  })

  test('the message of a fault that is a sentence of its own is not glued to its path', async () => {
    const { body } = await served.me.post('/v1/monitors', { ...MONITOR, url: 'http://169.254.169.254/' })
    expect(body.error.message).toBe(
      'The body is not valid: url: The target is not allowed: its address is link-local, where cloud metadata ' +
        'is served. Use a public address.',
    )
  })

  test.each([
    ['a viewer', 'viewer', '/v1/monitors', 'Your role viewer', 'monitors.write'],
    ['a viewer', 'viewer', `/v1/deliveries/${UNKNOWN}/replay`, 'Your role viewer', 'deliveries.replay'],
    ['a member', 'member', '/v1/keys', 'Your role member', 'keys.manage'],
    ['a read key', 'read', '/v1/monitors', 'An API key with the scope read', 'monitors.write'],
    ['a write key', 'write', '/v1/keys', 'An API key', 'keys.manage'],
  ] as const)(
    'FORBIDDEN, rule 9: %s reads the role, the permission in parentheses, and to ask a team admin or the owner ' +
      '(%s, %s)',
    async (_, who, path, role, permission) => {
      const isKey = who === 'read' || who === 'write'
      const credential = isKey ? await served.api.key(served.owner, who) : await served.api.member(served.owner, who)
      const { status, body } = await served.as(credential).post(path, {})
      expect([status, body.error.code]).toEqual([403, 'FORBIDDEN'])
      expect(body.error.message.startsWith(role)).toBe(true)
      expect(body.error.message).toMatch(new RegExp(`\\(${permission}\\)\\. Ask a team admin or the owner\\.$`))
    },
  )

  test('2: a billing_paused monitor that is resumed is 403 FORBIDDEN', async () => {
    const { id } = await createMonitor(served.me)
    await changeMonitors(served.api, id, { locked: true })
    const refused = await served.me.post(`/v1/monitors/${id}/resume`)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN'])
    expect((await served.me.get(`/v1/monitors/${id}`)).body).toMatchObject({ status: 'billing_paused' })
  })

  test('3: a manual run when runs and credits are used up is 429 RUN_LIMIT_REACHED, with the figures', async () => {
    const client = await served.anotherTeam('lite')
    const { id } = await createMonitor(client)
    await served.api.sql(`update team_usage set runs_used = runs_limit where team_id = '${client.owner.team_id}'`)
    const refused = await client.post(`/v1/monitors/${id}/run`)
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RUN_LIMIT_REACHED'])
    const figures = { used: 1000, limit: 1000, resets_at: expect.stringMatching(/Z$/), credits_remaining: 0 }
    expect(refused.body.error.details).toEqual([figures])
    await served.api.sql(`update team_usage set credits = 1 where team_id = '${client.owner.team_id}'`)
    expect((await client.post(`/v1/monitors/${id}/run`)).status).toBe(200)
  })

  test('3: resets_at is null when only credits can run it', async () => {
    const client = await served.anotherTeam('free')
    const { id } = await createMonitor(client, { visual_config: { enabled: true } })
    await served.api.sql(`update team_usage set visual_used = visual_limit where team_id = '${client.owner.team_id}'`)
    const refused = await client.post(`/v1/monitors/${id}/run`)
    expect(refused.body.error.details).toEqual([{ used: 100, limit: 100, resets_at: null, credits_remaining: 0 }])
    const { id: plain } = await createMonitor(client)
    expect((await client.post(`/v1/monitors/${plain}/run`)).status).toBe(200)
  })

  test('10: more deliveries than the plan allows are TIER_LIMIT_EXCEEDED, after what is not valid', async () => {
    const client = await served.anotherTeam('free')
    const email = { type: 'email', to: 'a@example.com' }
    const over = await client.post('/v1/monitors', { ...MONITOR, deliveries: [email, email] })
    expect([over.status, over.body.error.code]).toEqual([429, 'TIER_LIMIT_EXCEEDED'])
    expect(over.body.error.details).toEqual([{ path: 'deliveries', limit: 1, tier: 'free' }])
    const invalid = await client.post('/v1/monitors', { ...MONITOR, name: '', deliveries: [email, email] })
    expect(pathsOf(invalid)).toEqual(['name'])
  })

  test('too many requests are 429 RATE_LIMIT_EXCEEDED with Retry-After', async () => {
    const slow = await serveApi('scale', { rateLimit: 3 })
    try {
      const answers = []
      // A minute can end in between, though not twice.
      for (let i = 0; i < 7; i++) answers.push(await slow.me.get('/v1/monitors'))
      const refused = answers.find(({ status }) => status === 429)
      expect(refused?.body.error.code).toBe('RATE_LIMIT_EXCEEDED')
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await slow.close()
    }
  })
})
