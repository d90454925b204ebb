import { Choice, Closed } from '../shape/shape.ts'
import { ofFamily } from './value-families.ts'
import { existing, flag, image, nameOf, networks, number, requests, size, text, value } from './value-shapes.ts'

export const database = Closed(
  {
    existingSecret: existing(
      'uri',
      'Secret with the address of an external Postgres, postgres://user:password@host:5432/name.',
    ),
    port: number(5432, [1, 65_535], 'Its port, which the network policies open.'),
    cidrs: networks('Networks that the database is in. Empty: any address, on that port.'),
  },
  { description: 'The database. Either this or postgres.enabled is needed.' },
)

export const postgres = Closed(
  {
    enabled: flag(false, 'Run a Postgres of one pod. For trying it out: it has no replica and no backup.'),
    image: image('postgres', 'Image of Postgres 15 or newer.', '18'),
    volume: Closed(
      {
        existingClaim: nameOf('Claim that exists. Unset: one is made, and kept at an uninstall.'),
        size: size('Size of the claim that is made.'),
        storageClassName: nameOf('Its storage class. Unset: the default of the cluster.'),
        emptyDir: flag(false, 'Keep the data in the pod only. It is lost with the pod.'),
      },
      { description: 'Where the data are.' },
    ),
    runAsUser: number(10_999, [1, 65_535], 'User and group of the container, which own the data.'),
    ...requests('100m', '512Mi'),
  },
  { description: 'A Postgres of the chart.' },
)

export const pictures = Closed(
  {
    bucket: Closed(
      {
        name: text('', 'Name of the bucket.', 255),
        endpoint: ofFamily('http_address', text('', 'S3-compatible service. Unset: AWS.')),
        region: text('us-east-1', 'Region of the bucket.', 64),
        existingSecret: Closed(
          {
            name: nameOf('Secret with the access key.'),
            idKey: ofFamily('data_key', text('access-key-id', 'Its key with the id.', 253)),
            secretKey: ofFamily('data_key', text('secret-access-key', 'Its key with the secret.', 253)),
          },
          { description: 'Access key of the bucket.' },
        ),
        port: number(443, [1, 65_535], 'Port of the service, which the network policies open.'),
        cidrs: networks('Private networks that the service is in. Empty: it has public addresses.'),
      },
      { description: 'A bucket, which all pods share.' },
    ),
    volume: Closed(
      {
        existingClaim: nameOf('Claim that all pods can mount (ReadWriteMany, or one node).'),
        create: flag(false, 'Make a claim, which is kept at an uninstall.'),
        size: size('Size of the claim that is made.'),
        storageClassName: nameOf('Its storage class. Unset: the default of the cluster.'),
        accessMode: value(
          Choice(['ReadWriteMany', 'ReadWriteOnce'], { description: 'ReadWriteOnce: all pods run on one node.' }),
          'ReadWriteMany',
        ),
      },
      { description: 'A volume, where there is no bucket.' },
    ),
  },
  { description: 'Where pictures of pages are kept. A bucket or a volume is needed.' },
)
