import type { JsonValue } from '@portico/contract/fields'
import type { MetaKey } from '@portico/contract/metadata'
import type { UserMetadata } from '@portico/contract/token-customization'
import type { User } from '@portico/contract/users'
import type { z } from 'zod/v4'
import type { Deps } from '../../delivery/deps.js'
import type { Changed } from '../../delivery/events/change.js'
import type { Tenant } from '../../platform/tenant.js'
import { setUserMetadata } from '../users/metadata.js'
import { toJsonValue } from '../meta-keys/meta-value.js'

/**
 * Sets one metadata value of the user that the body names.
 *
 * @throws ApiError as setUserMetadata() does.
 */
export function setNamedUserMetadata(
  deps: Deps,
  tenant: Tenant,
  { user_id: userId, key_name: key, key_value: value }: UserMetadata,
  versions: readonly number[] | undefined,
): Promise<Changed<User>> {
  return setUserMetadata(deps, tenant, { userId, key, value, valuePath: 'key_value' }, versions)
}

/** A metadata value, with the properties of its key that tokens need. */
export interface TypedValue {
  readonly key: Pick<MetaKey, 'name' | 'type' | 'required'>
  readonly value: string
}

/** A user's metadata as tokens carry them: required keys first, then by name, each value as JSON of its key's type. */
export function toMetaDataClaims(
  metadata: readonly TypedValue[],
): (readonly [name: string, value: z.output<typeof JsonValue>])[] {
  return metadata
    .toSorted((a, b) => Number(b.key.required) - Number(a.key.required) || (a.key.name < b.key.name ? -1 : 1))
    .map(({ key, value }) => {
      // toJsonValue() gives a string, a number, a boolean, or the result of JSON.parse().
      return [key.name, toJsonValue(key.type, value) as z.output<typeof JsonValue>]
    })
}
