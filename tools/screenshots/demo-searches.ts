import { request } from 'undici'
import type { Services } from '../../api/services.ts'
import { seedRanks } from '../../test/support/api/seeded-ranks.ts'

const WEEKS_HOURS = 21 * 24
const STEP_HOURS = 12

interface Demo {
  readonly keyword: string
  readonly engine: string
  readonly device: 'desktop' | 'mobile'
  readonly location_code: string
  readonly language_code: string
  /** The rank of each check, the oldest first. The last one goes on. */
  readonly ranks: readonly (number | null | 'blocked')[]
  readonly overviewSince?: number
}

const US = { location_code: 'us', language_code: 'en' }
const GRINDER = { keyword: 'coffee grinder', ...US }
const SEARCHES: readonly Demo[] = [
  {
    ...GRINDER,
    engine: 'google',
    device: 'desktop',
    ranks: [
      9, 9, 9, 8, 8, 8, 8, 6, 6, 6, 6, 6, 5, 5, 5, 7, 7, 7, 7, 5, 5, 4, 4, 4, 4, 4, 3, 3, 3, 3, 4, 4, 4, 3, 3, 3, 2,
    ],
    overviewSince: 200,
  },
  {
    ...GRINDER,
    engine: 'google',
    device: 'mobile',
    ranks: [
      null,
      null,
      null,
      null,
      10,
      10,
      10,
      10,
      9,
      9,
      9,
      9,
      null,
      null,
      9,
      9,
      9,
      8,
      8,
      8,
      8,
      8,
      8,
      6,
      6,
      6,
      6,
      7,
      7,
      7,
      6,
    ],
    overviewSince: 330,
  },
  {
    ...GRINDER,
    engine: 'bing',
    device: 'desktop',
    ranks: [
      3,
      3,
      3,
      4,
      4,
      4,
      4,
      4,
      'blocked',
      'blocked',
      'blocked',
      4,
      4,
      4,
      5,
      5,
      5,
      5,
      5,
      5,
      5,
      3,
      3,
      3,
      3,
      3,
      2,
      2,
      2,
    ],
  },
  {
    ...GRINDER,
    engine: 'google',
    device: 'desktop',
    location_code: 'de',
    language_code: 'de',
    ranks: [
      12, 12, 12, 12, 11, 11, 11, 11, 11, 11, 10, 10, 10, 10, 10, 10, 10, 10, 11, 11, 11, 10, 10, 8, 8, 8, 8, 8, 8,
    ],
  },
  { keyword: 'hand grinder', ...US, engine: 'google', device: 'desktop', ranks: [4, 4, 4, 3, 3, 1] },
  { keyword: 'hand grinder', ...US, engine: 'duckduckgo', device: 'desktop', ranks: [2, 2, 2, 2, 2, 4] },
]

/** Makes searches whose ranks moved for three weeks. Returns the first of them, with its last run. */
export async function addDemoSearches(base: string, key: string, services: Pick<Services, 'store' | 'secrets'>) {
  const made: { monitor: string; run: string }[] = []
  for (const { ranks, overviewSince, ...search } of SEARCHES) {
    const answer = await request(`${base}/v1/serp-monitors?paused=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: `${search.keyword} ${search.engine}`,
        schedule_interval_seconds: STEP_HOURS * 3600,
        target_domain: 'grinders.example',
        ...search,
      }),
    })
    const { id } = (await answer.body.json()) as { readonly id: string }
    const hours = Array.from({ length: WEEKS_HOURS / STEP_HOURS }, (_, nth) => WEEKS_HOURS - nth * STEP_HOURS - 3)
    const run = await seedRanks(services, id, {
      domain: 'grinders.example',
      results: 12,
      ranks: hours.map((age, nth) => [age, ranks[nth] === undefined ? (ranks.at(-1) ?? null) : ranks[nth]]),
      ...(overviewSince !== undefined && { overviewSince }),
    })
    made.push({ monitor: id, run })
  }
  const [first] = made
  if (first === undefined) throw new Error('there are no searches to make')
  return first
}
