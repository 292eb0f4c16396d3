import { normalizeEmail } from '../../platform/email.js'

/**
 * The form in which a rule and what is said of a user are compared: the attribute in lower case, and the whole value after NFKC and in
 * lower case, as names of groups are stored.
 *
 * @param attribute Null: the value is the name of a group.
 */
export function ruleKey(attribute: string | null, value: string): string {
  return `${attribute?.toLowerCase() ?? ''}=${normalizeEmail(value)}`
}
