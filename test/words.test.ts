import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

type Word = readonly [word: RegExp, instead: string, examples: readonly string[]]

/** Phrases of texts for users, administrators and operators that read translated, with what people know from other products. */
const leftOfTexts: readonly Word[] = [
  [/\bgo together\b/, 'is incorrect', ['The address and this password do not go together.']],
  [/(?<!\p{L})Go on\b|\bgo on where\b/u, 'Continue', ['Go on without a test', 'to go on where you stopped']],
  [/\bany more\b/, 'no longer, or expired', ['This link does not work any more']],
  [/\b[Ww]hoever\b|\bto whom\b|\bwhomever\b/, 'anyone who', ['Whoever asks you for it', 'tell us to whom']],
  [/\b(?:[Bb]egin|begun) (?:again|anew)\b/, 'start again', ['Please begin again']],
  [/\bon (?:its|their) way\b/, 'we sent', ['Several messages are on their way already']],
  [/\b[Yy]our people\b/, 'your users', ['Your people sign in at']],
  [/\binto use\b/, 'activate', ['put them into use']],
  [/\bin charge\b/, 'responsible', ['Not in charge of this?']],
  [/\b(?:it|that) stays so\b|\ball the same\b/, 'if it keeps happening, or anyway', ['if it stays so']],
  [/\bonce more\b/, 'again', ['Open the link once more.']],
  [/\bcode of 6 digits\b/, '6-digit code', ['a code of 6 digits']],
  [/['`].*\bsecond (?:step|factor)\b/, 'two-step verification', ["'Set up a second step'"]],
  [/Scan this picture/, 'Scan this QR code', ['Scan this picture with your app.']],
  [/\bForgot it\b/, 'Forgot your password?', ['Forgot it, or never had one?']],
  [
    /\b(?:est|sont) (?:déjà )?en route\b/,
    'nous avons envoyé',
    ['Plusieurs messages sont déjà en route', 'est en route'],
  ],
  [/\b[Vv]os collègues\b/, 'vos utilisateurs', ['Vos collègues se connectent']],
  [/\b[Nn]e sert qu’une fois\b/, 'ne fonctionne qu’une fois', ['Le lien ne sert qu’une fois']],
  [/\b[Ss]canne[rz] cette image\b/, 'ce code QR', ['Scannez cette image']],
]

/** Comments that begin with a pronoun instead of their subject; refused in tests, too. */
const subject: Word = [
  /^\s*(?:\/\*\*|\*|\/\/) (?:Who|Whoever|Whom|Whose|Those who|That which)\b/,
  'the subject by its name',
  ['/** Who signs in here is known. */', '// Whoever asks gets nothing.', '/** Whose session it is. */'],
]

/** Private words that were replaced in the sources, with the established term (docs/glossary.md). */
const left: readonly Word[] = [
  [/\b\w*[Ss]pen[dt](?:[A-Z]\w*)?\b/, 'consume', ['spendToken(db)', 'the link was spent']],
  [/\bredeem\w*/, 'consume', ['redeems the code']],
  [/\b\w*[Dd]oorway\w*/, 'eligibility check', ['checkDoorway(doorway)']],
  [/\b[Ll]etIn\b/, 'authorize', ['letIn(user)']],
  [/\b[Vv]ouch\w*|\bVouched\w*/, 'assert', ['an address that is vouched for', 'VouchedIdentity']],
  [/\bhold[A-Z]\w*|\b[Hh]eld[A-Z]\w*/, 'lock', ['holdUser(trx)', 'heldFlow.step']],
  [/\btell[A-Z]\w*|\btold[A-Z]\w*/, 'record, emit or report', ['tellLimit(res)']],
  [/\bgoOn\b/, 'the name of the step', ['goOn(deps)']],
  [/\b(?:insert|delete|new|New|refused|Refused)Trace\w*/, 'login attempt', ['insertTrace(db)']],
  [/\bgives? way to\b/, 'is replaced by', ['any other gives way to the default']],
  [/\bsigns nobody in\b/, 'refuses sign-ins', ['An inactive connection signs nobody in']],
  [/\bnobody (?:has )?asked for\b/, 'unsolicited', ['A response that nobody asked for']],
  [/\bways? of signing in\b/, 'sign-in method', ['This way of signing in is switched off']],
  subject,
]

function leftIn(text: string, words = left): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      words.flatMap(([word, instead]) =>
        word.test(line) ? [`${index + 1}: ${word.exec(line)?.[0].trim()}, say ${instead}`] : [],
      ),
    )
}

/** The faults of the tracked files in some folders, by file and line. */
function faultsIn(folders: readonly string[], isMeant: (file: string) => boolean, words = left) {
  const listed = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8' })
  const files = listed.split('\n').filter((file) => /\.[mt]?[jt]sx?$/.test(file) && isMeant(file))
  const found = files.flatMap((file) =>
    leftIn(readFileSync(`${root}/${file}`, 'utf8'), words).map((fault) => `${file}:${fault}`),
  )
  return { count: files.length, found }
}

const isOfTests = (file: string) => /^test\/|\.(?:test|given)\./.test(file)

test('the sources have no word of their own where the field has one', () => {
  // Texts for users and applied migrations do not follow these terms, and generated files repeat other files.
  const { count, found } = faultsIn(
    ['contract/src', 'sdk/src', 'server/src'],
    (file) => !isOfTests(file) && !/\/texts\/|\/tutorials\/|\/migrations\/|\/generated/.test(file),
  )

  expect(count).toBeGreaterThan(500)
  expect(found).toEqual([])
})

test('no comment of a test begins with a pronoun in the place of its subject', () => {
  const { count, found } = faultsIn(['test', 'contract/src', 'sdk/src', 'server/src'], isOfTests, [subject])

  expect(count).toBeGreaterThan(400)
  expect(found).toEqual([])
})

test('the texts of pages, mails, text messages and errors have the words of the field', () => {
  const { count, found } = faultsIn(
    ['server/src/pages/texts', 'server/src/delivery', 'contract/src/core/errors.ts', 'server/src/cli'],
    (file) => /\/texts(?:\/|\.ts)|\/errors\.ts$|\/cli\/[\w-]+\.ts$/.test(file) && !isOfTests(file),
    leftOfTexts,
  )

  expect(count).toBeGreaterThan(40)
  expect(found).toEqual([])
})

test.each(
  [...left, ...leftOfTexts].flatMap(([, instead, examples]) => examples.map((example) => [example, instead])),
)('a word that left is noticed: %s', (example, instead) => {
  expect(leftIn(example ?? '', [...left, ...leftOfTexts]).join()).toContain(`say ${instead}`)
})

test('ordinary English is none of them', () => {
  const text = [
    '// The lease holds for a minute, and the other process passes.',
    'limits.take(policy, key)',
    '// Users who have left are told by mail.',
    'const place = traceparent',
  ]

  expect(leftIn(text.join('\n'))).toEqual([])
})
