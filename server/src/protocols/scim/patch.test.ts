import { expect, test } from 'vitest'
import { applyPatch } from './patch.js'
import { readPatch } from './patch-steps.js'
import { userSchemas } from '../../directory/directory-sync/schema-path.js'
import { ScimError } from './scim-error.js'
import { readResource, type ScimResource } from './values.js'

const core = userSchemas.core.id
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const ada = {
  userName: 'ada@awesome.example',
  active: true,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'ada@awesome.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
}

function given(body: object): ScimResource {
  return readResource(userSchemas, body, () => undefined)
}

/** The attributes of a user after operations, and the recorded quirks. */
function after(operations: readonly unknown[], body: object = ada) {
  const quirks: string[] = []
  const quirk = (name: string) => void quirks.push(name)
  const message = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations }
  const resource = applyPatch(given(body), readPatch(userSchemas, message, quirk), quirk)
  return { ...resource[core], extension: resource[enterprise], quirks }
}

function faultOf(operations: readonly unknown[], body: object = ada) {
  try {
    after(operations, body)
  } catch (error) {
    if (error instanceof ScimError) return error.fault
    throw error
  }
  return undefined
}

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })

test('"False" of Entra ID deactivates', () => {
  const { active, quirks } = after([{ op: 'Replace', path: 'active', value: 'False' }]) as Record<
    string,
    unknown
  >
  expect({ active, quirks }).toEqual({ active: false, quirks: ['operation_case', 'boolean_as_text'] })
})

test('a boolean comes in an array of one, as older jobs of Entra ID send it', () => {
  expect(after([replace('active', [{ $ref: null, value: 'False' }])])).toMatchObject({
    active: false,
    quirks: ['value_in_array', 'boolean_as_text'],
  })
})

test.each([
  ['without a path', { op: 'replace', value: { active: false } }],
  ['by the id of the schema', replace(core, { active: false })],
  ['by a path with the id of the schema', replace(`${core}:active`, false)],
  ['in other letters', { OP: 'REPLACE', PATH: 'ACTIVE', Value: false }],
])('one member is set %s', (_how, operation) => {
  expect(after([operation])).toMatchObject({ active: false, name: ada.name })
})

test('without a path, members are set by paths', () => {
  const value = {
    displayName: 'Ada King',
    'name.familyName': 'King',
    'emails[type eq "work"].value': 'king@awesome.example',
    'addresses[type eq "work"].locality': 'London',
    [`${enterprise}:department`]: 'Engines',
    [`${enterprise}:manager`]: 'a1',
    [enterprise]: { costCenter: '7' },
  }
  const changed = after([{ op: 'Add', value }])
  expect(changed).toMatchObject({
    displayName: 'Ada King',
    name: { givenName: 'Ada', familyName: 'King' },
    emails: [{ value: 'king@awesome.example', type: 'work', primary: true }, ada.emails[1]],
    addresses: [{ type: 'work', locality: 'London' }],
    extension: { department: 'Engines', manager: { value: 'a1' }, costCenter: '7' },
  })
  expect(changed.quirks).toEqual(
    expect.arrayContaining(['dotted_member', 'complex_as_text', 'filter_made_element']),
  )
})

