/** A CEL rule of a node. `fieldPath` leads from the node to the key that the fault is reported at. */
export interface ValidationRule {
  readonly rule: string
  readonly message: string
  readonly messageExpression?: string
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  readonly fieldPath?: string
}

/** The part of a schema that is allowed inside `allOf`: it validates values and declares nothing. */
export interface ValueValidation {
  readonly not?: ValueValidation
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, ValueValidation>>
  readonly enum?: readonly unknown[]
}

/** A node of a structural schema (apiextensions.k8s.io/v1), with the properties that Tidemark writes. */
export interface StructuralSchema {
  readonly description?: string
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly format?: string
  readonly nullable?: true
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly additionalProperties?: StructuralSchema
  readonly items?: StructuralSchema
  readonly allOf?: readonly ValueValidation[]
  readonly 'x-kubernetes-preserve-unknown-fields'?: true
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic'
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}
