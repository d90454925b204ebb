import type { TSchema } from 'typebox'
import { ApiKey, ApiKeyCreate, ApiKeyIssued, ApiKeyRotate } from '../../schema/account/api-key.ts'
import { AuditEvent } from '../../schema/account/audit.ts'
import { Billing, CreditCheckout, PaymentPage, PlanCheckout } from '../../schema/account/billing.ts'
import { Invitation, InvitationPreview, InvitationSent } from '../../schema/account/invitation.ts'
import { TeamSettings, TeamSettingsPatch } from '../../schema/account/team-settings.ts'
import { Member, Team, TeamListItem } from '../../schema/account/team.ts'
import { Usage } from '../../schema/account/usage.ts'
import { ErrorEnvelope } from '../../schema/error.ts'
import { Backtest, BacktestRequest, BacktestRun } from '../../schema/monitor/backtest.ts'
import { BulkResult, MonitorBulk, MonitorBulkDone } from '../../schema/monitor/bulk.ts'
import { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { MonitorManifest } from '../../schema/monitor/manifest.ts'
import { Monitor, MonitorCreate, MonitorPatch, MonitorPreview } from '../../schema/monitor/monitor.ts'
import { Mute, MuteRequest } from '../../schema/monitor/mute.ts'
import { PredicateTrial, PredicateTrialRequest } from '../../schema/monitor/predicate-trial.ts'
import { Preview } from '../../schema/monitor/preview.ts'
import { RequestConfig } from '../../schema/monitor/request-config.ts'
import { RequestHeaders } from '../../schema/monitor/request-headers.ts'
import { FromTemplate, Template } from '../../schema/monitor/template.ts'
import { Treatment } from '../../schema/monitor/treatment.ts'
import { VisualConfig } from '../../schema/monitor/visual-config.ts'
import { WriteMonitor, WrittenMonitor } from '../../schema/monitor/written-monitor.ts'
import { Pagination } from '../../schema/page-of.ts'
import { DeliveryRelease, DeliveryReleased } from '../../schema/run/delivery-release.ts'
import { DeliveryRequest, DeliveryTest, DeliveryTestRequest } from '../../schema/run/delivery-test.ts'
import { Delivery, DeliveryPayload } from '../../schema/run/delivery.ts'
import { NoticePayload } from '../../schema/run/notice.ts'
import { RunDiff } from '../../schema/run/run-diff.ts'
import { Diff, Run, RunQueued } from '../../schema/run/run.ts'
import { SerpBacktest, SerpBacktestRequest, SerpBacktestRun } from '../../schema/serp/serp-backtest.ts'
import { SerpPreview } from '../../schema/serp/serp-check.ts'
import { SerpMonitor, SerpMonitorCreate, SerpMonitorPatch, SerpMonitorPreview } from '../../schema/serp/serp-monitor.ts'
import { SerpResult } from '../../schema/serp/serp-result.ts'
import { StatusPage, StatusPageCreate, StatusPagePatch } from '../../schema/status/status-page.ts'

/** The resources that the document names. A route's schema that contains one of them refers to it in the document. */
export const COMPONENTS: Readonly<Record<string, TSchema>> = {
  Monitor,
  MonitorCreate,
  MonitorPatch,
  MonitorPreview,
  SerpMonitor,
  SerpMonitorCreate,
  SerpMonitorPatch,
  SerpMonitorPreview,
  SerpPreview,
  SerpResult,
  StatusPage,
  StatusPageCreate,
  StatusPagePatch,
  RunDiff,
  Preview,
  Template,
  FromTemplate,
  ExtractConfig,
  Treatment,
  DiffPredicate,
  DeliveryConfig,
  RequestHeaders,
  RequestConfig,
  VisualConfig,
  Run,
  RunQueued,
  Diff,
  Delivery,
  DeliveryPayload,
  DeliveryTestRequest,
  DeliveryRelease,
  DeliveryReleased,
  DeliveryRequest,
  DeliveryTest,
  NoticePayload,
  ApiKey,
  ApiKeyCreate,
  ApiKeyRotate,
  ApiKeyIssued,
  MonitorManifest,
  WriteMonitor,
  WrittenMonitor,
  BacktestRequest,
  Backtest,
  BacktestRun,
  SerpBacktestRequest,
  SerpBacktest,
  SerpBacktestRun,
  PredicateTrialRequest,
  PredicateTrial,
  MonitorBulk,
  MonitorBulkDone,
  BulkResult,
  MuteRequest,
  Mute,
  TeamSettings,
  TeamSettingsPatch,
  Team,
  TeamListItem,
  Member,
  Invitation,
  InvitationSent,
  InvitationPreview,
  AuditEvent,
  Usage,
  Billing,
  PlanCheckout,
  CreditCheckout,
  PaymentPage,
  Pagination,
  ErrorEnvelope,
}

/** An example of each resource that a person writes, shown with it. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  MonitorCreate: {
    name: 'Price of the blue kettle',
    url: 'https://shop.example.com/kettles/blue',
    schedule_interval_seconds: 3600,
    extract_config: { method: 'css', fields: { price: '.price', stock: '#stock' } },
    diff_predicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
    deliveries: [{ type: 'webhook', url: 'https://hooks.example.com/tidemark' }],
  },
  SerpMonitorCreate: {
    name: 'Our rank for kettles',
    keyword: 'electric kettle',
    schedule_interval_seconds: 86_400,
    target_domain: 'shop.example.com',
    rank_change_threshold: 3,
    deliveries: [{ type: 'webhook', url: 'https://hooks.example.com/tidemark' }],
  },
  SerpMonitorPatch: { pages: 2 },
  SerpMonitorPreview: { keyword: 'electric kettle', engine: 'duckduckgo', target_domain: 'shop.example.com' },
  FromTemplate: { url: 'https://status.example.com/api/v2/summary.json' },
  MonitorPatch: { schedule_interval_seconds: 600 },
  BacktestRequest: { diff_predicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 10 } },
  WriteMonitor: {
    kind: 'SerpMonitor',
    as: 'curl',
    spec: { name: 'Our rank for kettles', keyword: 'electric kettle', schedule_interval_seconds: 86_400 },
  },
  PredicateTrialRequest: {
    diff_predicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 10 },
    before: { price: '$100' },
    after: { price: '$80' },
  },
  MonitorBulk: { action: 'pause', ids: ['5b0f7f0e-7b7c-4c1e-9a53-0a6d6b1b8a11'] },
  MuteRequest: { until: '2036-12-01T08:00:00Z', reason: 'A new version is rolled out' },
  TeamSettingsPatch: { error_notifications: false },
  ApiKeyCreate: { name: 'Deploy script', scopes: ['read', 'write'], expires_at: null },
  ApiKeyRotate: { grace_period_hours: 24 },
  ErrorEnvelope: {
    error: {
      code: 'VALIDATION_ERROR',
      message: 'The body is not valid: url must be an absolute http or https address.',
      details: [{ path: 'url', message: 'must be an absolute http or https address' }],
      requestId: '5b0f7f0e-7b7c-4c1e-9a53-0a6d6b1b8a11',
    },
  },
}
