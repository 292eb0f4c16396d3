import { environments } from '@portico/contract/fields'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { toDesired } from './desired.js'
import { readConfigurationFile } from './file.js'
import { nearestName } from './nearest-name.js'

function read(text: string) {
  return readConfigurationFile('portico.yaml', text, 'production')
}

describe('what a file says of an environment', () => {
  test('goes over the rest: members are replaced, lists as a whole, and null takes out', () => {
    const { data } = read(`version: 1
webhooks:
  Shop: {target_url: https://sandbox.example/, event_codes: [user.all, metakey.all], active: true}
  Other: {active: true}
environments:
  sandbox:
    webhooks: {Shop: {active: false}}
  production:
    webhooks: {Shop: {target_url: https://shop.example/, event_codes: [all]}, Other: null}
`)

    expect(data).toEqual({
      webhooks: { Shop: { target_url: 'https://shop.example/', event_codes: ['all'], active: true } },
    })
  })

  test('is told with the line of the part that holds', () => {
    const file = read(`version: 1
webhooks:
  Shop:
    active: true
    event_codes:
      - all
environments:
  production:
    webhooks:
      Shop:
        active: no
`)

    expect(file.where(['webhooks', 'Shop', 'active'])).toBe('portico.yaml:11:9')
    expect(file.where(['webhooks', 'Shop', 'event_codes', '0'])).toBe('portico.yaml:6:9')
    expect(file.where(['webhooks', 'Shop', 'event_codes', '7'])).toBe('portico.yaml:5:5')
    expect(file.where(['webhooks', 'Shop', 'name'])).toBe('portico.yaml:10:7')
    expect(file.where(['applications'])).toBe('portico.yaml:1:1')
  })

  test('is said of a fault beside what is overridden, and of no other', () => {
    const file = read(`version: 1
applications:
  Store: {allowed_logout_urls: [http://localhost/], default_logout_url: http://localhost/}
  Office: {default_logout_url: http://localhost/}
environments:
  production:
    applications:
      Store: {allowed_logout_urls: [https://store.example/]}
`)
    const remark = ' (environments.production overrides other members of it: override this one there, too)'

    expect(file.remarkOn(['applications', 'Store', 'default_logout_url'])).toBe(remark)
    expect(file.remarkOn(['applications', 'Store', 'allowed_logout_urls'])).toBe('')
    expect(file.remarkOn(['applications', 'Office', 'default_logout_url'])).toBe('')
    expect(file.remarkOn(['applications', 'Store'])).toBe('')
  })

  test.each([
    ['version: 1\nenvironments: {staging: {}}\n', 'portico.yaml:2:16 must be one of sandbox, production'],
    ['version: 1\nenvironments:\n  production: all\n', 'portico.yaml:3:3 must have sections'],
    ['version: 1\nenvironments: all\n', 'portico.yaml:2:1 must name environments'],
    ['version: 1\nwebhooks: {}\nwebhooks: {}\n', 'portico.yaml:3:1 is no YAML: Map keys must be unique'],
    ['version: 1\nwebhooks: !secret x\n', 'portico.yaml:2:11 is no YAML: Unresolved tag: !secret'],
    ['- a list\n', 'portico.yaml:1:1 must have sections'],
    ['', 'portico.yaml:1:1 must have sections'],
  ])('%j is refused, and where', (text, said) => {
    expect(() => read(text)).toThrow(said)
  })

  test('has no member that reaches the prototype of objects', () => {
    const { data } = read('version: 1\nwebhooks:\n  Shop: {__proto__: {active: true}}\n')

    expect(() => toDesired(data)).toThrow('webhooks.Shop.__proto__ is no member of webhooks')
  })
})

test('the file of the guide is right for every environment', () => {
  const guide = readFileSync(new URL('../../../../docs/guides/promotion.md', import.meta.url), 'utf8')
  const [, text = ''] = /```yaml unchecked\n([^]*?)```/.exec(guide) ?? []

  for (const environment of environments) {
    const { wanted } = toDesired(readConfigurationFile('portico.yaml', text, environment).data)
    expect(wanted).toHaveLength(15)
  }
})

test('a name that is nearly right leads to the right one, and any other to none', () => {
  const names = ['active', 'target_url', 'event_codes']

  expect(nearestName('target_uri', names)).toBe('target_url')
  expect(nearestName('event_code', names)).toBe('event_codes')
  expect(nearestName('Active', names)).toBe('active')
  expect(nearestName('metadata', names)).toBeUndefined()
})
