import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shared } from '../support/run/shared.ts'
import { createFuzzedService } from './fuzzed-service.ts'
import { createSource } from './run-chain.ts'
import { type Chain, chainsOf } from './steps.ts'
import { createTally } from './tally.ts'

/** As many requests are sent, by so many at once. */
const REQUESTS = Number(process.env['TIDEMARK_TEST_FUZZ_REQUESTS'] ?? 2_500)
const STRANDS = 3
/** The same requests each time, unless asked for others: a number, or `new`. */
const wanted = process.env['TIDEMARK_TEST_FUZZ_SEED'] ?? '20260501'
const SEED = wanted === 'new' ? Date.now() % 1_000_000_000 : Number(wanted)
const CHAINS_A_ROUND = 8
const SHRINKING_MS = 10_000
/** Other faults are looked for until there are so many kinds. */
const MAX_FAILURES = 6

const service = shared(createFuzzedService)

/**
 * Returns a check that takes every chain as right once this time has passed since the first that was wrong: the
 * smallest one found by then is told. Before the first there is no limit, so a busy machine ends no chain.
 */
function shrinkingFor(ms: number, run: (chain: Chain) => Promise<void>): (chain: Chain) => Promise<void> {
  let until = Infinity
  return async (chain) => {
    if (performance.now() > until) return
    try {
      await run(chain)
    } catch (error) {
      until = Math.min(until, performance.now() + ms)
      throw error
    }
  }
}

/**
 * No run of the fuzz has pictures, and few differ in a text. Tokens come in mails, and the fuzz has no mail server; a
 * chain knows no other accounts, teams and sessions. Nothing takes payments, and no look has elements without a
 * browser. A filter leaves as many monitors as a request says by chance only. Tests of test/spec/accounts (team,
 * invitation), test/accounts, test/api/auth and test/api/routes follow all of these to their end.
 */
const NEVER_SUCCEED = new Set([
  'getRunImagesById',
  'getRunsByIdDiff',
  'postAuthResetPassword',
  'postAuthRequestPasswordReset',
  'postAuthSendVerificationEmail',
  'postAuthVerifyEmail',
  'getTeamInvitation',
  'postTeamAccept',
  'postTeamSwitch',
  'patchTeamMembersByUserId',
  'deleteTeamMembersByUserId',
  'deleteAccount',
  'deleteAccountSessionsById',
  'postBillingCheckout',
  'postBillingCredits',
  'postBillingPortal',
  'postBillingCancel',
  'postBillingResume',
  'postLooksByIdCandidates',
  'postOverviewMute',
  'postOverviewUnmute',
  'postOverviewSeen',
  'postOverviewUnseen',
])

test(
  'whatever is sent, each answer is quick, is what the document says, and a refusal changes nothing',
  async () => {
    const tally = createTally()
    const { any, rollCall } = chainsOf(service.document, service.slugs)
    const failures = new Map<string, string>()

    const strand = async (number: number) => {
      const { run, close } = createSource(service, tally)
      for (let round = 0; tally.sent < REQUESTS && failures.size < MAX_FAILURES; round += 1) {
        const property = fc.asyncProperty(round === 0 && number === 0 ? rollCall : any, shrinkingFor(SHRINKING_MS, run))
        const seed = SEED + number * 1_000_003 + round
        const details = await fc.check(property, { seed, numRuns: CHAINS_A_ROUND })
        const fault = String(details.errorInstance)
        if (details.failed)
          failures.set(fault.split('\n', 1)[0] ?? '', `seed ${SEED}, strand ${number}, round ${round}:\n${fault}`)
      }
      close()
    }
    await Promise.all(Array.from({ length: STRANDS }, (_, number) => strand(number)))

    process.stdout.write(`fuzz, seed ${SEED}: ${tally.summary()}\n`)
    expect([...failures.values()].join('\n\n'), `TIDEMARK_TEST_FUZZ_SEED=${SEED}`).toBe('')
    expect(service.errors, 'what the service logged as errors').toEqual([])
    if (REQUESTS < 2_000) return
    const { operations } = service.document
    const untaken = operations.filter(({ id }) => !NEVER_SUCCEED.has(id) && tally.of(id).taken === 0)
    expect(
      untaken.map(({ id }) => id),
      'what never succeeded',
    ).toEqual([])
    const unrefused = operations.filter(({ id, open }) => open !== 'all' && tally.of(id).refused === 0)
    expect(
      unrefused.map(({ id }) => id),
      'what was never refused',
    ).toEqual([])
  },
  120_000 + REQUESTS * 300,
)
