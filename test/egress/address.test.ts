import { describe, expect, test } from 'vitest'
import { classify } from '../../egress/address.ts'
import { DENIED_ADDRESSES, PUBLIC_ADDRESSES } from '../support/network/addresses.ts'

describe('classify', () => {
  test.each(DENIED_ADDRESSES)('refuses %s with a reason', (address) => {
    expect(classify(address)).toEqual({ denied: expect.stringMatching(/\w/) })
  })

  test.each(PUBLIC_ADDRESSES)('takes %s for public', (address) => {
    expect(classify(address)).toBe('public')
  })

  test.each([
    '',
    'example.com',
    '127.1',
    '0x7f.1',
    '2130706433',
    '1.2.3.4 ',
    '[2606:4700::1]',
    'fe80::1%eth0',
    '2606:4700::1%1',
    '1.2.3.4/8',
  ])('refuses %j, which is not an address', (text) => {
    expect(classify(text)).toEqual({ denied: 'not an address' })
  })
})
