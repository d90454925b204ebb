import { Command, InvalidArgumentError } from 'commander'
import { releaseCluster } from '../../monitors/apply-resource.ts'
import { declaringClusters } from '../../store/monitors/monitor-resource.ts'
import { print, withStore } from '../boot/parts/with-store.ts'

interface JsonOption {
  readonly json: boolean
}

export const listClustersCommand = () =>
  new Command('list-clusters')
    .description(
      'Lists the Kubernetes clusters whose resources declare monitors, and file for those of serve --config. Such ' +
        'monitors cannot be edited here.',
    )
    .option('--json', 'print JSON for scripts', false)
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin list-clusters\n')
    .action(({ json }: JsonOption) =>
      withStore(async (store) => {
        const clusters = await declaringClusters(store)
        if (json) return print(true, { clusters })
        const lines = clusters.map(({ cluster_id: id, monitors }) => `${id}  ${monitors} monitors\n`)
        process.stdout.write(lines.length === 0 ? 'No cluster declares monitors.\n' : lines.join(''))
      }),
    )

export const releaseClusterCommand = () =>
  new Command('release-cluster')
    .description(
      'Gives all monitors that a cluster declares back to the API, because the cluster is gone. They go on. An ' +
        'operator that still runs for that cluster takes them over again.',
    )
    .requiredOption('--cluster <id>', 'the cluster; list-clusters shows it')
    .option('--json', 'print JSON for scripts', false)
    .addHelpText(
      'after',
      '\nExample:\n  $ ./tidemark admin release-cluster --cluster 6b1c4f0e-9d0c-4c5e-8a5b-0d4a3b2c1f00\n',
    )
    .action(({ cluster, json }: JsonOption & { readonly cluster: string }) =>
      withStore(async (store) => {
        const released = await releaseCluster({ store }, cluster)
        if (released === 0)
          throw new InvalidArgumentError(`no monitor is declared by a cluster ${cluster}; list-clusters shows those`)
        print(json, { cluster, released })
      }),
    )
