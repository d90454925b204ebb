// Generated from schema/ by `npm run gen`.

/** `DiffPredicate` of the API. */
export type DiffPredicate = {
  readonly type: 'any_field_changes'
} | {
  readonly type: 'field_changes'
  readonly field: string
} | {
  readonly type: 'field_increases_by_percent'
  readonly field: string
  readonly threshold: number
} | {
  readonly type: 'field_decreases_by_percent'
  readonly field: string
  readonly threshold: number
} | {
  readonly type: 'field_increases_by_absolute'
  readonly field: string
  readonly threshold: number
} | {
  readonly type: 'field_decreases_by_absolute'
  readonly field: string
  readonly threshold: number
} | {
  readonly type: 'field_above'
  readonly field: string
  readonly threshold: number
} | {
  readonly type: 'field_below'
  readonly field: string
  readonly threshold: number
} | {
  readonly type: 'list_gains_items'
  readonly field: string
} | {
  readonly type: 'list_loses_items'
  readonly field: string
} | {
  readonly type: 'list_gains_unseen_items'
  readonly field: string
  readonly forget_after_days?: number
} | {
  readonly type: 'lines_added'
  readonly field: string
  readonly pattern?: string
} | {
  readonly type: 'lines_removed'
  readonly field: string
  readonly pattern?: string
} | {
  readonly type: 'field_matches_regex'
  readonly field: string
  readonly pattern: string
} | {
  readonly type: 'field_equals'
  readonly field: string
  readonly value: unknown
} | {
  readonly type: 'composite'
  readonly operator: 'AND' | 'OR'
  readonly conditions: readonly DiffPredicate[]
}

/** `ExtractConfig` of the API. */
export type ExtractConfig = {
  readonly method: 'css'
  readonly fields: Readonly<Record<string, string>>
  readonly ignore?: {
    readonly selectors?: readonly string[]
    readonly patterns?: readonly string[]
  }
  readonly clean?: Readonly<Record<string, readonly Treatment[]>>
  readonly read_as?: 'document'
  readonly wait_for?: string
} | {
  readonly method: 'xpath'
  readonly fields: Readonly<Record<string, string>>
  readonly ignore?: {
    readonly selectors?: readonly string[]
    readonly patterns?: readonly string[]
  }
  readonly clean?: Readonly<Record<string, readonly Treatment[]>>
  readonly read_as?: 'document'
  readonly wait_for?: string
} | {
  readonly method: 'json_path'
  readonly fields: Readonly<Record<string, string>>
  readonly clean?: Readonly<Record<string, readonly Treatment[]>>
  readonly read_as?: 'document' | 'structured_data'
} | {
  readonly method: 'regex'
  readonly fields: Readonly<Record<string, string>>
  readonly clean?: Readonly<Record<string, readonly Treatment[]>>
  readonly read_as?: 'document'
  readonly wait_for?: string
} | {
  readonly method: 'full_page'
  readonly ignore?: {
    readonly selectors?: readonly string[]
    readonly patterns?: readonly string[]
  }
  readonly clean?: Readonly<Record<string, readonly Treatment[]>>
  readonly read_as?: 'document'
  readonly wait_for?: string
} | {
  readonly method: 'prompt'
  readonly prompt: string
  readonly schema?: Readonly<Record<string, unknown>>
  readonly ignore?: {
    readonly selectors?: readonly string[]
    readonly patterns?: readonly string[]
  }
  readonly clean?: Readonly<Record<string, readonly Treatment[]>>
  readonly read_as?: 'document'
  readonly wait_for?: string
}

/** `Treatment` of the API. */
export type Treatment = {
  readonly do: 'keep_lines'
  readonly pattern: string
} | {
  readonly do: 'drop_lines'
  readonly pattern: string
} | {
  readonly do: 'replace'
  readonly pattern: string
  readonly text: string
} | {
  readonly do: 'sort'
} | {
  readonly do: 'unique'
} | {
  readonly do: 'first'
  readonly count: number
} | {
  readonly do: 'last'
  readonly count: number
} | {
  readonly do: 'between'
  readonly after: string
  readonly before: string
} | {
  readonly do: 'absolute_links'
}

/** `DeliveryConfig` of the API. */
export type DeliveryConfig = {
  readonly type: 'webhook'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly service?:
    | 'teams'
    | 'telegram'
    | 'matrix'
    | 'mattermost'
    | 'rocket_chat'
    | 'google_chat'
    | 'ntfy'
    | 'gotify'
    | 'pushover'
    | 'pagerduty'
    | 'apprise'
    | 'cloudevents'
    | 'custom'
  readonly options?: Readonly<Record<string, string>>
  readonly body?: string
  readonly method?: 'POST' | 'PUT'
  readonly quiet_hours?: {
    readonly from: string
    readonly until: string
    readonly time_zone: string
  }
  readonly message?: {
    readonly title?: string
    readonly text?: string
  }
  readonly digest?: {
    readonly daily_at?: string
    readonly time_zone?: string
    readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
    readonly every_seconds?: number
  }
} | {
  readonly type: 'slack'
  readonly webhookUrl: string
  readonly quiet_hours?: {
    readonly from: string
    readonly until: string
    readonly time_zone: string
  }
  readonly message?: {
    readonly title?: string
    readonly text?: string
  }
  readonly digest?: {
    readonly daily_at?: string
    readonly time_zone?: string
    readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
    readonly every_seconds?: number
  }
} | {
  readonly type: 'discord'
  readonly webhookUrl: string
  readonly quiet_hours?: {
    readonly from: string
    readonly until: string
    readonly time_zone: string
  }
  readonly message?: {
    readonly title?: string
    readonly text?: string
  }
  readonly digest?: {
    readonly daily_at?: string
    readonly time_zone?: string
    readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
    readonly every_seconds?: number
  }
} | {
  readonly type: 'email'
  readonly to: string
  readonly quiet_hours?: {
    readonly from: string
    readonly until: string
    readonly time_zone: string
  }
  readonly message?: {
    readonly title?: string
    readonly text?: string
  }
  readonly digest?: {
    readonly daily_at?: string
    readonly time_zone?: string
    readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
    readonly every_seconds?: number
  }
}

