import { errorCodes } from '@portico/contract/errors'
import { email, httpsUrl, text } from '@portico/contract/fields'
import { expect, test } from 'vitest'
import { z } from 'zod/v4'
import { faultInFrench } from './faults-fr.js'

test.each([
  [z.string(), undefined, 'est obligatoire'],
  [text(3), 'four', 'doit avoir au plus 3 caractères'],
  [email(), 'nobody', 'doit être une adresse e-mail, par exemple ada@example.com'],
  [httpsUrl(), 'http://plain.example', 'doit être une URL https sans identifiants'],
  [z.enum(['on', 'off']), 'perhaps', 'doit être l’une de ces valeurs : on, off'],
])('what the contract says of a value is said in French: %#', (schema, value, french) => {
  const [issue] = schema.safeParse(value).error?.issues ?? []
  expect(faultInFrench(issue?.message ?? '')).toBe(french)
})

test('what has no French form stays as it is', () => {
  expect(faultInFrench(errorCodes.invalid_parameters.message)).toBe(errorCodes.invalid_parameters.message)
})
