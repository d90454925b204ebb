import { Command } from 'commander'
import { randomBytes } from 'node:crypto'
import { withStore } from '../../boot/parts/with-store.ts'
import { changeSecret, ensureSecret } from '../../operator/cluster/ensured-secret.ts'
import { createKubeClient, type KubeClient } from '../../operator/cluster/kube-client.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { OWNER_PLAN } from '../../schema/account/plan.ts'
import { createKeyFor, createOwner, ownedTeam } from '../../store/accounts/accounts.ts'
import { type OutputOptions, printResult } from '../output.ts'
import { emailAddress, noAccount } from './admin-accounts.ts'

interface ClusterOptions extends OutputOptions {
  readonly kubeconfig?: string
}

/**
 * Returns the commands of `tidemark cluster-secret`. They make once what a release in a cluster needs, and keep it in a
 * Secret, so that an installation has no step by hand. Each may be run again, and when it was killed.
 */
export const clusterSecretCommands = (io: ProcessIo): Command[] => [keysCommand(io), ownerCommand(io)]

const secretCommand = (name: string, description: string, example: string) =>
  new Command(name)
    .description(description)
    .argument('<secret>', 'name of the Secret, in the namespace of the context or of the pod')
    .option('--kubeconfig <file>', 'the cluster and the credentials (default: $KUBECONFIG, ~/.kube/config, or the pod)')
    .addHelpText('after', `\nExample:\n  $ ./tidemark cluster-secret ${name} ${example}\n`)

function keysCommand(io: ProcessIo): Command {
  return secretCommand(
    'keys',
    'Makes a Secret with an encryption key and a password for the database, unless it is there.',
    'tidemark-keys',
  ).action((secret: string, options: ClusterOptions) =>
    withCluster(options.kubeconfig, async (client) => {
      const { isNew } = await ensureSecret(client, secret, {
        'encryption-key': randomBytes(32).toString('base64'),
        'postgres-password': randomBytes(24).toString('base64url'),
      })
      const text = isNew ? `Made the Secret ${secret}. Make a backup of it.` : unchanged(secret)
      await report(io, options, { secret, isWritten: isNew, text })
    }),
  )
}

function ownerCommand(io: ProcessIo): Command {
  return secretCommand(
    'owner',
    'Creates an account, and makes a Secret with its password, an API key and the id of its team, unless it is there.',
    'tidemark-owner --email me@example.com',
  )
    .requiredOption('--email <address>', 'the e-mail address to sign in with', emailAddress)
    .action((secret: string, options: ClusterOptions & { readonly email: string }) =>
      withCluster(options.kubeconfig, async (client) => {
        const done = await makeOwner(io, client, secret, options.email)
        await report(io, options, { secret, isWritten: done !== null, text: done ?? unchanged(secret) })
      }),
    )
}

interface Report {
  readonly secret: string
  readonly isWritten: boolean
  readonly text: string
}

/** A Secret is named as `kubectl get` takes it. Its content is in the cluster only. */
const report = (io: ProcessIo, options: OutputOptions, { secret, isWritten, text }: Report): Promise<void> =>
  printResult(io, options, { data: { secret, written: isWritten }, names: [`secret/${secret}`], text: `${text}\n` })

/**
 * The Secret with the password is made first: a process that is killed after it had created the account goes on with
 * the same password. Returns what was done, or null where the Secret existed.
 */
async function makeOwner(io: ProcessIo, client: KubeClient, secret: string, email: string): Promise<string | null> {
  const wanted = { email, password: randomBytes(15).toString('base64url') }
  const { content, isNew } = await ensureSecret(client, secret, wanted)
  if (content['api-key'] !== undefined) return null
  const { password } = content
  let done = ''
  await withStore(io, async (store, { sessionKey }) => {
    const made = await createOwner(store, {
      email,
      plan: OWNER_PLAN,
      serp: true,
      sessionKey: await sessionKey(),
      ...(password !== undefined && { password }),
    })
    if (made.ok) {
      await changeSecret(client, secret, { 'api-key': made.owner.api_key, 'team-id': made.owner.team_id })
      done = `Created the account ${email}, and wrote the Secret ${secret}.`
      return
    }
    const team = await ownedTeam(store, email)
    const issued = team && (await createKeyFor(store, email, 'Key of the cluster', ['read', 'write']))
    if (!issued) throw noAccount(email)
    // An account that existed before the Secret has another password.
    await changeSecret(client, secret, { 'api-key': issued.key, 'team-id': team, ...(isNew && { password: null }) })
    done = `The account ${email} was there. Wrote a new API key into the Secret ${secret}.`
  })
  return done
}

const unchanged = (secret: string): string => `The Secret ${secret} is there and stays as it is.`

async function withCluster(kubeconfig: string | undefined, work: (client: KubeClient) => Promise<void>): Promise<void> {
  const client = createKubeClient(kubeconfig)
  try {
    await work(client)
  } finally {
    client.close()
  }
}
