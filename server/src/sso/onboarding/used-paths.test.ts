import { expect, test } from 'vitest'
import { usedPathsOf } from './used-paths.js'

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

function request(body: unknown, path = '/Users') {
  return { path, request: typeof body === 'string' ? body : JSON.stringify(body) }
}

function pathsOf(...requests: ReturnType<typeof request>[]): string[] {
  return usedPathsOf(requests, []).map(({ path }) => path)
}

test('the paths of a whole user are its members, those of complex ones and of extensions, without the envelope', () => {
  const user = {
    schemas: [enterprise],
    id: '1',
    userName: 'ada',
    name: { givenName: 'Ada' },
    emails: [{ value: 'ada@awesome.example' }],
    [enterprise]: { department: 'Finance' },
  }
  expect(pathsOf(request(user))).toEqual(['emails', 'name.givenName', `${enterprise}:department`, 'userName'])
})

test('the paths of a patch are those of its operations, and the members of those without one', () => {
  const patch = {
    Operations: [
      { op: 'Replace', path: 'title', value: 'Countess' },
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'ada@awesome.example' },
      { op: 'replace', value: { active: false, [`${enterprise}:manager`]: '7' } },
    ],
  }
  expect(pathsOf(request(patch, '/Users/1'))).toEqual([
    'active',
    'emails[type eq "work"].value',
    'title',
    `${enterprise}:manager`,
  ])
})

test('a path is listed once in whatever case, and says whether a rule reads it', () => {
  const used = usedPathsOf([request({ Title: 'a' }), request({ title: 'b', nickName: 'c' })], ['TITLE', ''])
  expect(used).toEqual([
    { path: 'nickName', isMapped: false },
    { path: 'title', isMapped: true },
  ])
})

test('nothing is listed of groups, of bodies that are cut off, and of what is no object', () => {
  const groups = request({ displayName: 'Finance' }, '/Groups')
  const odd = ['{"title": "Cou', '7', '[]', 'null', '{"Operations": 7}', '{"Operations": [7, {"op": "add"}]}']
  expect(pathsOf(groups, ...odd.map((text) => request(text)))).toEqual([])
})
