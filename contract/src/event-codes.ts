/**
 * Every event code: `<family>.<resource>.<action>.<success or fail>`, and what it tells.
 * Webhooks subscribe to codes, to `<family>.all`, or to `all`.
 */
export const eventCodes = {
  'organization.organization.create.success': 'An organization was created.',
  'organization.organization.update.success': 'An organization was changed.',
  'organization.organization.delete.success':
    'An organization was deleted; nothing under it can be reached any more.',
  'user.user.create.success': 'A user was created.',
  'user.user.update.success': 'A user was changed.',
  'user.user.delete.success': 'A user was deleted; sessions have ended.',
  'user.metadata.set.success': 'A metadata value of a user was set.',
  'user.metadata.remove.success': 'A metadata value of a user was removed.',
  'user.session.create.success': 'A user signed in.',
  'application.application.create.success': 'An application was registered.',
  'application.application.update.success': 'An application was changed.',
  'application.application.delete.success': 'An application was deleted.',
  'metakey.metakey.create.success': 'A metadata key was declared.',
  'metakey.metakey.delete.success': 'A metadata key was deleted together with its values.',
  'magic_link.connection.update.success': 'The magic-link connection was changed.',
  'magic_link.challenge.create.success': 'A magic link was asked for.',
  'magic_link.challenge.consume.success': 'A magic link was used to sign in.',
  'api_key.api_key.create.success': 'An API key was created.',
  'api_key.api_key.rotate.success': 'An API key has a new secret.',
  'api_key.api_key.revoke.success': 'An API key was revoked.',
} as const satisfies Record<string, string>

export type EventCode = keyof typeof eventCodes