test('a member of an element that is not there makes the element', () => {
  const changed = after([{ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+33612345678' }])
  expect(changed).toMatchObject({
    phoneNumbers: [{ type: 'mobile', value: '+33612345678' }],
    quirks: ['operation_case', 'filter_made_element'],
  })
})

test('the manager comes as text, as an object and in an array', () => {
  const managers = ['manager', `${enterprise}:manager`].flatMap((path) =>
    ['a1', { value: 'a1' }, [{ $ref: null, value: 'a1' }]].map(
      (value) => after([{ op: 'add', path, value }]).extension,
    ),
  )
  expect(managers).toEqual(Array.from({ length: 6 }, () => ({ manager: { value: 'a1' } })))
})

test('a list is replaced, grows by what it has not, and has one primary value', () => {
  const other = { value: 'king@awesome.example', type: 'other', primary: true }
  expect(after([replace('emails', [other])])).toMatchObject({ emails: [other] })
  expect(after([{ op: 'add', path: 'emails', value: [other, ada.emails[1]] }])).toMatchObject({
    emails: [{ ...ada.emails[0], primary: false }, ada.emails[1], other],
  })
})

test('an element that is made primary takes that from the other', () => {
  const changed = after([replace('emails[type eq "home"].primary', 'True')])
  expect(changed).toMatchObject({
    emails: [
      { type: 'work', primary: false },
      { type: 'home', primary: true },
    ],
  })
})

test('what is removed is gone, and nothing else', () => {
  expect(after([{ op: 'remove', path: 'emails[type eq "home"]' }])).toMatchObject({ emails: [ada.emails[0]] })
  expect(after([{ op: 'remove', path: 'name.familyName' }])).toMatchObject({ name: { givenName: 'Ada' } })
  expect(after([{ op: 'remove', path: 'name' }])).not.toHaveProperty('name')
  expect(after([replace('name', null)])).not.toHaveProperty('name')
  expect(after([{ op: 'remove', path: 'emails', value: [{ value: 'ada@home.example' }] }])).toMatchObject({
    emails: [ada.emails[0]],
    quirks: ['remove_with_value'],
  })
  const withDepartment = { ...ada, [enterprise]: { department: 'Engines', costCenter: '7' } }
  expect(after([{ op: 'remove', path: `${enterprise}:department` }], withDepartment).extension).toEqual({
    costCenter: '7',
  })
  expect(after([{ op: 'remove', path: enterprise }], withDepartment).extension).toEqual({})
})

test('a list that is to lose no element loses none', () => {
  expect(after([{ op: 'remove', path: 'emails', value: [] }])).toMatchObject({ emails: ada.emails })
})

test('operations happen in order, and the given resource stays as it is', () => {
  const resource = given(ada)
  const message = {
    Operations: [replace('title', 'One'), { op: 'remove', path: 'title' }, replace('title', 2)],
  }
  const changed = applyPatch(
    resource,
    readPatch(userSchemas, message, () => undefined),
    () => undefined,
  )
  expect(changed[core]).toMatchObject({ title: '2' })
  expect(resource).toEqual(given(ada))
})

test('what is read-only is ignored in a value, and refused as a path', () => {
  expect(after([{ op: 'replace', value: { id: 'x', schemas: [], title: 'Countess' } }])).toMatchObject({
    title: 'Countess',
    quirks: ['read_only_ignored'],
  })
  expect(faultOf([replace('id', 'x')])).toEqual({ status: 400, scimType: 'mutability' })
  expect(faultOf([replace('meta.version', 'x')])).toEqual({ status: 400, scimType: 'mutability' })
})

test.each(['nothing', 'name.nothing', 'urn:ietf:params:scim:schemas:extension:custom:2.0:User:tag'])(
  'the path %s of another schema keeps nothing else of a patch from happening',
  (path) => {
    const operations = [replace(path, 'x'), { op: 'remove', path }, replace('active', false)]
    expect(after(operations)).toMatchObject({
      active: false,
      quirks: ['unknown_attribute', 'unknown_attribute'],
    })
  },
)

test('a password is read by nothing', () => {
  expect(
    after([replace('password', 'correct horse'), { op: 'add', value: { password: 'x' } }]),
  ).not.toHaveProperty('password')
  expect(given({ ...ada, password: 'x' })[core]).not.toHaveProperty('password')
})

test.each([
  ['no operations', [], 'invalidSyntax'],
  ['too many operations', Array.from({ length: 1000 }, () => replace('title', 'x')), 'invalidSyntax'],
  ['an unknown op', [{ op: 'move', path: 'title' }], 'invalidSyntax'],
  ['an operation that is none', ['replace'], 'invalidSyntax'],
  ['remove without a path', [{ op: 'remove' }], 'noTarget'],
  ['a required attribute removed', [{ op: 'remove', path: 'userName' }], 'mutability'],
  ['a required attribute set to nothing', [replace('userName', ' ')], 'invalidValue'],
  ['a member of a member', [replace('name.familyName.x', 'x')], 'invalidPath'],
  ['a path that is no text', [{ op: 'replace', path: 7, value: 'x' }], 'invalidPath'],
  ['a path of 10,000 characters', [replace(`emails[${'x'.repeat(10_000)}]`, 'x')], 'invalidPath'],
  [
    'a list that grows beyond 100 values',
    [0, 60].map((from) => ({
      op: 'add',
      path: 'photos',
      value: Array.from({ length: 60 }, (_, index) => ({ value: `${from + index}` })),
    })),
    'invalidValue',
  ],
  ['a path with a filter that is none', [replace('emails[type eq].value', 'x')], 'invalidFilter'],
  ['a path with a member that is none', [replace('emails[kind eq "work"].value', 'x')], 'invalidFilter'],
  ['brackets 900 deep', [replace(`emails[${'('.repeat(900)}].value`, 'x')], 'invalidFilter'],
  ['an element that is not there', [replace('emails[type eq "other"]', { value: 'x' })], 'noTarget'],
  [
    'an element that no filter describes',
    [replace('emails[type ne "work" and type ne "home"].value', 'x')],
    'noTarget',
  ],
  ['a value of 4 kB and one byte', [replace('title', 'x'.repeat(4097))], 'invalidValue'],
  ['a NUL', [replace('title', 'x\0')], 'invalidValue'],
  ['half a surrogate pair', [replace('title', '\ud800')], 'invalidValue'],
  ['no boolean', [replace('active', 'perhaps')], 'invalidValue'],
  ['an object for text', [replace('title', {})], 'invalidValue'],
  ['no value', [{ op: 'add', path: 'title' }], 'invalidValue'],
  ['a value that is no object, without a path', [{ op: 'add', value: 'x' }], 'invalidValue'],
  [
    '101 values',
    [
      replace(
        'emails',
        Array.from({ length: 101 }, (_, i) => ({ value: `${i}` })),
      ),
    ],
    'invalidValue',
  ],
])('400: %s', (_what, operations, scimType) => {
  expect(faultOf(operations)).toEqual({ status: 400, scimType })
})

test.each(['__proto__', '__proto__.polluted', 'constructor.prototype.polluted', 'name.__proto__.polluted'])(
  '%s is no path, and reaches nothing',
  (name) => {
    const value = JSON.parse(`{${JSON.stringify(name)}: {"polluted": true}}`) as object
    expect(faultOf([replace(name, { polluted: true })])).toEqual({ status: 400, scimType: 'invalidPath' })
    expect(faultOf([{ op: 'add', value }])?.scimType ?? 'ignored').toMatch(/invalidPath|ignored/)
    const members = JSON.parse('{"__proto__": {"polluted": true}}') as object
    expect(after([replace('name', members)])).toMatchObject({ name: ada.name })
    expect({}).not.toHaveProperty('polluted')
    expect(given(JSON.parse('{"userName": "a", "__proto__": {"active": false}}') as object)[core]).toEqual({
      userName: 'a',
    })
  },
)
