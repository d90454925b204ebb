import { expect, test } from 'vitest'
import { apiKeyPrefix, isApiKeyText, newApiKeyText } from '../../../../store/accounts/credentials/api-key-text.ts'

test('a key is svc_ with 36 characters of base62, and each is another one', () => {
  const keys = Array.from({ length: 500 }, newApiKeyText)
  for (const key of keys) expect(key).toMatch(/^svc_[0-9A-Za-z]{36}$/)
  expect(new Set(keys).size).toBe(500)
  expect(keys.every(isApiKeyText)).toBe(true)
})

test('a typing error anywhere is seen without the store', () => {
  const key = newApiKeyText()
  for (let at = 0; at < key.length; at += 1) {
    const wrong = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1)
    expect(isApiKeyText(wrong), wrong).toBe(false)
  }
})

test.each([
  '',
  'svc_',
  'svc_short',
  `svc_${'é'.repeat(36)}`,
  ` ${newApiKeyText()}`,
  `${newApiKeyText()}x`,
  newApiKeyText().toUpperCase(),
])('%j is no key', (text) => {
  expect(isApiKeyText(text)).toBe(false)
})

test('the first 8 characters are shown', () => {
  expect(apiKeyPrefix('svc_abcdefghijkl')).toBe('svc_abcd')
})