/** `MonitorCreate` of the API. */
export type MonitorCreate = {
  readonly name: string
  readonly url: string
  readonly schedule_interval_seconds: number
  readonly extract_config: ExtractConfig
  readonly diff_predicate: DiffPredicate
  readonly deliveries?: readonly DeliveryConfig[]
  readonly template_slug?: string | null
  readonly fetch_mode?: 'auto' | 'browser'
  readonly request_headers?: Readonly<Record<string, string>> | null
  readonly request_config?: {
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
    readonly body?: string
    readonly pagination?: {
      readonly type: 'page'
      readonly in: 'query' | 'body'
      readonly param: string
      readonly start?: number
      readonly step?: number
      readonly items_path?: string
      readonly total_path?: string
      readonly has_more_path?: string
      readonly max_pages?: number
    } | {
      readonly type: 'cursor'
      readonly in: 'query' | 'body'
      readonly param: string
      readonly cursor_path: string
      readonly items_path?: string
      readonly total_path?: string
      readonly has_more_path?: string
      readonly max_pages?: number
    } | {
      readonly type: 'next_url'
      readonly next_url_path: string
      readonly items_path?: string
      readonly total_path?: string
      readonly has_more_path?: string
      readonly max_pages?: number
    } | {
      readonly type: 'link_header'
      readonly items_path?: string
      readonly total_path?: string
      readonly has_more_path?: string
      readonly max_pages?: number
    }
  } | null
  readonly visual_config?: {
    readonly enabled: boolean
    readonly thresholdPct?: number
    readonly fullPage?: boolean
    readonly regions?: readonly {
      readonly selector?: string
      readonly rect?: {
        readonly x: number
        readonly y: number
        readonly width: number
        readonly height: number
      }
      readonly label?: string
    }[]
    readonly ignoreSelectors?: readonly string[]
    readonly viewport?: {
      readonly width?: number
      readonly height?: number
    }
  } | null
  readonly notify_on?: readonly ('failing' | 'recovered' | 'field_missing' | 'delivery_dead' | 'quota')[]
  readonly quiet_hours?: {
    readonly from: string
    readonly until: string
    readonly time_zone: string
  } | null
  readonly message?: {
    readonly title?: string
    readonly text?: string
  } | null
  readonly digest?: {
    readonly daily_at?: string
    readonly time_zone?: string
    readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
    readonly every_seconds?: number
  } | null
  readonly isolation?: 'shared' | 'pod'
  readonly external_key?: string | null
  readonly labels?: Readonly<Record<string, string>>
}

/** `SerpMonitorCreate` of the API. */
export type SerpMonitorCreate = {
  readonly name: string
  readonly keyword: string
  readonly schedule_interval_seconds: number
  readonly mode?: 'rank_tracking' | 'full_analysis'
  readonly engine?: 'google' | 'bing' | 'yahoo' | 'duckduckgo' | 'yandex'
  readonly location_code?: string
  readonly language_code?: string
  readonly device?: 'desktop' | 'mobile'
  readonly pages?: number
  readonly target_domain?: string | null
  readonly rank_change_threshold?: number | null
  readonly deliveries?: readonly DeliveryConfig[]
  readonly notify_on?: readonly ('failing' | 'recovered' | 'delivery_dead' | 'quota')[]
  readonly quiet_hours?: {
    readonly from: string
    readonly until: string
    readonly time_zone: string
  } | null
  readonly message?: {
    readonly title?: string
    readonly text?: string
  } | null
  readonly digest?: {
    readonly daily_at?: string
    readonly time_zone?: string
    readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
    readonly every_seconds?: number
  } | null
  readonly external_key?: string | null
  readonly labels?: Readonly<Record<string, string>>
}

/** `Template` of the API. */
export type Template = {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly category: string
  readonly audience: 'developer' | 'operator' | 'both'
  readonly example_url: string | null
  readonly config: {
    readonly extract: ExtractConfig
    readonly diff_predicate: DiffPredicate
    readonly schedule_interval_seconds: number
  }
  readonly created_at: string
}

/** The answer of `GET /v1/me`. */
export type Me = {
  readonly user: {
    readonly id: string
    readonly email: string
    readonly name: string
    readonly has_password: boolean
  } | null
  readonly api_key: {
    readonly id: string
    readonly name: string
    readonly scopes: readonly ('read' | 'write')[]
  } | null
  readonly team: {
    readonly id: string
    readonly name: string
    readonly owner_user_id: string
    readonly owner_email: string
    readonly role: 'viewer' | 'member' | 'admin' | 'owner' | 'api_key'
    readonly tier: 'free' | 'lite' | 'starter' | 'pro' | 'scale' | 'unlimited'
    readonly member_count: number
    readonly pending_invites: number
    readonly max_members: number | null
    readonly created_at: string
  }
  readonly teams: readonly {
    readonly id: string
    readonly name: string
    readonly role: 'viewer' | 'member' | 'admin' | 'owner'
    readonly owner_email: string
    readonly is_personal: boolean
    readonly active: boolean
  }[]
  readonly permissions: readonly string[]
  readonly installation: {
    readonly version: string
    readonly mail: boolean
    readonly sign_in: readonly ('password' | 'oidc')[]
    readonly sign_up: 'invite' | 'open'
    readonly browser: boolean
    readonly model: boolean
  }
}

/** The answer of `GET /v1/overview`. */
export type Overview = {
  readonly data: readonly {
    readonly id: string
    readonly kind: 'page' | 'serp'
    readonly name: string
    readonly target: string
    readonly search: {
      readonly keyword: string
      readonly engine: 'google' | 'bing' | 'yahoo' | 'duckduckgo' | 'yandex'
      readonly location_code: string
      readonly language_code: string
      readonly device: 'desktop' | 'mobile'
      readonly pages: number
      readonly target_domain: string | null
    } | null
    readonly status: 'active' | 'paused' | 'billing_paused' | 'error'
    readonly labels: Readonly<Record<string, string>>
    readonly managed_by: 'api' | 'kubernetes' | 'file'
    readonly mute: {
      readonly until: string | null
      readonly drop: boolean
    } | null
    readonly schedule_interval_seconds: number
    readonly consecutive_failures: number
    readonly last_run: {
      readonly id: string | null
      readonly at: string
      readonly status: 'running' | 'success' | 'error' | 'skipped'
      readonly error_code: FaultCode | null
    } | null
    readonly next_run_at: string | null
    readonly value: {
      readonly field: string
      readonly text: string
    } | null
    readonly last_change: {
      readonly run_id: string | null
      readonly at: string
      readonly field: string
      readonly before: string | null
      readonly after: string | null
      readonly more: number
    } | null
    readonly spark: readonly number[]
    readonly unseen: boolean
  }[]
  readonly pagination: {
    readonly page: number
    readonly limit: number
    readonly total: number
    readonly totalPages: number
    readonly hasMore: boolean
  }
}

