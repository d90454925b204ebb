import { oneLine } from './one-line.ts'
import { typescriptLiteral } from './typescript-literal.ts'

/** A monitor to write, with its secrets replaced by what refers to them. */
interface WrittenParts {
  /** The class and the kind of resource. */
  readonly kind: string
  /** The name of the resource: an RFC 1123 label. */
  readonly name: string
  readonly spec: Readonly<Record<string, unknown>>
  readonly secrets: readonly { readonly key: string; readonly what: string }[]
  /** Returns the key of the secret that a text stands for; null: it is a text. */
  keyOf(text: string): string | null
}

/** Returns a program of Pulumi that makes a monitor through the REST API. `spec` has the spelling of programs. */
export function pulumiProgram({ kind, name, spec: args, secrets, keyOf }: WrittenParts): string {
  const hasSecrets = secrets.length > 0
  const expression = (text: string) => {
    const key = keyOf(text)
    return key === null ? null : `config.requireSecret('${key}')`
  }
  const lines = [
    ...(hasSecrets ? ["import * as pulumi from '@pulumi/pulumi'"] : []),
    "import * as tidemark from '@tidemark/pulumi/rest'",
    '',
    ...(hasSecrets ? [...secretLines(secrets), 'const config = new pulumi.Config()', ''] : []),
    `export const id = new tidemark.${kind}('${name}', ${typescriptLiteral(args, expression)}).id`,
  ]
  return `${lines.join('\n')}\n`
}

const secretLines = (secrets: WrittenParts['secrets']): string[] => [
  '// Values that may be secret are not shown. The stack has to hold them:',
  ...secrets.map(({ key, what }) => `//   pulumi config set --secret ${key}  (${oneLine(what)})`),
]
