import type { CreatedOwner } from '../store/accounts.ts'

/** What a start tells a person; the owner's secrets are shown this once. */
export function banner({
  address,
  owner,
  isEmbedded,
  dataDir,
}: {
  address: string
  owner: CreatedOwner | null
  isEmbedded: boolean
  dataDir: string
}): string {
  const lines = ['', `Tidemark is running at ${address}`, `  API description   ${address}/api/openapi.json`]
  if (isEmbedded) lines.push(`  Data              ${dataDir} (embedded Postgres)`)
  if (owner)
    lines.push(
      '',
      'The first owner was created. This is shown once:',
      `  E-mail            ${owner.email}`,
      `  Password          ${owner.password}`,
      `  API key           ${owner.api_key}`,
    )
  return `${lines.join('\n')}\n\n`
}