/** The answer of `GET /v1/overview/counts`. */
export type OverviewCounts = {
  readonly total: number
  readonly unseen: number
  readonly failing: number
  readonly muted: number
  readonly locked: number
  readonly by_status: readonly {
    readonly status: 'active' | 'paused' | 'billing_paused' | 'error'
    readonly count: number
  }[]
  readonly by_kind: readonly {
    readonly kind: 'page' | 'serp'
    readonly count: number
  }[]
  readonly failing_destinations?: number
  readonly given_up_deliveries?: number
  readonly by_error?: readonly {
    readonly error_code: FaultCode
    readonly count: number
  }[]
  readonly labels?: readonly {
    readonly key: string
    readonly value: string
    readonly count: number
  }[]
}

/** The answer of `GET /v1/changes`. */
export type Changes = {
  readonly data: readonly {
    readonly run_id: string
    readonly at: string
    readonly monitor: {
      readonly id: string
      readonly kind: 'page' | 'serp'
      readonly name: string
    }
    readonly fields: readonly {
      readonly field: string
      readonly before: string | null
      readonly after: string | null
      readonly percent: number | null
    }[]
    readonly more: number
    readonly visual_change_pct: number | null
    readonly fired: boolean | null
    readonly deliveries: {
      readonly pending: number
      readonly success: number
      readonly failed: number
      readonly dead: number
    }
    readonly silence: string | null
    readonly seen: boolean
  }[]
  readonly next: string | null
}

/** The answer of `GET /v1/monitors/{id}`. */
export type Monitor = {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly schedule_interval_seconds: number
  readonly labels: Readonly<Record<string, string>>
  readonly status: 'active' | 'paused' | 'billing_paused' | 'error' | 'deleted'
  readonly consecutive_failures: number
  readonly last_run_at: string | null
  readonly next_run_at: string | null
  readonly managed_by: 'api' | 'kubernetes' | 'file'
  readonly declared_in?: string
  readonly warnings?: readonly string[]
  readonly diff_predicate: DiffPredicate
  readonly visual_config: {
    readonly enabled: boolean
    readonly thresholdPct?: number
    readonly fullPage?: boolean
    readonly regions?: readonly {
      readonly selector?: string
      readonly rect?: {
        readonly x: number
        readonly y: number
        readonly width: number
        readonly height: number
      }
      readonly label?: string
    }[]
    readonly ignoreSelectors?: readonly string[]
    readonly viewport?: {
      readonly width?: number
      readonly height?: number
    }
  } | null
  readonly mute?: {
    readonly since: string
    readonly until: string | null
    readonly reason: string | null
    readonly drop: boolean
  }
}

/** The answer of `GET /v1/serp-monitors/{id}`. */
export type SerpMonitor = {
  readonly keyword: string
  readonly engine: 'google' | 'bing' | 'yahoo' | 'duckduckgo' | 'yandex'
  readonly device: 'desktop' | 'mobile'
  readonly location_code: string
  readonly language_code: string
  readonly pages: number
  readonly target_domain: string | null
  readonly mode: 'rank_tracking' | 'full_analysis'
  readonly rank_change_threshold: number | null
}

/** The answer of `GET /v1/runs/{id}`. */
export type Run = {
  readonly id: string
  readonly monitor_id: string
  readonly started_at: string
  readonly completed_at: string | null
  readonly status: 'running' | 'success' | 'error' | 'skipped'
  readonly extracted: Readonly<Record<string, unknown>>
  readonly diff: {
    readonly fields_changed: readonly string[]
    readonly before: Readonly<Record<string, unknown>>
    readonly after: Readonly<Record<string, unknown>>
  } | Readonly<Record<string, never>>
  readonly fired: boolean | null
  readonly held?: 'muted' | 'digest' | 'quiet_hours' | 'dropped'
  readonly delivery_triggered: boolean
  readonly fetch_method: 'static' | 'browser' | 'proxy' | null
  readonly fetch_reason:
    | 'configured'
    | 'search_results'
    | 'needs_scripts'
    | 'encoding'
    | 'refused'
    | 'no_match' | null
  readonly without_media?: true
  readonly duration_ms: number
  readonly error_message: string | null
  readonly error_code: FaultCode | null
  readonly warnings: readonly string[]
  readonly visual_change_pct?: number
  readonly organic_results?: readonly {
    readonly position: number
    readonly title: string
    readonly url: string
    readonly domain: string
    readonly description: string | null
  }[]
  readonly target_rank?: number | null
  readonly rank_delta?: number | null
  readonly serp_check?: {
    readonly outcome:
      | 'ok'
      | 'zero'
      | 'blocked'
      | 'left_alone'
      | 'engine_error'
      | 'unparsed'
      | 'failed'
    readonly source: 'engine' | 'provider' | null
    readonly pages: number
    readonly cut_by: 'blocked' | 'engine_error' | 'unparsed' | 'failed' | null
    readonly is_guess: boolean
    readonly country: 'exact' | 'approximate'
    readonly late_ms: number | null
    readonly marker: string
  } | null
  readonly ai_overview_present?: boolean | null
  readonly featured_snippet_present?: boolean | null
}

/** The answer of `GET /v1/monitors/{id}/series`. */
export type Series = {
  readonly field: string | null
  readonly fields: readonly string[]
  readonly from: string
  readonly to: string
  readonly points: readonly {
    readonly at: string
    readonly value: number | null
    readonly min: number | null
    readonly max: number | null
    readonly run_id: string | null
  }[]
  readonly changes: readonly {
    readonly at: string
    readonly run_id: string
    readonly count: number
  }[]
  readonly failures: readonly {
    readonly from: string
    readonly to: string | null
    readonly error_code: FaultCode
  }[]
  readonly summary: {
    readonly least: number
    readonly most: number
    readonly mean: number
    readonly share: number
  } | null
  readonly blocks?: readonly {
    readonly block: 'ai_overview' | 'featured_snippet'
    readonly from: string
    readonly to: string | null
    readonly is_shown: boolean
    readonly run_id: string
  }[]
  readonly known_from: string
}

/** The answer of `GET /v1/serp-engines`. */
export type SerpEngines = {
  readonly data: readonly {
    readonly engine: 'google' | 'bing' | 'yahoo' | 'duckduckgo' | 'yandex'
    readonly left_alone_until: string | null
    readonly refusals: number
  }[]
}

