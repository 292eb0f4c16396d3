import { expect, test } from 'vitest'
import { slugOf } from './slug.js'

test.each([
  ['fullwidth letters', 'Ｔenant', 'tenant'],
  ['a name in fullwidth letters alone, with their space', 'ＡＣＭＥ　Ｇｍｂｈ', 'acme-gmbh'],
  ['ligatures', 'ﬁnance ﬂow', 'finance-flow'],
  ['letters that are two', 'Œuvre Æther Ĳsselmeer', 'oeuvre-aether-ijsselmeer'],
  ['ß in both cases', 'Straße GROẞ', 'strasse-gross'],
  ['accents', 'Crème Brûlée', 'creme-brulee'],
  ['accents that stand by themselves', 'Cre\u0300me Bru\u0302le\u0301e', 'creme-brulee'],
  ['umlauts', 'Über Ångström', 'ueber-angstroem'],
  ['strokes', 'Łódź Đorđe Øresund', 'lodz-dorde-oresund'],
  ['Vietnamese', 'Nguyễn', 'nguyen'],
  ['Turkish', 'ı İstanbul', 'i-istanbul'],
  ['Cyrillic', 'Ромашка', 'romashka'],
  ['Greek', 'Ελλάδα', 'ellada'],
  ['digits of other forms', '①st Ⅻ ２', '1st-xii-2'],
  ['letters of mathematics', '𝔘nicode 𝐜𝐨𝐝𝐞', 'unicode-code'],
  ['marks, which are not of the name', 'Foo™ Bar℠ Baz®', 'foo-bar-baz'],
  ['letters that nobody transliterates, beside others', '東京 Tokyo', 'tokyo'],
])('the slug of a name reads %s: %s is %s', (_what, name, slug) => {
  expect(slugOf(name)).toBe(slug)
})
