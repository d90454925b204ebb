import type { TSchema } from 'typebox'
import type { ChangeContent, Example } from '../../core/example-change.ts'
import type { Invalid } from '../../core/outcome.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { ResourceKind } from '../../schema/resource-kind.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { splitLater } from '../../schema/validation/later-keys.ts'
import { checkerOf, type Validated } from '../../schema/validation/validate.ts'
import { withDefaults } from '../../schema/validation/with-defaults.ts'
import type { SpecChange } from '../declared/spec-change.ts'

/** How a configuration is judged. */
export interface Judging {
  readonly egress: EgressPolicy
  /** Also find what only a new configuration is refused for. Default: it may be stored already. */
  readonly isNew?: boolean
  /** Secrets may be masked, because the configuration is shown and not stored. */
  readonly mayBeMasked?: boolean
}

/** What the configurations of one kind of monitor are. It needs no store, so a command line has it too. */
export interface SpecKind<Spec extends EverySpec = EverySpec> {
  readonly resource: ResourceKind
  /** The API's definition of the configuration. */
  readonly definition: object
  /** The body of an edit: the keys that it may change. */
  readonly patch: TSchema
  /** Checks a configuration in the API's spelling, and fills in the defaults. */
  check(body: unknown, judging: Judging): { readonly kind: 'valid'; readonly spec: Spec } | Invalid
  /** Returns the keys that a patch changes beside its own. */
  implied(patch: Partial<Spec>): Partial<Spec>
  /** Returns the keys of a stored configuration that a manifest cannot say, so that they stay as they are. */
  undeclared(before: Spec): Partial<Spec>
  change(before: Spec, after: Spec): SpecChange
  /** Returns what only this kind is warned of, as far as the configuration alone tells it. */
  remarks(spec: Spec): readonly Issue[]
  /** Returns a change that did not happen, as a check of this configuration could find it. */
  example(about: Example, spec: Spec): ChangeContent
}

/**
 * Returns a configuration with the keys of a patch, or what is wrong with it. Missing keys get their defaults. Keys of
 * a later version that the patch does not replace are kept as they are.
 */
export function mergedSpec<Spec extends EverySpec>(
  { definition, implied }: Pick<SpecKind<Spec>, 'definition' | 'implied'>,
  before: Spec,
  patch: Partial<Spec>,
): Validated<Spec> {
  const whole = withDefaults(definition, { ...before, ...implied(patch), ...patch })
  const { known } = splitLater(definition, before)
  const judged = withDefaults(definition, { ...(known as Spec), ...implied(patch), ...patch })
  const checked = checkerOf(definition).validate(judged) as Validated<Spec>
  return checked.ok ? { ok: true, value: whole as Spec } : checked
}