/** The answer of `GET /v1/runs/{id}/diff`. */
export type RunDiff = {
  readonly run_id: string
  readonly against?: {
    readonly run_id: string
    readonly started_at: string
  }
  readonly changed?: {
    readonly fields_changed: readonly string[]
    readonly before: Readonly<Record<string, unknown>>
    readonly after: Readonly<Record<string, unknown>>
    readonly percent: Readonly<Record<string, number>>
  }
  readonly fields: readonly {
    readonly field: string
    readonly of: 'value' | 'page_text'
    readonly unified: string
    readonly words: readonly {
      readonly before_line: number
      readonly after_line: number
      readonly parts: readonly {
        readonly kind: 'same' | 'removed' | 'added'
        readonly text: string
      }[]
    }[]
    readonly lines_added: number
    readonly lines_removed: number
    readonly coarse: boolean
  }[]
}

/** The answer of `GET /v1/run-images/{id}`. */
export type RunImages = {
  readonly kind: 'visual'
  readonly aggregateChangePct: number
  readonly hasChanges: boolean
  readonly regions: readonly {
    readonly regionIndex: number
    readonly label: string
    readonly changedPct: number
    readonly hasChanges: boolean
    readonly beforeUrl: string | null
    readonly afterUrl: string
    readonly diffUrl: string | null
  }[]
}

/** The answer of `GET /v1/runs/{id}/deliveries`. */
export type RunDeliveries = {
  readonly data: readonly {
    readonly id: string
    readonly monitor_id: string
    readonly user_id: string
    readonly run_id: string
    readonly monitor: {
      readonly kind: 'page' | 'serp'
      readonly name: string
    }
    readonly delivery_type: 'webhook' | 'slack' | 'discord' | 'email'
    readonly service?:
      | 'teams'
      | 'telegram'
      | 'matrix'
      | 'mattermost'
      | 'rocket_chat'
      | 'google_chat'
      | 'ntfy'
      | 'gotify'
      | 'pushover'
      | 'pagerduty'
      | 'apprise'
      | 'cloudevents'
      | 'custom'
    readonly destination: string
    readonly destination_key?: string
    readonly destination_removed?: true
    readonly payload: Readonly<Record<string, unknown>>
    readonly status: 'pending' | 'success' | 'failed' | 'dead'
    readonly attempts: number
    readonly last_attempt_at: string | null
    readonly next_attempt_at: string | null
    readonly held?: 'muted' | 'digest' | 'quiet_hours'
    readonly digest_id?: string
    readonly response_status: number | null
    readonly response_body: string | null
    readonly created_at: string
    readonly truncated?: readonly string[]
  }[]
}

/** The answer of `GET /v1/deliveries`. */
export type Deliveries = {
  readonly data: readonly {
    readonly id: string
    readonly monitor_id: string
    readonly user_id: string
    readonly run_id: string
    readonly monitor: {
      readonly kind: 'page' | 'serp'
      readonly name: string
    }
    readonly delivery_type: 'webhook' | 'slack' | 'discord' | 'email'
    readonly service?:
      | 'teams'
      | 'telegram'
      | 'matrix'
      | 'mattermost'
      | 'rocket_chat'
      | 'google_chat'
      | 'ntfy'
      | 'gotify'
      | 'pushover'
      | 'pagerduty'
      | 'apprise'
      | 'cloudevents'
      | 'custom'
    readonly destination: string
    readonly destination_key?: string
    readonly destination_removed?: true
    readonly payload: Readonly<Record<string, unknown>>
    readonly status: 'pending' | 'success' | 'failed' | 'dead'
    readonly attempts: number
    readonly last_attempt_at: string | null
    readonly next_attempt_at: string | null
    readonly held?: 'muted' | 'digest' | 'quiet_hours'
    readonly digest_id?: string
    readonly response_status: number | null
    readonly response_body: string | null
    readonly created_at: string
    readonly truncated?: readonly string[]
  }[]
  readonly pagination: {
    readonly page: number
    readonly limit: number
    readonly total: number
    readonly totalPages: number
    readonly hasMore: boolean
  }
}

/** The answer of `GET /v1/deliveries/{id}`. */
export type Delivery = {
  readonly id: string
  readonly monitor_id: string
  readonly user_id: string
  readonly run_id: string
  readonly monitor: {
    readonly kind: 'page' | 'serp'
    readonly name: string
  }
  readonly delivery_type: 'webhook' | 'slack' | 'discord' | 'email'
  readonly service?:
    | 'teams'
    | 'telegram'
    | 'matrix'
    | 'mattermost'
    | 'rocket_chat'
    | 'google_chat'
    | 'ntfy'
    | 'gotify'
    | 'pushover'
    | 'pagerduty'
    | 'apprise'
    | 'cloudevents'
    | 'custom'
  readonly destination: string
  readonly destination_key?: string
  readonly destination_removed?: true
  readonly payload: Readonly<Record<string, unknown>>
  readonly status: 'pending' | 'success' | 'failed' | 'dead'
  readonly attempts: number
  readonly last_attempt_at: string | null
  readonly next_attempt_at: string | null
  readonly held?: 'muted' | 'digest' | 'quiet_hours'
  readonly digest_id?: string
  readonly response_status: number | null
  readonly response_body: string | null
  readonly created_at: string
  readonly truncated?: readonly string[]
}

/** The answer of `GET /v1/deliveries/counts`. */
export type DeliveryCounts = {
  readonly total: number
  readonly pending: number
  readonly success: number
  readonly failed: number
  readonly dead: number
  readonly given_up: number
  readonly missed: number
  readonly held: number
}

/** The answer of `GET /v1/deliveries/destinations`. */
export type FailingDestinations = {
  readonly data: readonly {
    readonly key?: string
    readonly delivery_type: 'webhook' | 'slack' | 'discord' | 'email'
    readonly service?:
      | 'teams'
      | 'telegram'
      | 'matrix'
      | 'mattermost'
      | 'rocket_chat'
      | 'google_chat'
      | 'ntfy'
      | 'gotify'
      | 'pushover'
      | 'pagerduty'
      | 'apprise'
      | 'cloudevents'
      | 'custom'
    readonly destination: string
    readonly since: string
    readonly response_status: number | null
    readonly response_body: string | null
    readonly monitors: readonly {
      readonly id: string
      readonly kind: 'page' | 'serp'
      readonly name: string
    }[]
    readonly monitor_count: number
    readonly given_up: number
  }[]
  readonly total: number
}

/** The answer of `GET /v1/deliveries/{id}/request`. */
export type DeliveryRequest = {
  readonly via: 'http'
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly warnings?: readonly string[]
} | {
  readonly via: 'mail'
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
} | {
  readonly via: 'none'
  readonly message: string
}

