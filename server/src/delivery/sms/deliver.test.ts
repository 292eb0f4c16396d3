import { describe, expect, test } from 'vitest'
import { readConfig } from '../../platform/config/config.js'
import { checkMayBeSent, smsRouteOf } from './deliver.js'

const provider = { SMS_URL: 'https://AC1:token@sms.example?from=Acme', SMS_COUNTRIES: 'FR,GB' }
const reachable = {
  BASE_URL: 'https://auth.example',
  DATABASE_URL: 'postgres://db.example/portico',
  MASTER_KEYS: 'v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  SMTP_URL: 'smtp://mail.example',
}
const send = { SANDBOX_MAIL: 'send' }

describe('a text message', () => {
  test.each([
    ['production', { ...reachable, ...provider }, 'provider'],
    ['production', provider, 'provider'],
    ['production', {}, 'outbox'],
    ['production', reachable, 'none'],
    ['sandbox', { ...reachable, ...provider }, 'outbox'],
    ['sandbox', { ...reachable, ...provider, ...send }, 'provider'],
    ['sandbox', { ...reachable, ...send }, 'outbox'],
    ['sandbox', reachable, 'outbox'],
    ['sandbox', {}, 'outbox'],
  ] as const)('of %s with %o goes to: %3$s', (environment, variables, route) => {
    expect(smsRouteOf(readConfig(variables), environment)).toBe(route)
  })

  test.each([
    ['+33612345678', true],
    ['+447400123456', true],
    // Its calling code is shared with the United States.
    ['+18765551234', false],
    ['+12125552368', false],
    // A satellite telephone.
    ['+881612345678', false],
    // Premium rate, shared cost, universal access.
    ['+33899123456', false],
    ['+33810123456', false],
    ['+33806123456', false],
    // A pager, a personal number that is forwarded, universal access.
    ['+447640123456', false],
    ['+447012345678', false],
    ['+445511234567', false],
    ['+33123456789', true],
  ])('to %s goes out where the list is France and Great Britain: %s', (phoneNumber, isAllowed) => {
    for (const [environment, variables] of [
      ['production', provider],
      ['sandbox', provider],
    ] as const) {
      const check = () => checkMayBeSent({ config: readConfig(variables) }, environment, phoneNumber)
      if (isAllowed) expect(check).not.toThrow()
      else expect(check).toThrow(expect.objectContaining({ code: 'phone_number_not_allowed' }))
    }
  })

  test('that is only kept may have any number where there is no list', () => {
    for (const phoneNumber of ['+18765551234', '+881612345678'])
      expect(() => checkMayBeSent({ config: readConfig({}) }, 'sandbox', phoneNumber)).not.toThrow()
  })

  test('that could not be sent is refused, whatever its number', () => {
    const check = () => checkMayBeSent({ config: readConfig(reachable) }, 'production', '+33612345678')

    expect(check).toThrow(expect.objectContaining({ code: 'phone_number_not_allowed' }))
  })
})
