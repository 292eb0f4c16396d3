import { guard, protocolTest, unitTest } from './guard.js'

const folder = 'server/src/sso/sign-in'
const asserted = `${folder}/asserted-identity.ts`
const seats = (title: string) => protocolTest('saml-seats', title)

/** Guards of the asserted user: identification and authorization. */
export const samlUserGuards = [
  guard({
    name: 'saml: names that users choose are no addresses',
    file: asserted,
    find: "const fallbackNames = [`${claims}/upn`, 'upn', `${claims}/name`]",
    replace: "const fallbackNames = [`${claims}/upn`, 'upn', 'name', `${claims}/name`]",
    red: unitTest(asserted, 'a name that users give themselves is no address'),
    green: unitTest(asserted, 'an address is found under the names that products have for it'),
  }),
  guard({
    name: 'saml: seats of many at once, by several connections',
    file: 'server/src/directory/organization-policy/seats.ts',
    find: "const name = ['seats', tenant.accountId, tenant.environment, organizationId].join(' ')",
    replace: "const name = ['seats', tenant.accountId, tenant.environment, tenant.cause.requestId].join(' ')",
    red: seats('the seats of an organization are the same for all of its connections'),
    green: seats('the seats of an organization are not asked of users who have one'),
  }),
]