/** The answer of `POST /v1/deliveries/replay`. */
export type DeliveriesReplayed = {
  readonly queued: number
  readonly failed: number
  readonly results: readonly {
    readonly id: string
    readonly ok: boolean
    readonly error?: {
      readonly code: string
      readonly message: string
    }
  }[]
}

/** The answer of `POST /v1/deliveries/release`. */
export type DeliveriesReleased = {
  readonly succeeded: number
  readonly failed: number
  readonly results: readonly {
    readonly id: string
    readonly ok: boolean
    readonly error?: {
      readonly code: string
      readonly message: string
    }
  }[]
}

/** The answer of `POST /v1/monitors/bulk`. */
export type BulkDone = {
  readonly results: readonly {
    readonly id: string
    readonly ok: boolean
    readonly run_id?: string
    readonly error?: {
      readonly code: string
      readonly message: string
      readonly details: readonly unknown[]
    }
  }[]
}

/** The answer of `POST /v1/looks`. */
export type Look = {
  readonly id: string
  readonly url: string
  readonly expires_at: string
  readonly picture: string | null
  readonly width: number
  readonly height: number
  readonly cut: boolean
  readonly elements: readonly {
    readonly box: {
      readonly x: number
      readonly y: number
      readonly width: number
      readonly height: number
    }
    readonly order: number
    readonly parent: number | null
    readonly tag: string
    readonly text: string
    readonly path: readonly number[] | null
    readonly unreadable:
      | 'frame'
      | 'shadow_root'
      | 'closed_shadow_root'
      | 'canvas'
      | 'not_in_html'
      | 'too_deep' | null
  }[]
  readonly covers: readonly {
    readonly element: number
    readonly share_pct: number
  }[]
  readonly documents: {
    readonly fetched: {
      readonly is_there: boolean
      readonly kind: 'html' | 'json' | 'xml' | 'feed' | 'other' | null
      readonly url: string | null
      readonly http_status: number | null
      readonly content_type: string | null
      readonly bytes: number | null
      readonly duration_ms: number | null
      readonly error_code: FaultCode | null
      readonly error_message: string | null
    }
    readonly rendered: {
      readonly is_there: boolean
      readonly kind: 'html' | 'json' | 'xml' | 'feed' | 'other' | null
      readonly url: string | null
      readonly http_status: number | null
      readonly content_type: string | null
      readonly bytes: number | null
      readonly duration_ms: number | null
      readonly error_code: FaultCode | null
      readonly error_message: string | null
    }
  }
  readonly needs_browser: boolean
  readonly browser_reason:
    | 'configured'
    | 'search_results'
    | 'needs_scripts'
    | 'encoding'
    | 'refused'
    | 'no_match' | null
  readonly guesses: readonly {
    readonly kind: 'price' | 'version' | 'list' | 'feed' | 'json' | 'table' | 'page'
    readonly label: string
    readonly url: string | null
    readonly extract_config: ExtractConfig
    readonly diff_predicate: DiffPredicate
  }[]
  readonly outline: {
    readonly method: 'json_path' | 'xpath'
    readonly read_as?: 'document'
    readonly nodes: readonly {
      readonly parent: number | null
      readonly name: string
      readonly rule: string
      readonly all: string | null
      readonly value: string
      readonly parts: number
    }[]
    readonly is_cut: boolean
  } | null
  readonly warnings: readonly string[]
}

/** The answer of `POST /v1/looks/{id}/candidates`. */
export type LookCandidates = {
  readonly values: readonly {
    readonly method: 'css' | 'xpath'
    readonly rule: string
    readonly reason: string
    readonly matches: number
    readonly fragile: boolean
    readonly value: string
    readonly attribute: string | null
    readonly fetched: {
      readonly value: string
      readonly is_same: boolean
    } | null
  }[]
  readonly attributes: readonly {
    readonly method: 'css' | 'xpath'
    readonly rule: string
    readonly reason: string
    readonly matches: number
    readonly fragile: boolean
    readonly value: string
    readonly attribute: string | null
    readonly fetched: {
      readonly value: string
      readonly is_same: boolean
    } | null
  }[]
  readonly lists: readonly {
    readonly method: 'css' | 'xpath'
    readonly rule: string
    readonly reason: string
    readonly matches: number
    readonly fragile: boolean
    readonly value: string
    readonly attribute: string | null
    readonly fetched: {
      readonly value: string
      readonly is_same: boolean
    } | null
  }[]
}

/** The answer of `POST /v1/looks/{id}/extract`. */
export type LookExtracted = {
  readonly fetched: {
    readonly status: 'success' | 'error'
    readonly fields: Readonly<Record<string, unknown>>
    readonly matches: Readonly<Record<string, {
      readonly count: number
      readonly elements: readonly number[]
    }>>
    readonly warnings: readonly string[]
    readonly error_code: FaultCode | null
    readonly error_message: string | null
  } | null
  readonly rendered: {
    readonly status: 'success' | 'error'
    readonly fields: Readonly<Record<string, unknown>>
    readonly matches: Readonly<Record<string, {
      readonly count: number
      readonly elements: readonly number[]
    }>>
    readonly warnings: readonly string[]
    readonly error_code: FaultCode | null
    readonly error_message: string | null
  } | null
}

/** The answer of `POST /v1/predicates/try`. */
export type PredicateTrial = {
  readonly fires: boolean | null
  readonly why: string
  readonly conditions: readonly {
    readonly path: string
    readonly type:
      | 'composite'
      | 'any_field_changes'
      | 'field_changes'
      | 'field_increases_by_percent'
      | 'field_decreases_by_percent'
      | 'field_increases_by_absolute'
      | 'field_decreases_by_absolute'
      | 'field_above'
      | 'field_below'
      | 'list_gains_items'
      | 'list_loses_items'
      | 'list_gains_unseen_items'
      | 'lines_added'
      | 'lines_removed'
      | 'field_matches_regex'
      | 'field_equals'
    readonly field: string | null
    readonly holds: boolean | null
    readonly why: string
  }[]
  readonly warnings: readonly string[]
}

/** The answer of `POST /v1/deliveries/test`. */
export type DeliveryTest = {
  readonly status: 'success' | 'failed'
  readonly response_status: number | null
  readonly response_body: string | null
  readonly duration_ms: number
  readonly request: {
    readonly via: 'http'
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly warnings?: readonly string[]
  } | {
    readonly via: 'mail'
    readonly to: string
    readonly subject: string
    readonly text: string
    readonly html: string
  } | {
    readonly via: 'none'
    readonly message: string
  }
}

