import { guard } from './guard.js'

const refused = (what: string) => ({
  file: 'test/protocols/scim/hostile.test.ts',
  title: `400, soon and without harm ${what}`,
})

/** Whom the provider of a directory may change, and into what. */
export const scimUserGuards = [
  guard({
    name: 'SCIM: names in a resource',
    file: 'server/src/protocols/scim/values.ts',
    find: 'if (countNames(body) > scimLimits.names)',
    replace: 'if (countNames(body) < 0)',
    red: refused('5,000 members that nobody knows'),
    green: refused('a filter of 2,000 characters'),
  }),
  guard({
    name: 'SCIM: names in operations',
    file: 'server/src/protocols/scim/patch-steps.ts',
    find: '+ countNames(value), 0) > scimLimits.names',
    replace: '+ countNames(value), 0) < 0',
    red: refused('one operation on 30,000 paths with filters'),
    green: refused('a filter of 2,000 characters'),
  }),
]
