import { expect, test } from 'vitest'
import { readImport } from '../../manifests/import/read-import.ts'

const OWN = 'Mine: its own words, of up and down: no equivalent'

test.each([
  [{ type: 'telegram', telegramUseTemplate: true, telegramTemplate: '{{ msg }}' }, true],
  [{ type: 'telegram', telegramUseTemplate: false, telegramTemplate: '{{ msg }}' }, false],
  [{ type: 'webhook', webhookContentType: 'custom', webhookCustomBody: '{"a": "{{ msg }}"}' }, true],
  [{ type: 'webhook', webhookContentType: 'json', webhookCustomBody: '{"a": "{{ msg }}"}' }, false],
  [{ type: 'smtp', smtpTo: 'a@example.com', customSubject: '{{ name }} is {{ status }}' }, true],
  [{ type: 'discord', discordPrefixMessage: '@here' }, true],
  [{ type: 'discord' }, false],
])('a notification with %j has a line about its words: %j', (config, isReported) => {
  const notification = { id: 1, name: 'Mine', config: JSON.stringify(config) }
  const read = readImport('uptime-kuma', JSON.stringify({ monitorList: [], notificationList: [notification] }), {
    intervalSeconds: 3600,
  })
  const { report } = typeof read === 'string' ? { report: [read] } : read
  expect(report.filter((line) => line === OWN)).toHaveLength(isReported ? 1 : 0)
})
