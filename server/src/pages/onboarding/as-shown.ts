import { displayName } from '../../platform/display-name.js'

/** The maximum length that a login attempt stores of a value. */
const maxLength = 300

/** A foreign text, safe to show: on one line, and without changing the direction of the surrounding text. */
export function asShown(text: string): string {
  return displayName(text, maxLength)
}