/** The answer of `POST /v1/serp-monitors/preview`. */
export type SerpPreview = {
  readonly status: 'success' | 'error'
  readonly url: string
  readonly organic_results: readonly {
    readonly position: number
    readonly title: string
    readonly url: string
    readonly domain: string
    readonly description: string | null
  }[]
  readonly target_rank: number | null
  readonly warnings: readonly string[]
  readonly error_message: string | null
}

/** The answer of `POST /v1/manifests`. */
export type WrittenMonitor = {
  readonly as: 'manifest' | 'pulumi' | 'curl'
  readonly text: string
  readonly secrets: readonly {
    readonly key: string
    readonly what: string
  }[]
}

/** The answer of `POST /v1/monitors/{id}/backtest`. */
export type Backtest = {
  readonly changes: number
  readonly would_fire: number
  readonly runs: readonly {
    readonly run_id: string
    readonly started_at: string
    readonly fires: boolean
    readonly fired: boolean | null
    readonly delivery_triggered: boolean
    readonly values: readonly {
      readonly field: string
      readonly before: string | null
      readonly after: string | null
      readonly percent: number | null
    }[]
    readonly fields_changed: readonly string[]
    readonly conditions: readonly {
      readonly path: string
      readonly type:
        | 'any_field_changes'
        | 'field_changes'
        | 'field_increases_by_percent'
        | 'field_decreases_by_percent'
        | 'field_increases_by_absolute'
        | 'field_decreases_by_absolute'
        | 'field_above'
        | 'field_below'
        | 'list_gains_items'
        | 'list_loses_items'
        | 'list_gains_unseen_items'
        | 'lines_added'
        | 'lines_removed'
        | 'field_matches_regex'
        | 'field_equals'
      readonly field: string | null
      readonly holds: boolean
      readonly why: string
    }[]
  }[]
}

/** The answer of `GET /v1/usage`. */
export type Usage = {
  readonly monitorsActive: number
  readonly monitorsLocked: number
  readonly serpMonitorsLocked: number
  readonly llmCallsThisMonth: number
  readonly proxyBytesThisMonth: number
  readonly screenshotBytesThisMonth: number
  readonly runs: {
    readonly used: number
    readonly limit: number | null
  }
  readonly visualRuns: {
    readonly used: number
    readonly limit: number | null
  } | null
  readonly serpRuns: {
    readonly used: number
    readonly limit: number | null
  } | null
  readonly configurationBytes: {
    readonly used: number
    readonly limit: number | null
  }
  readonly serpProviderPagesThisMonth: number
  readonly serpAllowed: boolean
  readonly serpViaCredits: boolean
  readonly runCredits: number
  readonly serpTrialEndsAt: string | null
  readonly trialEndsAt: string | null
  readonly trialActive: boolean
  readonly runsPeriodStart: string
  readonly runsResetAt: string
  readonly pace: {
    readonly runsPerDay: number
    readonly usedUpAt: string | null
  }
  readonly runsPeriodIsBilling: boolean
  readonly tier: 'free' | 'lite' | 'starter' | 'pro' | 'scale' | 'unlimited'
  readonly limits: {
    readonly runsPerMonth: number | null
    readonly visualRunsPerMonth: number | null
    readonly serpRunsPerMonth: number | null
    readonly serp: 'trial' | 'included' | 'none'
    readonly retentionDays: number
    readonly maxDeliveriesPerMonitor: number
    readonly llmCallsPerMonth: number | null
    readonly proxyBytesPerMonth: number | null
    readonly screenshotBytesPerMonth: number | null
  }
}

/** The answer of `GET /v1/usage/days`. */
export type UsageDays = {
  readonly data: readonly {
    readonly day: string
    readonly runs: number
    readonly visual_runs: number
    readonly serp_runs: number
    readonly credit_runs: number
    readonly llm_calls: number
    readonly picture_bytes: number
    readonly proxy_bytes: number
  }[]
  readonly known_from: string
}

/** The answer of `GET /v1/usage/monitors`. */
export type UsageMonitors = {
  readonly data: readonly {
    readonly id: string
    readonly kind: 'page' | 'serp'
    readonly name: string
    readonly runs: number
  }[]
  readonly others: number
  readonly from: string
}

/** The answer of `GET /v1/billing`. */
export type Billing = {
  readonly provider: 'manual' | 'stripe'
  readonly tier: 'free' | 'lite' | 'starter' | 'pro' | 'scale' | 'unlimited'
  readonly serp: 'trial' | 'included' | 'none'
  readonly subscription: {
    readonly status:
      | 'trialing'
      | 'active'
      | 'past_due'
      | 'incomplete'
      | 'incomplete_expired'
      | 'unpaid'
      | 'paused'
      | 'canceled'
    readonly period_ends_at: string
    readonly cancel_at_period_end: boolean
  } | null
  readonly run_credits: number
  readonly plans: readonly {
    readonly plan: 'lite' | 'starter' | 'pro' | 'scale'
    readonly serp: boolean
  }[]
  readonly credit_packs: readonly number[]
}

/** The answer of `POST /v1/billing/checkout`. */
export type PaymentPage = {
  readonly url: string
}

/** The answer of `GET /v1/team/members`. */
export type TeamMembers = {
  readonly members: readonly {
    readonly user_id: string
    readonly email: string
    readonly name: string
    readonly role: 'viewer' | 'member' | 'admin' | 'owner'
    readonly joined_at: string
  }[]
  readonly invitations: readonly {
    readonly id: string
    readonly email: string
    readonly role: 'admin' | 'member' | 'viewer'
    readonly invited_by_email: string
    readonly expires_at: string
    readonly created_at: string
  }[]
}

/** The answer of `POST /v1/team/members/invite`. */
export type InvitationSent = {
  readonly id: string
  readonly email: string
  readonly role: 'admin' | 'member' | 'viewer'
  readonly invited_by_email: string
  readonly expires_at: string
  readonly created_at: string
  readonly email_sent: boolean
}

/** The answer of `GET /v1/settings`. */
export type TeamSettings = {
  readonly proxy_enabled: boolean
  readonly error_notifications: boolean
}

/** The answer of `GET /v1/account/sessions`. */
export type AccountSessions = {
  readonly data: readonly {
    readonly id: string
    readonly current: boolean
    readonly created_at: string
    readonly expires_at: string
    readonly ip_address: string | null
    readonly user_agent: string | null
  }[]
}

