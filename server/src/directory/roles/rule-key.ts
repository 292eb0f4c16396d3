import { normalizeEmail } from '../../platform/email.js'

/**
 * The form in which a rule and what is said of a user are compared: the attribute in lower case, and the whole value after NFKC and in
 * lower case, as names of groups are stored.
 *
 * @param attribute Null: the value is the name of a group.
 */
export function ruleKey(attribute: string | null, value: string): string {
  return `${attribute?.toLowerCase().replaceAll('=', inName) ?? ''}=${normalizeEmail(value)}`
}

/** In the place of "=" within a name, so that the first one ends it: the value "b=c" of "a" is not "c" of "a=b". */
const inName = '\u001f'
