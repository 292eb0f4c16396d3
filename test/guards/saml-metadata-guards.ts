import { guard, unitTest } from './guard.js'

const metadata = 'server/src/sso/saml/metadata.ts'

const ofMetadata = (title: string) => unitTest(metadata, `metadata of an identity provider ${title}`)

/** What is taken as an identity provider’s metadata. */
export const samlMetadataGuards = [
  guard({
    name: 'saml: metadata of one identity provider',
    file: metadata,
    find: "if (others.length > 0) throw new MetadataFault('several_identity_providers')",
    replace: '',
    red: ofMetadata('of two identity providers are refused as several_identity_providers'),
    green: ofMetadata('give its entity ID, its addresses and its certificates'),
  }),
  guard({
    name: 'saml: how many certificates in metadata are read',
    file: metadata,
    find: 'if (count > maxListed)',
    replace: 'if (false)',
    red: ofMetadata('with as many certificates as a file holds are refused without comparing each with each'),
    green: ofMetadata('give its entity ID, its addresses and its certificates'),
  }),
  guard({
    name: 'saml: length of a key in metadata',
    file: metadata,
    find: "if (ofRsa.some(isShort)) throw new MetadataFault('key_too_short')",
    replace: '',
    red: ofMetadata('with a key of 1,024 bits are refused as key_too_short'),
    green: ofMetadata('give its entity ID, its addresses and its certificates'),
  }),
  guard({
    name: 'saml: address in metadata',
    file: metadata,
    find: "protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))",
    replace: 'true',
    red: ofMetadata('with an address that is a script are refused as address_not_https'),
    green: ofMetadata('give its entity ID, its addresses and its certificates'),
  }),
]