/** The answer of `GET /v1/team/audit`. */
export type AuditPage = {
  readonly data: readonly {
    readonly id: string
    readonly action:
      | 'monitor.created'
      | 'monitor.updated'
      | 'monitor.deleted'
      | 'monitor.paused'
      | 'monitor.resumed'
      | 'monitor.run_triggered'
      | 'monitor.secret_rotated'
      | 'monitor.bulk_action'
      | 'serp_monitor.created'
      | 'serp_monitor.updated'
      | 'serp_monitor.deleted'
      | 'serp_monitor.paused'
      | 'serp_monitor.resumed'
      | 'serp_monitor.run_triggered'
      | 'serp_monitor.secret_rotated'
      | 'delivery.replayed'
      | 'monitor.muted'
      | 'monitor.unmuted'
      | 'serp_monitor.muted'
      | 'serp_monitor.unmuted'
      | 'delivery.tested'
      | 'delivery.released'
      | 'delivery.dropped'
      | 'api_key.created'
      | 'api_key.rotated'
      | 'api_key.deleted'
      | 'settings.proxy_toggled'
      | 'settings.error_notifications_toggled'
      | 'team.renamed'
      | 'team.member_invited'
      | 'team.invitation_resent'
      | 'team.invitation_revoked'
      | 'team.member_joined'
      | 'team.member_role_changed'
      | 'team.member_removed'
      | 'team.member_left'
      | 'billing.checkout_started'
      | 'billing.plan_changed'
      | 'billing.cancelled'
      | 'billing.resumed'
      | 'billing.credits_purchased'
      | 'billing.credits_granted'
      | 'account.email_changed'
      | 'account.password_reset_issued'
      | 'account.deleted'
      | 'status_page.created'
      | 'status_page.updated'
      | 'status_page.published'
      | 'status_page.unpublished'
      | 'status_page.deleted'
    readonly target_type:
      | 'monitor'
      | 'serp_monitor'
      | 'delivery'
      | 'api_key'
      | 'settings'
      | 'team'
      | 'invitation'
      | 'member'
      | 'subscription'
      | 'account'
      | 'status_page'
    readonly target_id: string | null
    readonly target_label: string | null
    readonly actor: {
      readonly type: 'user' | 'api_key' | 'system'
      readonly id: string | null
      readonly label: string
    }
    readonly metadata: Readonly<Record<string, unknown>>
    readonly ip_address: string | null
    readonly created_at: string
  }[]
  readonly pagination: {
    readonly page: number
    readonly limit: number
    readonly total: number
    readonly totalPages: number
    readonly hasMore: boolean
  }
  readonly actions: readonly (
    | 'monitor.created'
    | 'monitor.updated'
    | 'monitor.deleted'
    | 'monitor.paused'
    | 'monitor.resumed'
    | 'monitor.run_triggered'
    | 'monitor.secret_rotated'
    | 'monitor.bulk_action'
    | 'serp_monitor.created'
    | 'serp_monitor.updated'
    | 'serp_monitor.deleted'
    | 'serp_monitor.paused'
    | 'serp_monitor.resumed'
    | 'serp_monitor.run_triggered'
    | 'serp_monitor.secret_rotated'
    | 'delivery.replayed'
    | 'monitor.muted'
    | 'monitor.unmuted'
    | 'serp_monitor.muted'
    | 'serp_monitor.unmuted'
    | 'delivery.tested'
    | 'delivery.released'
    | 'delivery.dropped'
    | 'api_key.created'
    | 'api_key.rotated'
    | 'api_key.deleted'
    | 'settings.proxy_toggled'
    | 'settings.error_notifications_toggled'
    | 'team.renamed'
    | 'team.member_invited'
    | 'team.invitation_resent'
    | 'team.invitation_revoked'
    | 'team.member_joined'
    | 'team.member_role_changed'
    | 'team.member_removed'
    | 'team.member_left'
    | 'billing.checkout_started'
    | 'billing.plan_changed'
    | 'billing.cancelled'
    | 'billing.resumed'
    | 'billing.credits_purchased'
    | 'billing.credits_granted'
    | 'account.email_changed'
    | 'account.password_reset_issued'
    | 'account.deleted'
    | 'status_page.created'
    | 'status_page.updated'
    | 'status_page.published'
    | 'status_page.unpublished'
    | 'status_page.deleted')[]
}

/** The answer of `GET /v1/keys`. */
export type ApiKeys = {
  readonly data: readonly {
    readonly id: string
    readonly name: string
    readonly key_prefix: string
    readonly scopes: readonly ('read' | 'write')[]
    readonly expires_at: string | null
    readonly last_used_at: string | null
    readonly created_by: string
    readonly created_at: string
    readonly replaced: boolean
  }[]
}

/** The answer of `GET /v1/status-pages`. */
export type StatusPages = {
  readonly data: readonly {
    readonly id: string
    readonly title: string
    readonly slug: string
    readonly url: string
    readonly shows: {
      readonly by: 'monitors'
      readonly monitors: readonly {
        readonly monitor_id: string
        readonly name: string
        readonly show_value?: boolean
      }[]
    } | {
      readonly by: 'label'
      readonly label: string
      readonly show_values?: boolean
    }
    readonly published: boolean
    readonly indexed: boolean
    readonly created_at: string
    readonly updated_at: string
  }[]
}

/** The answer of `POST /v1/keys`. */
export type ApiKeyIssued = {
  readonly key: string
  readonly apiKey: {
    readonly id: string
    readonly name: string
    readonly scopes: readonly ('read' | 'write')[]
    readonly expires_at: string | null
  }
}

/** What each event of `GET /v1/events` has. */
export type Events = {
  readonly change: {
    readonly run_id: string
    readonly at: string
    readonly monitor: {
      readonly id: string
      readonly kind: 'page' | 'serp'
    }
    readonly fields: readonly string[]
    readonly more: number
    readonly fired: boolean | null
  }
  readonly state: {
    readonly monitor: {
      readonly id: string
      readonly kind: 'page' | 'serp'
    }
    readonly status: 'active' | 'paused' | 'billing_paused' | 'error' | 'deleted'
  }
  readonly delivery: {
    readonly id: string
    readonly run_id: string
    readonly monitor: {
      readonly id: string
      readonly kind: 'page' | 'serp'
    }
    readonly status: 'failed' | 'dead'
  }
  readonly run: {
    readonly run_id: string
    readonly at: string
    readonly monitor: {
      readonly id: string
      readonly kind: 'page' | 'serp'
    }
    readonly status: 'running' | 'success' | 'error' | 'skipped'
  }
  readonly gap: Readonly<Record<string, never>>
}

