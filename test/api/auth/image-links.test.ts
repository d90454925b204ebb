import { expect, test } from 'vitest'
import { createImageLinks } from '../../../api/auth/image-links.ts'

const TEAM = '11111111-1111-4111-8111-111111111111'
const IMAGE = '22222222-2222-4222-8222-222222222222'
const NOW = Date.UTC(2026, 4, 1)
const linksOf = (encryptionKey: string) => createImageLinks(encryptionKey, 'https://tidemark.example')
const tokenOf = (link: string) => link.slice(link.lastIndexOf('/') + 1)

test('an address that was signed with an older key is good for as long as that key is listed', () => {
  const [older, both, newer] = ['older key', 'newer key,older key', 'newer key'].map(linksOf)
  const byOlder = tokenOf(older?.sign(TEAM, IMAGE, NOW) ?? '')
  expect(both?.read(byOlder)).toEqual({ teamId: TEAM, imageId: IMAGE, untilMs: NOW + 300_000 })
  expect(newer?.read(byOlder)).toBeNull()
  expect(newer?.read(tokenOf(both?.sign(TEAM, IMAGE, NOW) ?? ''))).not.toBeNull()
})
