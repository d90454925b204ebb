import { TEAM_NAME } from './account-rules.ts'
import { KEYS_OF_BULK, LABELS_SAID_ONCE } from './bulk-rules.ts'
import { CLEAN_FIELDS, PATTERNS_OF_PAGES } from './clean-rules.ts'
import { DELIVERY_OR_MONITOR, IDS_OR_FILTER } from './delivery-rules.ts'
import { DIGEST_FOR_PEOPLE, DIGEST_TIME, DIGEST_ZONE } from './digest-rules.ts'
import { HEADER_CASE, HEADER_NAMES, HEADER_RESERVED, HEADER_VALUES } from './header-rules.ts'
import { QUIET_HOURS_DIFFER, TIME_ZONE } from './hours-rules.ts'
import { LABEL_NAMES, LABEL_SELECTOR, LABEL_VALUES } from './label-rules.ts'
import {
  BODY_NAMES,
  BODY_OF_CUSTOM,
  MESSAGE_FOR_PEOPLE,
  MESSAGE_NAMES,
  PAGE_NAMES,
  SEARCH_NAMES,
} from './message-rules.ts'
import {
  DIRECT_OR_VISUAL,
  PREDICATE_FIELDS,
  POD_RENDERED,
  WAIT_FOR_RENDERED,
  FIELD_NAMES,
  POSITIVE_PERCENT,
  SCALAR,
  EMAIL_ADDRESS,
  WEB_ADDRESS,
} from './monitor-rules.ts'
import { DOCUMENT_AS_SENT, STRUCTURED_BY_PATHS } from './read-as-rules.ts'
import { BODY_PAGING_NEEDS_JSON, NO_BODY_WITH_GET, ONE_POSITION, SELECTOR_OR_RECT } from './request-rules.ts'
import type { RuleName } from './rule-name.ts'
import { COUNTRY_CODE, LANGUAGE_CODE, NOT_BLANK, SEARCH_TARGET, TARGET_UNUSED } from './serp-rules.ts'
import {
  OPTION_NAMES,
  OPTIONS_OF_SERVICE,
  KNOWN_OPTIONS,
  NEEDED_OPTIONS,
  OPTION_VALUES,
  SERVICE_HEADERS,
} from './service-rules.ts'
import { ONE_LABEL, PAGE_SLUG } from './status-rules.ts'

/**
 * The rules that a shape alone cannot express. Each is defined once and used in both engines: `check` here, `cel` in
 * the custom resources. A schema node names the rules that apply to its value (`RULES` in shape.ts).
 */
export const RULE_TABLE = {
  web_address: WEB_ADDRESS,
  email_address: EMAIL_ADDRESS,
  team_name: TEAM_NAME,
  header_names: HEADER_NAMES,
  header_values: HEADER_VALUES,
  header_reserved: HEADER_RESERVED,
  header_case: HEADER_CASE,
  field_names: FIELD_NAMES,
  scalar: SCALAR,
  positive_percent: POSITIVE_PERCENT,
  no_body_with_get: NO_BODY_WITH_GET,
  body_paging_needs_json: BODY_PAGING_NEEDS_JSON,
  selector_or_rect: SELECTOR_OR_RECT,
  predicate_fields: PREDICATE_FIELDS,
  direct_or_visual: DIRECT_OR_VISUAL,
  wait_for_rendered: WAIT_FOR_RENDERED,
  document_as_sent: DOCUMENT_AS_SENT,
  structured_by_paths: STRUCTURED_BY_PATHS,
  patterns_of_pages: PATTERNS_OF_PAGES,
  clean_fields: CLEAN_FIELDS,
  pod_rendered: POD_RENDERED,
  not_blank: NOT_BLANK,
  country_code: COUNTRY_CODE,
  language_code: LANGUAGE_CODE,
  search_target: SEARCH_TARGET,
  target_unused: TARGET_UNUSED,
  label_names: LABEL_NAMES,
  label_values: LABEL_VALUES,
  label_selector: LABEL_SELECTOR,
  one_position: ONE_POSITION,
  delivery_or_monitor: DELIVERY_OR_MONITOR,
  ids_or_filter: IDS_OR_FILTER,
  option_names: OPTION_NAMES,
  options_of_service: OPTIONS_OF_SERVICE,
  known_options: KNOWN_OPTIONS,
  needed_options: NEEDED_OPTIONS,
  option_values: OPTION_VALUES,
  service_headers: SERVICE_HEADERS,
  time_zone: TIME_ZONE,
  quiet_hours_differ: QUIET_HOURS_DIFFER,
  digest_time: DIGEST_TIME,
  digest_zone: DIGEST_ZONE,
  digest_for_people: DIGEST_FOR_PEOPLE,
  message_names: MESSAGE_NAMES,
  body_names: BODY_NAMES,
  page_names: PAGE_NAMES,
  search_names: SEARCH_NAMES,
  message_for_people: MESSAGE_FOR_PEOPLE,
  body_of_custom: BODY_OF_CUSTOM,
  keys_of_bulk: KEYS_OF_BULK,
  labels_said_once: LABELS_SAID_ONCE,
  page_slug: PAGE_SLUG,
  one_label: ONE_LABEL,
} as const satisfies Record<RuleName, unknown>
