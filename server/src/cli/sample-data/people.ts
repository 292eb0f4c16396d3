const givenNames = [
  'Ada', 'Alan', 'Amina', 'Anders', 'Astrid', 'Barbara', 'Camille', 'Chen', 'Dorothy', 'Edsger', 'Elif', 'Émilie',
  'Farid', 'Frances', 'Grace', 'Hedy', 'Ingrid', 'Jean', 'João', 'Katherine', 'Kofi', 'Léa', 'Linus', 'Lucía',
  'Margaret', 'Mei', 'Mohamed', 'Niklaus', 'Noor', 'Olga', 'Paulo', 'Priya', 'Radia', 'Rosa', 'Sofia', 'Søren',
  'Tomás', 'Yuki', 'Zoë', 'Łucja',
] // prettier-ignore
const familyNames = [
  'Almeida', 'Andersen', 'Bernard', 'Chen', 'Clarke', 'Diallo', 'Dijkstra', 'Dubois', 'Eriksson', 'Fernández',
  'Fischer', 'García', 'Hamilton', 'Hansen', 'Hopper', 'Ivanova', 'Johnson', 'Kaya', 'Keller', 'Kovács', 'Lamarr',
  'Larsen', 'Lefèvre', 'Liskov', 'Lovelace', 'Martin', 'Mendes', 'Moreau', 'Müller', 'Nakamura', 'Nowak',
  'O’Brien', 'Okafor', 'Perlman', 'Petit', 'Rossi', 'Sato', 'Schmidt', 'Silva', 'Smith', 'Tanaka', 'Turing',
  'Wirth', 'Yılmaz', 'Zhang',
] // prettier-ignore
const places = [
  { locality: 'Lyon', country: 'France', postal_code: '69001', locale: 'fr-FR', zoneinfo: 'Europe/Paris', code: 33 },
  { locality: 'Berlin', country: 'Germany', postal_code: '10115', locale: 'de-DE', zoneinfo: 'Europe/Berlin', code: 49 },
  { locality: 'Porto', country: 'Portugal', postal_code: '4000-123', locale: 'pt-PT', zoneinfo: 'Europe/Lisbon', code: 351 },
  { locality: 'London', country: 'United Kingdom', postal_code: 'N1 9GU', locale: 'en-GB', zoneinfo: 'Europe/London', code: 44 },
  { locality: 'Kyoto', country: 'Japan', postal_code: '600-8216', locale: 'ja-JP', zoneinfo: 'Asia/Tokyo', code: 81 },
  { locality: 'Austin', country: 'United States', postal_code: '78701', locale: 'en-US', zoneinfo: 'America/Chicago', code: 1 },
] as const // prettier-ignore
const streets = ['Station Road', 'Rue de la République', 'Hauptstraße', 'Market Street', 'Rua das Flores']
const companyFirst = 'Bright Northern Green Blue Rapid Quiet Golden Iron Silver Open'.split(' ')
const companySecond = 'River Harbour Meadow Bridge Orchard Summit Lantern Compass Mill Field'.split(' ')
const companyThird = 'Logistics Health Insurance Robotics Foods Energy Travel Bank Media Labs'.split(' ')

/** The name of the sample organization with this number, from 0; a thousand are different. */
export function companyName(number: number): string {
  const words = [companyFirst, companySecond, companyThird].map(
    (list, place) => list[Math.floor(number / 10 ** place) % 10],
  )
  return words.join(' ')
}

export interface SamplePerson {
  readonly email: string
  readonly isActive: boolean
  readonly isVerified: boolean
  readonly phoneNumbers: string
  readonly profile: string
  readonly address: string
  readonly color: string
}

/** The sample user with this number in an organization; the same for the same two. */
export function personOf(domain: string, number: number): SamplePerson {
  const draw = drawing(number + 1)
  const given = pick(givenNames, draw())
  const family = pick(familyNames, draw())
  const place = pick(places, draw())
  const hasAddress = draw() < 0.4
  const hasPhone = draw() < 0.35
  const year = 1950 + Math.floor(draw() * 55)
  const birthdate = `${year}-${twoDigits(1 + Math.floor(draw() * 12))}-${twoDigits(1 + Math.floor(draw() * 28))}`
  const national = String(600_000_000 + Math.floor(draw() * 99_999_999))
  return {
    email: `${toAscii(given)}.${toAscii(family)}.${number + 1}@${domain}.example`,
    isActive: draw() < 0.97,
    isVerified: draw() < 0.8,
    phoneNumbers: JSON.stringify(hasPhone ? [phoneNumber(place.code, national)] : []),
    profile: JSON.stringify({
      given_name: given,
      family_name: family,
      locale: place.locale,
      zoneinfo: place.zoneinfo,
      ...(draw() < 0.5 && { birthdate }),
    }),
    address: JSON.stringify(
      hasAddress
        ? {
            street_address: `${1 + Math.floor(draw() * 150)} ${pick(streets, draw())}`,
            locality: place.locality,
            postal_code: place.postal_code,
            country: place.country,
          }
        : {},
    ),
    color: `#${Math.floor(draw() * 0x1000000)
      .toString(16)
      .padStart(6, '0')}`,
  }
}

function phoneNumber(code: number, national: string) {
  return {
    default: true,
    phone_country_code: code,
    phone_national_number: national,
    primary: true,
    type: 'mobile',
    value: `+${code}${national}`,
  }
}

function pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[], at: number): Item {
  const item = items[Math.floor(at * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Numbers from 0 to 1, always the same for one seed (mulberry32). */
function drawing(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

const asciiNames = new Map<string, string>()

function toAscii(name: string): string {
  const known = asciiNames.get(name)
  if (known !== undefined) return known
  const letters = name.normalize('NFD').replaceAll('ø', 'o').replaceAll('Ł', 'L').replaceAll('ı', 'i')
  const ascii = letters.replace(/[^A-Za-z]/g, '').toLowerCase()
  asciiNames.set(name, ascii)
  return ascii
}
