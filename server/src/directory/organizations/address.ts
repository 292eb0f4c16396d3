import countries from 'i18n-iso-countries'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import { invalid } from '../../platform/errors.js'

countries.registerLocale(english)

interface PostalPlace {
  readonly locality: string
  readonly state: string | null
  readonly country_name: string
}

/** Parses an address as typed. The built-in form is "street, locality, region, country". */
type AddressCompleter = (address: string) => PostalPlace | undefined

/** Street and region are optional, and a postal code may precede or follow its place. */
const readCommaForm: AddressCompleter = (address) => {
  const parts = address.split(',').map((part) => part.trim())
  const country = parts.pop() ?? ''
  if (parts.includes('')) return undefined
  const code = countries.isValid(country.toUpperCase())
    ? countries.toAlpha2(country.toUpperCase())
    : countries.getAlpha2Code(country, 'en')
  const places = parts.map(withoutPostalCode)
  const [locality, state = null, ...others] = places
    .slice(places.findIndex((part) => !isOfStreet(part)))
    .filter((part) => part !== '')
  if (code === undefined || !locality || isOfStreet(locality) || others.length > 0) return undefined
  return { locality, state, country_name: code }
}

/**
 * Four digits before one word are a postal code, before several a house number: 8001 Zürich, 1600 Pennsylvania Avenue.
 */
const postalCode =
  /^(?:\d{5,6}|\d{4}(?=\s+\S+$))(?:\s+|$)|(?:^|\s+)(?:\d{5,6}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})$/

function withoutPostalCode(part: string): string {
  return part.replace(postalCode, '')
}

const streetName =
  /\d|(?:street|road|avenue|boulevard|lane|stra(?:ß|ss)e|str\.)$|^(?:rue|avenue|boulevard|calle|via|viale|rua|ulica) /i

/** Whether a part has a house number, or a name of a street; any other part counts as a place. */
function isOfStreet(part: string): boolean {
  return streetName.test(part)
}

/**
 * The members that `autocomplete_address` fills; empty when it is absent.
 *
 * @throws ApiError `invalid_parameters` when it cannot be read.
 */
export function completeAddress(address: string | undefined): Partial<PostalPlace> {
  if (address === undefined) return {}
  const place = readCommaForm(address)
  if (place === undefined)
    throw invalid(
      'autocomplete_address',
      'unreadable',
      'must be "street, locality, region, country", of which locality and country are needed, such as Lyon, Auvergne-Rhône-Alpes, France',
    )
  return place
}
