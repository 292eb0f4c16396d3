import { displayName } from '../../platform/display-name.js'

/** As much as the trace of a sign-in keeps of what came. */
const maxLength = 300

/** What another system says, as it may stand on a page: on one line, and without turning the text around it. */
export function asShown(text: string): string {
  return displayName(text, maxLength)
}
