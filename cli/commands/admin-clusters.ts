import { Command, InvalidArgumentError } from 'commander'
import { withStore } from '../../boot/parts/with-store.ts'
import { releaseCluster } from '../../monitors/declared/end-declared.ts'
import { kindCalled } from '../../monitors/kinds/kinds.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { declaringClusters } from '../../store/monitors/monitor-resource.ts'
import { MAX_RELEASED, releasedRecords } from '../../store/monitors/released-records.ts'
import { formOf, type OutputOptions, printItems, printResult } from '../output.ts'

export const listClustersCommand = (io: ProcessIo) =>
  new Command('list-clusters')
    .description(
      'Lists the Kubernetes clusters whose resources declare monitors, and file for those of serve --config. Such ' +
        'monitors cannot be edited here.',
    )
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin list-clusters\n')
    .action((options: OutputOptions) =>
      withStore(io, async (store) => {
        const clusters = await declaringClusters(store)
        await printItems(io, formOf(options), {
          items: clusters,
          columns: [
            { head: 'CLUSTER', cell: ({ cluster_id: id }) => id },
            { head: 'MONITORS', cell: ({ monitors }) => String(monitors) },
          ],
          name: ({ cluster_id: id }) => id,
          data: (cluster) => cluster,
          whole: { clusters },
          none: 'No cluster declares monitors.',
        })
      }),
    )

export const listReleasedCommand = (io: ProcessIo) =>
  new Command('list-released')
    .description(
      'Lists the monitors that a manifest declared and that belong to the API now: their resource was deleted while ' +
        `no operator ran, its cluster was released, or its file is gone. They go on. At most ${MAX_RELEASED}. ` +
        'tidemark delete removes them, with a key of their team.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ ./tidemark admin list-released\n' +
        '  $ ./tidemark admin list-released -o name | xargs -r ./tidemark delete\n',
    )
    .action((options: OutputOptions) =>
      withStore(io, async (store) => {
        const monitors = await releasedRecords(store)
        await printItems(io, formOf(options), {
          items: monitors,
          columns: [
            { head: 'MONITOR', cell: ({ monitor_id: id }) => id },
            { head: 'OWNER', cell: ({ email }) => email },
            {
              head: 'DECLARED BY',
              cell: ({ kind, namespace, name }) => `${kindCalled(kind).resource.kind} ${namespace}/${name}`,
            },
            { head: 'CLUSTER', cell: ({ cluster_id: id }) => id },
            { head: 'DELETED BY', cell: ({ monitor_id: id }) => `tidemark delete ${id}` },
          ],
          name: ({ monitor_id: id }) => id,
          data: (monitor) => monitor,
          whole: { monitors },
          none: 'No monitor has lost its manifest.',
        })
      }),
    )

export const releaseClusterCommand = (io: ProcessIo) =>
  new Command('release-cluster')
    .description(
      'Gives all monitors that a cluster declares back to the API, because the cluster is gone. They go on. An ' +
        'operator that still runs for that cluster takes them over again.',
    )
    .requiredOption('--cluster <id>', 'the cluster; list-clusters shows it')
    .addHelpText(
      'after',
      '\nExample:\n  $ ./tidemark admin release-cluster --cluster 6b1c4f0e-9d0c-4c5e-8a5b-0d4a3b2c1f00\n',
    )
    .action(({ cluster, ...options }: OutputOptions & { readonly cluster: string }) =>
      withStore(io, async (store) => {
        const released = await releaseCluster({ store }, cluster)
        if (released === 0)
          throw new InvalidArgumentError(`no monitor is declared by a cluster ${cluster}; list-clusters shows those`)
        await printResult(io, options, { data: { cluster, released }, names: [cluster] })
      }),
    )
