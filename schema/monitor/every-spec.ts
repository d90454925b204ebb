import type { MonitorSpec } from './monitor.ts'

/** What the configurations of every kind of monitor have, and what some of them have. */
export interface EverySpec
  extends
    Pick<MonitorSpec, 'name' | 'schedule_interval_seconds' | 'notify_on' | 'deliveries' | 'external_key' | 'labels'>,
    Partial<Pick<MonitorSpec, 'request_headers' | 'isolation' | 'quiet_hours' | 'message' | 'digest'>> {}
