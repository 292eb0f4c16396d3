import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Words that the sources had of their own for what the field has a word for, with that word (docs/glossary.md). */
const left: readonly (readonly [word: RegExp, instead: string, examples: readonly string[]])[] = [
  [/\b\w*[Ss]pen[dt](?:[A-Z]\w*)?\b/, 'consume', ['spendToken(db)', 'the link was spent']],
  [/\bredeem\w*/, 'consume', ['redeems the code']],
  [/\b\w*[Dd]oorway\w*/, 'eligibility check', ['checkDoorway(doorway)']],
  [/\b[Ll]etIn\b/, 'authorize', ['letIn(user)']],
  [/\b[Vv]ouch\w*|\bVouched\w*/, 'assert', ['an address that is vouched for', 'VouchedIdentity']],
  [/\bhold[A-Z]\w*|\b[Hh]eld[A-Z]\w*/, 'lock', ['holdUser(trx)', 'heldFlow.step']],
  [/\btell[A-Z]\w*|\btold[A-Z]\w*/, 'record, emit or report', ['tellLimit(res)']],
  [/\bgoOn\b/, 'the name of the step', ['goOn(deps)']],
  [/\b(?:insert|delete|new|New|refused|Refused)Trace\w*/, 'login attempt', ['insertTrace(db)']],
  [
    /^\s*(?:\/\*\*|\*|\/\/) (?:Who|Whoever|Those who|That which)\b/,
    'the subject by its name',
    ['/** Who signs in here is known. */', '// Whoever asks gets nothing.'],
  ],
]

function leftIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      left.flatMap(([word, instead]) =>
        word.test(line) ? [`${index + 1}: ${word.exec(line)?.[0].trim()}, say ${instead}`] : [],
      ),
    )
}

test('the sources have no word of their own where the field has one', () => {
  const listed = execFileSync('git', ['ls-files', 'contract/src', 'sdk/src', 'server/src'], {
    cwd: root,
    encoding: 'utf8',
  })
  // Texts for people and applied migrations are no place for the words of engineers, and generated files repeat others.
  const files = listed
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => !/\.(?:test|given)\.|\/texts\/|\/tutorials\/|\/migrations\/|\/generated/.test(file))

  const found = files.flatMap((file) =>
    leftIn(readFileSync(`${root}/${file}`, 'utf8')).map((fault) => `${file}:${fault}`),
  )

  expect(files.length).toBeGreaterThan(500)
  expect(found).toEqual([])
})

test.each(left.flatMap(([, instead, examples]) => examples.map((example) => [example, instead])))(
  'a word that left is noticed: %s',
  (example, instead) => {
    expect(leftIn(example ?? '').join()).toContain(`say ${instead}`)
  },
)

test('ordinary English is none of them', () => {
  const text = [
    '// The lease holds for a minute, and the other process passes.',
    'limits.take(policy, key)',
    '// Users who have left are told by mail.',
    'const place = traceparent',
  ]

  expect(leftIn(text.join('\n'))).toEqual([])
})
