import { kill, pid } from 'node:process'
import { announce } from '../../boot/process/announce.ts'
import { createHealth } from '../../boot/process/health.ts'
import { runProcess } from '../../boot/process/run-process.ts'
import { serveHealth } from '../../boot/process/serve-health.ts'
import { type OperatorFlags, startOperatorParts } from '../../boot/roles/start-operator-parts.ts'
import { NotMigratedError } from '../../boot/settings/database-errors.ts'
import { createKubeClient } from '../../operator/cluster/kube-client.ts'
import { stripFinalizers } from '../../operator/strip-finalizers.ts'
import type { HealthServer } from '../../platform/health-server.ts'
import { print } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { isMigrated } from '../../store/db/migrate.ts'

/** Keeps monitors in line with the resources of a cluster, until a signal comes or another operator leads. */
export const operator = (io: ProcessIo, flags: OperatorFlags): Promise<void> =>
  flags.stripFinalizers === true ? strip(io, flags) : run(io, flags)

/** Removes the finalizers of all resources, before an uninstall. It needs no database. */
async function strip(io: ProcessIo, { kubeconfig }: OperatorFlags): Promise<void> {
  const client = createKubeClient(kubeconfig)
  try {
    const count = await stripFinalizers(client)
    print(io, `${count} resources of ${client.server} lost their finalizer. Their monitors go on.\n`)
  } finally {
    client.close()
  }
}

const run = (io: ProcessIo, flags: OperatorFlags): Promise<void> =>
  runProcess({
    command: 'operator',
    isPart: true,
    ports: ['TIDEMARK_METRICS_PORT'],
    run: async (context) => {
      if (!(await isMigrated(context.databaseUrl))) throw new NotMigratedError()
      let server: HealthServer | undefined
      context.stack.defer('metrics', () => server?.close())
      const { operator, store, server: cluster } = await startOperatorParts(context, flags)
      // An operator that waits while another one leads is ready: its work is to wait.
      const health = createHealth({ ...context, store, sinceProgress: () => 0, isLed: () => operator.isLed })
      server = await serveHealth(health, context)
      // What this process knows is out of date from now on, or never was complete: another start reads it anew.
      const startAnew = () => {
        io.exitCode = 1
        kill(pid, 'SIGTERM')
      }
      void operator.lost.then(startAnew)
      operator.leading.catch((err: unknown) => {
        if (context.stopping.aborted) return
        context.log.error({ err }, 'the operator could not begin as the leader')
        startAnew()
      })
      announce(context.log, `Tidemark is watching the resources of ${cluster}.`)
      context.ready(`Watching the resources of ${cluster}`)
    },
  })
