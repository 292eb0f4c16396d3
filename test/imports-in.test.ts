import { expect, test } from 'vitest'
import { filesIn } from './full/files.js'
import { root } from './full/pieces.js'
import { importsIn, importsOf } from './imports-in.js'

test('an entry of the contract is the source that package.json names', () => {
  expect(importsOf(root, 'server/src/directory/users/record.ts')).toContain('contract/src/resources/users.ts')
})

test('no files of server and contract import each other in a circle, by their types neither', () => {
  const files = filesIn(root).filter(
    (file) => /^(server|contract)\/src\/.*\.tsx?$/.test(file) && !/\.(test|given)\.tsx?$/.test(file),
  )
  const reachedFrom = importsIn(root)

  const circles = files.flatMap((file) =>
    importsOf(root, file)
      .filter((imported) => reachedFrom(imported).has(file))
      .map((imported) => `${file} and ${imported}`),
  )

  expect(files.length).toBeGreaterThan(700)
  expect(circles).toEqual([])
})
