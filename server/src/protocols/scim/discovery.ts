import { groupSchema, scimLimits, scimMessages, userSchema, type ScimSchema } from '@portico/contract/scim'
import type { ResourceSchemas } from '../../directory/directory-sync/schema-path.js'
import { ScimError } from './scim-error.js'

/** The discovery endpoints (RFC 7644 section 4). */
export const discoveryEndpoints = ['ServiceProviderConfig', 'ResourceTypes', 'Schemas'] as const
export type DiscoveryEndpoint = (typeof discoveryEndpoints)[number]

const configSchema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const resourceTypeSchema = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const schemaSchema = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

/** The base URLs in the answers: of the directory, and of the service. */
interface Place {
  readonly baseUrl: string
  readonly serviceUrl: string
  /** The schemas of users of the directory. */
  readonly userSchemas: ResourceSchemas
}

/**
 * The answer of a discovery endpoint, complete or only the resource of this name.
 *
 * @throws ScimError 404, and 403 for a filter (RFC 7644 section 4).
 */
export function discover(
  endpoint: DiscoveryEndpoint,
  name: string | undefined,
  query: Readonly<Record<string, unknown>>,
  place: Place,
): object {
  if (query['filter'] !== undefined)
    throw new ScimError({ status: 403 }, `/${endpoint} cannot be filtered: read all of it.`)
  if (endpoint === 'ServiceProviderConfig') {
    if (name !== undefined) throw nothingOf(endpoint)
    return serviceProviderConfig(place)
  }
  const all = endpoint === 'Schemas' ? schemas(place) : resourceTypes(place)
  if (name === undefined)
    return {
      schemas: [scimMessages.list],
      totalResults: all.length,
      startIndex: 1,
      itemsPerPage: all.length,
      Resources: all,
    }
  const found = all.find(({ id }) => id === name)
  if (found === undefined) throw nothingOf(endpoint)
  return found
}

function nothingOf(endpoint: DiscoveryEndpoint): ScimError {
  return new ScimError({ status: 404 }, `/${endpoint} has nothing of this name.`)
}

/** RFC 7643 section 5. */
function serviceProviderConfig({ baseUrl, serviceUrl }: Place) {
  return {
    schemas: [configSchema],
    documentationUri: `${serviceUrl}/docs`,
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: scimLimits.perPage },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The secret of the directory, as Authorization: Bearer <secret>',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
  }
}

/** RFC 7643 section 6. */
function resourceTypes(place: Place) {
  return [
    resourceType(
      place,
      userSchema,
      '/Users',
      place.userSchemas.extensions.map(({ id }) => ({ schema: id, required: false })),
    ),
    resourceType(place, groupSchema, '/Groups', []),
  ]
}

function resourceType(
  { baseUrl }: Place,
  { id: schema, name, description }: ScimSchema,
  endpoint: string,
  schemaExtensions: readonly { readonly schema: string; readonly required: boolean }[],
) {
  return {
    schemas: [resourceTypeSchema],
    id: name,
    name,
    endpoint,
    description,
    schema,
    schemaExtensions,
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  }
}

/** RFC 7643 section 7. */
function schemas({ baseUrl, userSchemas }: Place) {
  return [userSchema, groupSchema, ...userSchemas.extensions].map((schema) => ({
    schemas: [schemaSchema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${schema.id}` },
  }))
}
