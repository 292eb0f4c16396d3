import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { Person } from './person.js'
import { en } from '../texts/en.js'

test('an address is shown whole, and breaks before its domain', () => {
  const email = `${'a'.repeat(64)}@${'b'.repeat(180)}.example`
  const [local, domain] = email.split('@')

  expect(renderToString(<Person texts={en} email={email} />)).toContain(`${local}<wbr/>@${domain}`)
})

test('an address that turns the direction of text is shown in one direction', () => {
  expect(renderToString(<Person texts={en} email={'ada\u202e@moc.live'} />)).not.toContain('\u202e')
})
