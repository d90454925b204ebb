import type { TSchema } from 'typebox'
import { LINK_SECONDS } from '../../api/auth/image-links.ts'
import { BODY_LIMITS, sizeText } from '../../api/http/body-limits.ts'
import { FAILURES_UNTIL_ERROR, FAILURES_UNTIL_PAUSED } from '../../core/schedule.ts'
import { SIGNATURE_TOLERANCE_SECONDS } from '../../core/signature.ts'
import { MAX_CHARACTERS } from '../../deliveries/channels/safe-text.ts'
import { MAX_PIXELS } from '../../runners/browser/page/picture-limits.ts'
import { LARGEST_SHOT_BYTES, TALLEST_SHOT } from '../../runners/browser/page/shot.ts'
import { EXTRACT_LIMITS } from '../../runners/extract/limits.ts'
import { FETCH_DEADLINE_MS, FETCH_LIMITS, PAGES_DEADLINE_MS } from '../../runners/fetch/fetch-limits.ts'
import { ApiKeyCreate, ApiKeyRotate, MAX_API_KEYS } from '../../schema/account/api-key.ts'
import {
  INVITATION_DAYS,
  INVITATION_MAIL_HOURS_PER_DAY,
  invitationMailsPerHour,
  PREVIEWS_PER_MINUTE,
  RESENDS_PER_HOUR,
} from '../../schema/account/invitation.ts'
import { TRIAL_DAYS } from '../../schema/account/plan.ts'
import { Team } from '../../schema/account/team.ts'
import { Config } from '../../schema/config/config.ts'
import { mostPruned, PRUNE_LIMIT } from '../../schema/config/prune-limit.ts'
import { LIST_LIMITS } from '../../schema/list-limits.ts'
import { BACKTEST_BYTES, BACKTEST_CHANGES, BACKTEST_CONDITIONS } from '../../schema/monitor/backtest.ts'
import { MonitorBulk } from '../../schema/monitor/bulk.ts'
import { OPTION_LIMITS } from '../../schema/monitor/delivery-services.ts'
import { PREDICATE_CONDITIONS, PREDICATE_DEPTH } from '../../schema/monitor/diff-predicate.ts'
import { DIGEST_SECONDS, MOST_NAMED_CHANGES } from '../../schema/monitor/digest.ts'
import { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { MAX_INTERVAL_SECONDS, MIN_INTERVAL_SECONDS, MonitorCreate } from '../../schema/monitor/monitor.ts'
import { PATTERN_LIMITS } from '../../schema/monitor/pattern-limits.ts'
import { TRIAL_BYTES, TRIAL_CONDITIONS } from '../../schema/monitor/predicate-trial.ts'
import { Pagination, RequestConfig } from '../../schema/monitor/request-config.ts'
import { RequestHeaders } from '../../schema/monitor/request-headers.ts'
import { VisualConfig } from '../../schema/monitor/visual-config.ts'
import { pageQuery } from '../../schema/page-of.ts'
import { REQUEST_LIMITS } from '../../schema/request-limits.ts'
import { DeliveryRelease } from '../../schema/run/delivery-release.ts'
import { TESTS_PER_MINUTE } from '../../schema/run/delivery-test.ts'
import { CHAT_PACE, DELIVERY_BYTES, DELIVERY_DELAYS_SECONDS, DELIVERY_TIMEOUT_MS } from '../../schema/run/delivery.ts'
import { SerpPreview } from '../../schema/serp/serp-check.ts'
import { SerpMonitorCreate } from '../../schema/serp/serp-monitor.ts'
import { nodeOf, withoutNull } from '../../schema/shape/walk-schema.ts'
import { STATUS_LIMITS } from '../../schema/status/status-limits.ts'
import { MAX_SHOWN_MONITORS, MAX_STATUS_PAGES } from '../../schema/status/status-page.ts'
import { WORK, type WorkKind } from '../../schema/work.ts'
import { SESSION_DAYS } from '../../store/accounts/credentials/sessions.ts'

/** What a node of a schema may say of its size. */
interface Node {
  readonly properties: Readonly<Record<string, Node>>
  readonly additionalProperties: Node
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly default?: unknown
}

const n = (value: number | undefined) => (value ?? Number.NaN).toLocaleString('en')
const mib = (bytes: number) => `${bytes / 1_048_576} MiB`
const of = (schema: TSchema) => schema as unknown as Node
const key = (schema: TSchema, name: string): Node => {
  const found = of(schema).properties[name]
  if (!found) throw new Error(`the schema has no ${name}`)
  return found
}

/** The same of a key that may be null. */
const given = (schema: TSchema, name: string) => withoutNull(nodeOf(key(schema, name))) as unknown as Node

/** As the page writes it: `1 to 50`, or `50` where there is no least. */
function range(node: Node): string {
  const least = node.minimum ?? node.minLength ?? node.minItems ?? node.minProperties
  const most = n(node.maximum ?? node.maxLength ?? node.maxItems ?? node.maxProperties)
  return least === undefined ? most : `${n(least)} to ${most}`
}
const withDefault = (node: Node) => `${range(node)}, default ${String(node.default)}`

/** Who is at work, and who waits. */
function workOf(kind: WorkKind): string {
  const { perTeam, total, waiting, waitMs } = WORK[kind]
  const waits = `${waiting} more ${waiting === 1 ? 'waits' : 'wait'} ${waitMs / 1000} s`
  return `${perTeam} of a team, ${total} in all; ${waits}, else 429`
}

const underWay = (what: 'handling' | 'bodies' | 'answers' | 'pictures', text: (amount: number) => string) => {
  const { total, perTeam, teamWaiting, waitMs } = REQUEST_LIMITS[what]
  return [text(perTeam), text(total), `${teamWaiting} more wait ${waitMs / 1000} s, else 429`] as const
}
const bytesUnderWay = (what: 'bodies' | 'answers' | 'pictures') => {
  const [ofTeam, total, waits] = underWay(what, mib)
  return `${total}, ${ofTeam} of a team; ${waits}`
}
const LISTS = LIST_LIMITS.underWay
const [OF_TEAM, OF_ALL, WAITS] = underWay('handling', String)

const EACH_SEAT = invitationMailsPerHour(1) - invitationMailsPerHour(0)
const SPACING_S = Number(key(Config, 'TIDEMARK_SERP_SPACING_MS').default) / 1000

/** Rows of docs/reference/limits.md that follow from constants and shapes, as they have to stand there. */
export const boundsOfTheCode: readonly (readonly [string, string])[] = [
  ['body', `${sizeText(BODY_LIMITS.default)}, else 413`],
  ['body with a configuration', `${sizeText(BODY_LIMITS.configuration)}, else 413`],
  ['body of a bulk action on monitors', `${sizeText(BODY_LIMITS.bulk)}, else 413`],
  ['body of a status page', `${sizeText(BODY_LIMITS.statusPage)}, else 413`],
  [
    'body without credentials',
    `${sizeText(BODY_LIMITS.public)}; a form ${sizeText(BODY_LIMITS.form)}, a signed event ` +
      `${sizeText(BODY_LIMITS.signed)}; else 413`,
  ],
  ['requests that are handled at a time in a process', `${OF_TEAM} of a team, ${OF_ALL} in all; ${WAITS}`],
  [`bodies over ${sizeText(BODY_LIMITS.default)} under way in a process`, bytesUnderWay('bodies')],
  [`answers over ${sizeText(REQUEST_LIMITS.largeAnswerBytes)} under way in a process`, bytesUnderWay('answers')],
  ['pictures under way in a process', bytesUnderWay('pictures')],
  [
    'time for a client to take such an answer or picture',
    `${REQUEST_LIMITS.takeMs / 1000} s, then the connection is ended`,
  ],
  ['requests of a connection that wait for answers', `${REQUEST_LIMITS.ofConnection}, else the connection is ended`],
  ['`page`', range(of(pageQuery.page))],
  ['`limit`', withDefault(of(pageQuery.limit))],
  [
    'one value in a list of runs or deliveries',
    `${LIST_LIMITS.valueBytes / 1024} KiB; more is cut and named in \`truncated\``,
  ],
  [
    'a row of a page that is answered at once',
    `${LIST_LIMITS.pageBytes / 1024} KiB by \`limit\`; others are sent in parts`,
  ],
  ['parts of pages under way in a process', `${mib(LISTS.total)}, ${mib(LISTS.perTeam)} of a team, else a wait`],
  [
    'pages that wait in a process',
    `${LISTS.waiting}, ${LISTS.teamWaiting} of a team, ${LISTS.waitMs / 1000} s each, else 429`,
  ],
  [
    'time for a client to take 256 KiB of a page',
    `${LIST_LIMITS.takeMs / 1000} s, ${REQUEST_LIMITS.takeMs / 1000} s of a row; of the whole page ` +
      `${LIST_LIMITS.answerMs / 60_000} minutes`,
  ],
  ['`name`', `${range(key(MonitorCreate, 'name'))} characters`],
  ['address', `${n(key(MonitorCreate, 'url').maxLength)} characters`],
  ['`schedule_interval_seconds`', `${n(MIN_INTERVAL_SECONDS)} to ${n(MAX_INTERVAL_SECONDS)}`],
  [
    'monitors that `serve --config --prune` deletes at once',
    `a tenth of the folder's, at least ${mostPruned(1)}, at most ${PRUNE_LIMIT.most}`,
  ],
  ['failures in a row before `error`', n(FAILURES_UNTIL_ERROR)],
  ['ids of a bulk action', range(key(MonitorBulk, 'ids'))],
  ['fields', range(key(ExtractConfig, 'fields'))],
  ['selector, expression or pattern', `${range(key(ExtractConfig, 'fields').additionalProperties)} characters`],
  ['prompt', `${range(key(ExtractConfig, 'prompt'))} characters`],
  ['text that the model is given', `${n(EXTRACT_LIMITS.promptCharacters)} characters; the rest is cut off`],
  ['readable text of a whole page that is kept', `${EXTRACT_LIMITS.pageTextBytes / 1024} KiB; the rest is cut off`],
  ['selectors, patterns of `ignore`', `${n(key(key(ExtractConfig, 'ignore'), 'selectors').maxItems)} each`],
  ["body of a target's answer", `${mib(FETCH_LIMITS.maxWireBytes)} as sent, ${mib(FETCH_LIMITS.maxBodyBytes)} decoded`],
  ['redirects', n(FETCH_LIMITS.maxRedirects)],
  ['time of a static fetch', `${FETCH_DEADLINE_MS / 1000} s; ${PAGES_DEADLINE_MS / 1000} s for all pages of a list`],
  ['levels of nesting', n(PREDICATE_DEPTH)],
  ['conditions of a composite', `1 to ${PREDICATE_CONDITIONS}`],
  ['conditions in a backtest', n(BACKTEST_CONDITIONS)],
  ['changes in a backtest', `${n(BACKTEST_CHANGES)}, ${mib(BACKTEST_BYTES)}, ${WORK.backtest.budgetMs / 1000} s`],
  ['backtests at a time in a process', workOf('backtest')],
  ['trials of predicates at a time in a process', workOf('predicate_trial')],
  [
    'conditions, bytes of JSON in a trial of a predicate',
    `${n(TRIAL_CONDITIONS)}, ${mib(TRIAL_BYTES)} before, as many after`,
  ],
  ['bulk actions at a time in a process', workOf('bulk')],
  ['comparisons of texts at a time in a process', workOf('difference')],
  ['exports at a time in a process', workOf('export')],
  ['tests of destinations at a time in a process', workOf('delivery_test')],
  ['trials of rules at a time in a process', workOf('look_extract')],
  ['tests of destinations a minute', `${TESTS_PER_MINUTE} of a team, else 429`],
  ['time to read an export', `${WORK.export.budgetMs / 1000} s, then the connection is ended`],
  ['previews at a time in a process', `${WORK.preview.perTeam} of a team, ${WORK.preview.total} in all, else 429`],
  ['time of a pattern', `${PATTERN_LIMITS.timeoutMs / 1000} s`],
  [
    'slow patterns that wait in a process',
    `${PATTERN_LIMITS.slow.perTeam} of a team, ${PATTERN_LIMITS.slow.total} in all`,
  ],
  ['headers', n(of(RequestHeaders).maxProperties)],
  ['value', `${n(of(RequestHeaders).additionalProperties.maxLength)} characters`],
  ['body', `${n(key(RequestConfig, 'body').maxLength)} characters`],
  ['`max_pages`', withDefault(key(Pagination, 'max_pages'))],
  ['`start`', range(key(Pagination, 'start'))],
  ['`step`', range(key(Pagination, 'step'))],
  ['`param` and dot paths', `${range(key(Pagination, 'items_path'))} characters`],
  ['regions', n(key(VisualConfig, 'regions').maxItems)],
  ['selectors that are ignored', n(key(VisualConfig, 'ignoreSelectors').maxItems)],
  ['`thresholdPct`', withDefault(key(VisualConfig, 'thresholdPct'))],
  ['one picture', `${n(MAX_PIXELS)} pixels, ${n(TALLEST_SHOT)} rows, ${mib(LARGEST_SHOT_BYTES)}`],
  ['signed address of a picture', `${LINK_SECONDS / 60} minutes, else 403`],
  ['destinations of a monitor', `${n(key(MonitorCreate, 'deliveries').maxItems)}; the plan may allow fewer, else 429`],
  [
    'options of a service',
    `${OPTION_LIMITS.options}, names of 1 to ${OPTION_LIMITS.key} and values of ${n(OPTION_LIMITS.value)} characters`,
  ],
  ['`every_seconds` of a digest', `${DIGEST_SECONDS.least} to ${n(DIGEST_SECONDS.most)}`],
  ['changes that one message names', `${MOST_NAMED_CHANGES}; it counts the others`],
  ['ids of a release', range(key(DeliveryRelease, 'ids'))],
  ['attempts', n(DELIVERY_DELAYS_SECONDS.length)],
  ['time of an attempt', `${DELIVERY_TIMEOUT_MS / 1000} s`],
  [
    'messages over 64 KiB under way in a process',
    `${mib(DELIVERY_BYTES.total)}, ${mib(DELIVERY_BYTES.team)} of a team; others wait`,
  ],
  [
    'messages to one chat address, of all processes',
    `${CHAT_PACE.burst} at once, then one in ${CHAT_PACE.everyMs.slack / 1000} s (slack), ` +
      `${CHAT_PACE.everyMs.discord / 1000} s (discord)`,
  ],
  ['characters of an answer that are kept', n(MAX_CHARACTERS)],
  ['API keys of a team that work', n(MAX_API_KEYS)],
  ['name of a key', `${range(key(ApiKeyCreate, 'name'))} characters`],
  ['`grace_period_hours` of a key', range(key(ApiKeyRotate, 'grace_period_hours'))],
  ['age of a signature that a receiver should accept', `${SIGNATURE_TOLERANCE_SECONDS} s`],
  ['session', `${SESSION_DAYS} days`],
  ['invitation', `${INVITATION_DAYS} days after it was sent`],
  ['times that an invitation is sent again, an hour', `${RESENDS_PER_HOUR}, then 429`],
  ['invitation mails of a team within an hour', `${EACH_SEAT} × seats + ${invitationMailsPerHour(0)}, then 429`],
  ['invitation mails of a team within a day', `${INVITATION_MAIL_HOURS_PER_DAY} times as many, then 429`],
  [
    'invitation mails of all teams within an hour',
    `${n(Number(key(Config, 'TIDEMARK_INVITATION_MAILS').default))}, half of them from teams on \`free\`; then 429`,
  ],
  ['looks at invitations from an address, a minute', `${PREVIEWS_PER_MINUTE}, then 429`],
  ['name of a team', `${range(key(Team, 'name'))} characters`],
  ['status pages of a team', n(MAX_STATUS_PAGES)],
  ['monitors of a status page', n(MAX_SHOWN_MONITORS)],
  ['requests for status pages from an address, a minute', `${STATUS_LIMITS.perMinute}, of each process`],
  ['`keyword`', `${range(key(SerpMonitorCreate, 'keyword'))} characters`],
  ['`pages`', withDefault(key(SerpMonitorCreate, 'pages'))],
  ['`target_domain`', `${range(given(SerpMonitorCreate, 'target_domain'))} characters`],
  ['`rank_change_threshold`', range(given(SerpMonitorCreate, 'rank_change_threshold'))],
  ['`schedule_interval_seconds` of a search', range(key(SerpMonitorCreate, 'schedule_interval_seconds'))],
  ['failed checks in a row before `paused`', n(FAILURES_UNTIL_PAUSED)],
  ['results that a run keeps', n(key(SerpPreview, 'organic_results').maxItems)],
  [
    'wait between two checks of one engine from one exit',
    `${SPACING_S} s to ${SPACING_S * 1.5} s; [a setting](../settings.md)`,
  ],
  ['trial', `${TRIAL_DAYS} days`],
]
