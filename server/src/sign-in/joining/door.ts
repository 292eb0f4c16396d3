import { nilId } from '@portico/contract/fields'
import type { Joining } from '../../directory/organization-policy/joining.js'

/** The door by which the owner of a proved address comes in. */
export type DoorOfProof =
  | {
      readonly via: 'link'
      /** Nobody comes in without the invitation of the address: links create no users there. */
      readonly isOnlyInvited?: boolean
    }
  | {
      readonly via: 'join'
      readonly roles: { readonly roleIds: readonly string[]; readonly sourceId: string }
    }

/** The door of whoever joins at once. */
export function joiningDoor({ roleIds }: Joining): DoorOfProof {
  return { via: 'join', roles: { roleIds, sourceId: nilId } }
}
