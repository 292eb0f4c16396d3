import { directoryProviders } from '@portico/contract/directory-sync'
import { describe, expect, test } from 'vitest'
import { findPath, userSchemasOf } from '../../../directory/directory-sync/schema-path.js'
import { directoryValues } from '../tutorial.js'
import { languageFaults, namedValues, namesItsCheck, wordsOf } from '../tutorials.given.js'
import { directoryTutorials } from './directory-tutorials.js'

describe.each(directoryProviders)('the tutorial of the directory of %s', (type) => {
  const tutorial = directoryTutorials[type]

  test('is its own, and has steps that can be told apart', () => {
    expect(tutorial.id).toBe(type)
    expect(tutorial.steps.length).toBeGreaterThan(1)
    const ids = tutorial.steps.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { blocks } of tutorial.steps) expect(blocks.length).toBeGreaterThan(0)
  })

  test('says where the base URL goes, and the secret', () => {
    expect(namedValues(tutorial)).toContain('scim_base_url')
    expect(wordsOf(tutorial).some(({ en }) => en.includes('secret from this page'))).toBe(true)
  })

  test('says everything in English and in French, each in its own words', () => {
    expect(wordsOf(tutorial).flatMap(languageFaults)).toEqual([])
  })

  test('says when it was last checked, where it is of a console', () => {
    expect(namesItsCheck(tutorial)).toBe(type !== 'custom_scim')
  })

  test('suggests attributes that rules of a directory can read, each once', () => {
    const paths = (tutorial.suggested?.mappings ?? []).map(([path]) => path)
    expect(new Set(paths).size).toBe(paths.length)
    for (const path of paths)
      expect([path, findPath(userSchemasOf([]), path) !== undefined]).toEqual([path, true])
  })

  test('asks for no value that there is none of', () => {
    for (const name of namedValues(tutorial)) expect(directoryValues).toContain(name)
  })
})
