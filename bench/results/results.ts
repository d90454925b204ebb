import type { ApiRead } from '../api/api-reads.ts'
import type { NeighbourWaits } from '../api/neighbour.ts'
import type { BrowserChecks } from '../browser/browser-checks.ts'
import type { VisualDiff } from '../browser/visual-diff.ts'
import type { BesideUrlwatch } from '../checks/beside-urlwatch.ts'
import type { ClaimCost } from '../checks/claim-cost.ts'
import type { Lateness } from '../checks/lateness.ts'
import type { RetentionCost } from '../checks/retention.ts'
import type { SoakFigures } from '../checks/soak.ts'
import type { Throughput } from '../checks/throughput.ts'
import type { OperatorCost } from '../cluster/operator.ts'
import type { PodsOverTime } from '../cluster/pods.ts'
import type { DashboardFigures } from '../dashboard/dashboard.ts'
import type { LooksFigures } from '../dashboard/looks.ts'
import type { ScreensFigures } from '../dashboard/screens.ts'
import type { DeliveryLateness } from '../deliveries/deliveries.ts'
import type { DocumentTimes } from '../documents/documents.ts'
import type { CommandCost } from '../installation/command-cost.ts'
import type { ImageSizes } from '../installation/image-sizes.ts'
import type { SetUpSize } from '../installation/set-up-size.ts'
import type { StartUp } from '../installation/start-up.ts'

/** The results of one run of the bench: `results.json`. An empty list or null means that the part was not measured. */
export interface Results {
  readonly date: string
  readonly quick: boolean
  readonly machine: { readonly cores: number; readonly node: string; readonly postgres: string }
  readonly throughput: readonly Throughput[]
  /** Bytes on disk for one unchanged run, its index included. */
  readonly bytesPerUnchangedRun: number | null
  readonly claims: readonly ClaimCost[]
  readonly lateness: Lateness | null
  readonly reads: readonly ApiRead[]
  readonly deliveries: DeliveryLateness | null
  readonly startUp: StartUp | null
  /** In a clone. */
  readonly commands: CommandCost | null
  /** Of the package of npm. */
  readonly packaged: CommandCost | null
  readonly setUp: SetUpSize
  readonly browser: BrowserChecks | null
  readonly visual: VisualDiff | null
  /** It is measured only by name, so it has a date of its own. Absent in older results. */
  readonly documents?: DocumentTimes | null
  /** Likewise. */
  readonly operator: OperatorCost | null
  /** Likewise. Absent in older results. */
  readonly retention?: RetentionCost | null
  /** Likewise. */
  readonly soak?: SoakFigures | null
  /** Likewise. */
  readonly urlwatch?: BesideUrlwatch | null
  /** Likewise. */
  readonly neighbour?: NeighbourWaits | null
  /** Likewise. */
  readonly dashboard?: DashboardFigures | null
  /** Likewise. */
  readonly screens?: ScreensFigures | null
  /** Likewise. */
  readonly looks?: LooksFigures | null
  /** Likewise. */
  readonly images?: ImageSizes | null
  /** Likewise. */
  readonly pods?: PodsOverTime | null
}
