/**
 * The names of all rules; `rule-table.ts` has one rule for each. It is a separate list, so that shapes can name rules
 * without importing them.
 */
export const RULE_NAMES = [
  'web_address',
  'email_address',
  'team_name',
  'header_names',
  'header_values',
  'header_reserved',
  'header_case',
  'field_names',
  'scalar',
  'positive_percent',
  'no_body_with_get',
  'body_paging_needs_json',
  'selector_or_rect',
  'predicate_fields',
  'direct_or_visual',
  'wait_for_rendered',
  'pod_rendered',
  'not_blank',
  'country_code',
  'language_code',
  'search_target',
  'target_unused',
  'label_names',
  'label_values',
  'label_selector',
  'one_position',
  'delivery_or_monitor',
] as const
export type RuleName = (typeof RULE_NAMES)[number]
