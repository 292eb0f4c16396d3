import type { PhoneNumber } from '@portico/contract/profile'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { invalid } from './errors.js'

interface PhoneInput {
  readonly value: string
  readonly type: string
  readonly primary: boolean
  readonly default: boolean
}

interface PhoneChanges {
  readonly phone_number?: string | null | undefined
  readonly phone_numbers?: readonly PhoneInput[] | undefined
}

/**
 * The numbers of a user after a change: the list if sent, else the current one; `phone_number` becomes the primary one
 * and is added if missing, and null removes the current primary one.
 *
 * @throws ApiError `invalid_parameters` for a number of no country, and when two are to be primary.
 */
export function changedPhoneNumbers(
  current: readonly PhoneNumber[],
  { phone_number: value, phone_numbers: list }: PhoneChanges,
): PhoneNumber[] {
  if (value === undefined) return toPhoneNumbers(list ?? current, 'phone_numbers')
  if (list === undefined) return replacePrimary(current, value)
  const isContradicted = list.some((number) => number.primary && number.value !== value)
  if (isContradicted || (value === null && list.length > 0))
    throw invalid('phone_number', 'contradictory', 'must be the primary one of phone_numbers')
  return value === null ? [] : toPhoneNumbers(withPrimary(list, value), 'phone_numbers')
}

/** ISO 3166-1 alpha-2; undefined for a number of no country, such as a satellite's. */
export function countryOfPhoneNumber(value: string): string | undefined {
  return parsePhoneNumberFromString(value)?.country
}

/** Types of numbers that cost the caller more than others, pay their owner a share of it, or have no recipient. */
const specialTypes = new Set<string>([
  'PREMIUM_RATE',
  'SHARED_COST',
  'PERSONAL_NUMBER',
  'UAN',
  'PAGER',
  'VOICEMAIL',
])

/** Whether the number is of a type that is never a person's telephone. One of unknown type is not special. */
export function isSpecialPhoneNumber(value: string): boolean {
  return specialTypes.has(parsePhoneNumberFromString(value)?.getType() ?? '')
}

function replacePrimary(current: readonly PhoneNumber[], value: string | null): PhoneNumber[] {
  const replaced = current.find((number) => number.primary)
  const others = current.filter((number) => !number.primary && number.value !== value)
  if (value === null) return toPhoneNumbers(others, 'phone_number')
  const primary = {
    value,
    type: replaced?.type ?? 'mobile',
    primary: true,
    default: replaced?.default ?? others.length === 0,
  }
  return toPhoneNumbers([primary, ...others], 'phone_number')
}

function withPrimary(list: readonly PhoneInput[], value: string): PhoneInput[] {
  const others = list.filter((number) => number.value !== value)
  const given = list.find((number) => number.value === value) ?? { value, type: 'mobile', default: false }
  return [{ ...given, primary: true }, ...others]
}

/** The records of some numbers, exactly one of them primary and one default: the first, unless others say they are. */
function toPhoneNumbers(inputs: readonly PhoneInput[], path: string): PhoneNumber[] {
  for (const role of ['primary', 'default'] as const) {
    if (inputs.filter((input) => input[role]).length > 1)
      throw invalid(path, 'contradictory', `must have one ${role} number`)
  }
  const hasPrimary = inputs.some((input) => input.primary)
  const hasDefault = inputs.some((input) => input.default)
  return inputs.map((input, index) => {
    const parsed = parsePhoneNumberFromString(input.value)
    if (parsed === undefined)
      throw invalid(path, 'invalid_phone', 'must begin with a country code that exists')
    return {
      default: hasDefault ? input.default : index === 0,
      phone_country_code: Number(parsed.countryCallingCode),
      phone_national_number: parsed.nationalNumber,
      primary: hasPrimary ? input.primary : index === 0,
      type: input.type,
      value: parsed.number,
    }
  })
}