/** Bounds of the stream of events. */
export const EVENTS = { watched: 100 } as const

/** The orders of the list. */
export const ORDERS = [
  'name',
  '-name',
  'last_change',
  '-last_change',
  'last_run',
  '-last_run',
  'failures',
  '-failures',
  'created',
  '-created',
  'keyword',
] as const

/** Limits of the API that the pages keep to. */
export const LIMITS = {
  rows: 100,
  bulk: 100,
  released: 100,
  replayed: 10000,
  countedDeliveries: 1000,
  search: 200,
  changedLabels: 10,
  reason: 500,
  searchSeconds: 600,
} as const

/** A key of a label, or a value that is not empty. */
export const LABEL_WORD = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

/** What the reasons mean for which a run fails. */
export const FAULTS = {
  target_not_allowed: 'The address is private, reserved or otherwise not allowed as a target.',
  dns_failed: 'The host name could not be resolved.',
  connect_failed: 'The connection could not be opened, or it was closed early.',
  tls_failed: 'The TLS certificate is not valid, or the TLS handshake failed.',
  timeout: 'The answer did not arrive completely within the time limit.',
  too_many_redirects: 'The target redirects more than five times, or in a circle.',
  bad_redirect: 'A redirect has no usable Location header.',
  blocked: 'The site refused the request: 401, 403, 429, or a challenge page.',
  http_status: 'The site answered with a status other than 2xx.',
  empty_body: 'The answer has no body.',
  bad_encoding: 'The content encoding of the answer is corrupt or not supported.',
  too_large: 'The answer exceeds the size limit, compressed or decompressed.',
  too_complex: 'The document is nested too deeply or has too many nodes or attributes.',
  unreadable_document: 'The file is encrypted, damaged or of an unknown kind, or has pages without text.',
  extract_timeout: 'A selector or pattern exceeded its time limit.',
  extract_memory: 'Extraction exceeded its memory limit.',
  wrong_type: 'The extraction method cannot read this content type, for example json_path on HTML.',
  bad_rule: 'A selector, expression or pattern could not be evaluated on this answer.',
  llm_quota: "The plan's model calls of this period are used up. The model was not asked.",
  model_busy: 'The model is overloaded (429, 503), or the queue in front of it is full.',
  model_timeout: 'The model did not answer in time.',
  model_failed: "The model's endpoint could not be reached, or it refused the request.",
  model_answer: "The model's answer is malformed, too long, or does not match the schema.",
  render_failed: 'The page crashed the browser, exceeded its memory limit, or could not be read.',
  proxy_failed: 'The site refused the direct request, and the proxy that was tried next did not work.',
  not_available: 'The monitor needs a feature that is not set up in this installation, such as a model.',
  internal: 'Internal error. The log has the details under the run id.',
} as const
type FaultCode = keyof typeof FAULTS

/** What a person can do about them. */
export const ADVICE = {
  target_not_allowed: 'Edit the monitor: what it asks for cannot be done.',
  dns_failed: 'Open the address yourself. If it works there, wait for the next check.',
  connect_failed: 'Open the address yourself. If it works there, wait for the next check.',
  tls_failed: 'Open the address yourself. If it works there, wait for the next check.',
  timeout: 'Open the address yourself. If it works there, wait for the next check.',
  too_many_redirects: 'Open the address yourself. If it works there, wait for the next check.',
  bad_redirect: 'Open the address yourself. If it works there, wait for the next check.',
  blocked: 'Have it checked less often, or set fetch_mode to browser. Some sites refuse programs.',
  http_status: 'Open the address yourself. If it works there, wait for the next check.',
  empty_body: 'Open the address yourself. If it works there, wait for the next check.',
  bad_encoding: 'Open the address yourself. If it works there, wait for the next check.',
  too_large: 'Watch an address with a smaller answer.',
  too_complex: 'Watch an address with a smaller answer.',
  unreadable_document: 'Open the address yourself. If it works there, wait for the next check.',
  extract_timeout: 'Watch less of the page, with a narrower selector.',
  extract_memory: 'Watch less of the page, with a narrower selector.',
  wrong_type: 'Open the address yourself. If it works there, wait for the next check.',
  bad_rule: 'Edit the monitor: what it asks for cannot be done.',
  llm_quota: 'Wait for the next period, or choose a larger plan.',
  model_busy: 'Wait for the next check. The model had too much to do.',
  model_timeout: 'Wait for the next check, or watch less of the page.',
  model_failed: 'Ask who runs this installation to look at its model.',
  model_answer: 'Ask for fewer fields in the prompt, or describe them more exactly.',
  render_failed: 'Watch less of the page, with a narrower selector.',
  proxy_failed: 'Open the address yourself. If it works there, wait for the next check.',
  not_available: 'Ask who runs this installation to set it up, or edit the monitor.',
  internal: 'Wait for the next check. If it fails again, report the run id to who runs this installation.',
} as const

/** Why a run was fetched by another layer than the direct request. */
export const REASONS = {
  configured: 'The monitor is set to use the browser, or takes pictures.',
  search_results: 'The address is a page of search results.',
  needs_scripts: 'The direct answer looked empty or full of scripts, or it led on by a meta refresh.',
  encoding: 'The direct answer was compressed with br, which only the browser reads.',
  refused: 'The site refused the layer before.',
  no_match: 'A rule had no match in the direct answer, and scripts of the page may write what it selects.',
} as const

/** The names of the services that a webhook may have. */
export const SERVICE_LABELS = {
  teams: 'Microsoft Teams',
  telegram: 'Telegram',
  matrix: 'Matrix',
  mattermost: 'Mattermost',
  rocket_chat: 'Rocket.Chat',
  google_chat: 'Google Chat',
  ntfy: 'ntfy',
  gotify: 'Gotify',
  pushover: 'Pushover',
  pagerduty: 'PagerDuty',
  apprise: 'Apprise API',
  cloudevents: 'CloudEvents',
  custom: 'Any other',
} as const

/** The names of the search engines. */
export const ENGINE_NAMES = {
  google: 'Google',
  bing: 'Bing',
  yahoo: 'Yahoo',
  duckduckgo: 'DuckDuckGo',
  yandex: 'Yandex',
} as const

/** Where monitors of a kind are, in addresses. */
export const COLLECTIONS = {
  page: 'monitors',
  serp: 'serp-monitors',
} as const
