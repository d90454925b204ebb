import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSettings, SettingsError } from '../../boot/settings/read-config.ts'
import { openStripeServer } from '../support/api/stripe-server.ts'
import { runCli, startCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

const EMAIL = 'me@example.com'

test('a server that takes payments applies an event, and sync-billing what was missed', async () => {
  await using folder = await temporaryFolder()
  await using stripe = await openStripeServer()
  const environment = {
    TIDEMARK_DATA_DIR: join(folder.path, 'data'),
    PORT: '0',
    TIDEMARK_OWNER_EMAIL: EMAIL,
    STRIPE_SECRET_KEY: stripe.options.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.options.webhookSecret,
    STRIPE_API_URL: stripe.options.apiUrl,
    STRIPE_PRICES: '{"lite":"price_lite","pro":"price_pro","credits":{"500":"price_500"}}',
  }
  await using serve = startCli(['serve'], environment)
  const [, base = '', password = ''] = await serve.says(
    /Tidemark is running at (http:\S+)\n[\s\S]*Password\s+(\S+)\n[\s\S]*\n\n/,
  )
  const signedIn = await fetch(`${base}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base },
    body: JSON.stringify({ email: EMAIL, password }),
  })
  const { token } = (await signedIn.json()) as { token: string }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const billing = async () => (await fetch(`${base}/v1/billing`, { headers })).json()
  const checkout = await fetch(`${base}/v1/billing/checkout`, { method: 'POST', headers, body: '{"plan":"lite"}' })
  expect([checkout.status, await checkout.json()]).toEqual([200, { url: expect.stringContaining('https://') }])
  stripe.pay()
  const event = stripe.subscriptionEvent('created')
  const taken = await fetch(`${base}/webhooks/stripe`, { method: 'POST', headers: event.headers, body: event.payload })
  expect(taken.status).toBe(204)
  expect(await billing()).toMatchObject({ provider: 'stripe', tier: 'lite', subscription: { status: 'active' } })
  expect((await fetch(`${base}/billing/done`)).status).toBe(200)

  // No event tells of these changes.
  for (const [price, tier] of [
    ['price_pro', 'pro'],
    ['price_lite', 'lite'],
  ] as const) {
    stripe.subscriptions.at(-1)!.price = price
    const command = tier === 'pro' ? ['sync-billing', '--json'] : ['sync-billing', '--email', EMAIL, '--json']
    const { code, stdout } = await runHere(['admin', ...command], environment)
    expect([code, JSON.parse(stdout)]).toEqual([0, { teams: 1, failed: 0 }])
    expect(await billing()).toMatchObject({ tier })
  }
  stripe.failing = 500
  const failed = await runHere(['admin', 'sync-billing', '--json'], environment)
  expect([failed.code, JSON.parse(failed.stdout)]).toEqual([1, { teams: 1, failed: 1 }])
  expect(await billing()).toMatchObject({ tier: 'lite' })
  expect(`${serve.stdout}${serve.stderr}${failed.stderr}`).not.toContain(stripe.options.secretKey)

  const {
    STRIPE_SECRET_KEY: _,
    STRIPE_WEBHOOK_SECRET: __,
    STRIPE_PRICES: ___,
    STRIPE_API_URL: ____,
    ...none
  } = environment
  const manual = await runCli(['admin', 'sync-billing'], none)
  expect(manual.code).not.toBe(0)
  expect(manual.stderr).toContain('STRIPE_SECRET_KEY is not set')
}, 120_000)

test('the settings of payments are checked together, and no secret is shown', () => {
  const paths = (given: Record<string, string>) => {
    try {
      readSettings(given)
      return []
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      expect(error.message).not.toContain('sk_live_secret')
      return error.issues.map(({ path }) => path)
    }
  }
  const all = { STRIPE_SECRET_KEY: 'sk_live_secret', STRIPE_WEBHOOK_SECRET: 'w', STRIPE_PRICES: '{"pro":"price_1"}' }
  expect(paths(all)).toEqual([])
  expect(paths({ STRIPE_SECRET_KEY: 'sk_live_secret' })).toEqual(['STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICES'])
  expect(paths({ STRIPE_PRICES: '{"pro":"price_1"}' })).toEqual(['STRIPE_PRICES'])
  expect(paths({ ...all, STRIPE_PRICES: '{"gold":"price_1"}' })).toEqual(['STRIPE_PRICES'])
  expect(paths({ ...all, STRIPE_API_URL: 'stripe' })).toEqual(['STRIPE_API_URL'])
})
