import { expect, test } from 'vitest'
import { completeAddress } from './address.js'

test.each([
  ['Lyon, Auvergne-Rhône-Alpes, France', 'Lyon', 'Auvergne-Rhône-Alpes', 'FR'],
  ['Berlin, de', 'Berlin', null, 'DE'],
  ['69001 Lyon, Auvergne-Rhône-Alpes, France', 'Lyon', 'Auvergne-Rhône-Alpes', 'FR'],
  ['8001 Zürich, Switzerland', 'Zürich', null, 'CH'],
  ['12 rue de la Paix, Paris, France', 'Paris', null, 'FR'],
  ['12 bis, rue de la Paix, Paris, France', 'Paris', null, 'FR'],
  ['Unter den Linden 77, 10117 Berlin, Germany', 'Berlin', null, 'DE'],
  ['Hauptstraße, Bonn, Germany', 'Bonn', null, 'DE'],
  ['Baker Street, London, GB', 'London', null, 'GB'],
  ['Rue du Rhône, Genève, Switzerland', 'Genève', null, 'CH'],
  ['1600 Amphitheatre Parkway, Mountain View, CA 94043, USA', 'Mountain View', 'CA', 'US'],
  ['5 Main Street, Springfield, Illinois, United States of America', 'Springfield', 'Illinois', 'US'],
  ['London, SW1A 1AA, GB', 'London', null, 'GB'],
  ['10 Downing Street, London SW1A 2AA, GB', 'London', null, 'GB'],
  ['St. Gallen, SG, Switzerland', 'St. Gallen', 'SG', 'CH'],
  ['Bad Homburg vor der Höhe, Hessen, DE', 'Bad Homburg vor der Höhe', 'Hessen', 'DE'],
])('of %j the locality is %s, the state %s, the country %s', (address, locality, state, country_name) => {
  expect(completeAddress(address)).toEqual({ locality, state, country_name })
})

test.each([
  '',
  'Lyon',
  'France',
  '12 rue de la Paix, France',
  'Lyon, Atlantis',
  'a, b, c, d, e, France',
  ', France',
])('%j names no place', (address) => {
  expect(() => completeAddress(address)).toThrow('parameters')
})
