import countries from 'i18n-iso-countries'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import { invalid } from '../errors.js'

countries.registerLocale(english)

export interface PostalPlace {
  readonly locality: string
  readonly state: string | null
  readonly country_name: string
}

/** Reads an address as a person types it. The form built in is "locality, region, country". */
export type AddressCompleter = (address: string) => PostalPlace | undefined

const readCommaForm: AddressCompleter = (address) => {
  const parts = address.split(',').map((part) => part.trim())
  const [locality, middle, last] = parts
  const country = parts.length === 2 ? middle : last
  if (!locality || !country || parts.length > 3) return undefined
  const code = countries.isValid(country.toUpperCase())
    ? countries.toAlpha2(country.toUpperCase())
    : countries.getAlpha2Code(country, 'en')
  if (code === undefined) return undefined
  return { locality, state: parts.length === 3 ? (middle ?? null) : null, country_name: code }
}

/**
 * The members that `autocomplete_address` fills; none when it is absent.
 *
 * @throws ApiError `invalid_parameters` when it cannot be read.
 */
export function completeAddress(address: string | undefined, read = readCommaForm): Partial<PostalPlace> {
  if (address === undefined) return {}
  const place = read(address)
  if (place === undefined)
    throw invalid(
      'autocomplete_address',
      'unreadable',
      'must be "locality, region, country", such as Lyon, Auvergne-Rhône-Alpes, France',
    )
  return place
}
