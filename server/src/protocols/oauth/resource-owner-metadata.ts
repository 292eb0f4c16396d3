import { resourceOwnerAttributes, type ResourceOwnerMetadata } from '@portico/contract/token-claims'
import type { Identity } from '@portico/contract/users'

/** The ID token's part of an identity: the attributes that the contract names, compared case-insensitively. */
export function toAttributes(data: Identity['data']): Partial<ResourceOwnerMetadata> {
  const names = Object.keys(resourceOwnerAttributes)
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = data[name.toLowerCase()]
      return isAttribute(value) ? [[name, value]] : []
    }),
  )
}

function isAttribute(value: unknown): value is string | string[] {
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
}
