/** The texts of the screens' machinery: what is the same for every resource. */
export const en = {
  lang: 'en',
  yes: 'Yes',
  no: 'No',
  nothing: '—',
  /** In place of what the role does not show. */
  hidden: '•••',
  hiddenWhat: 'not shown to your role',
  byDefault: 'Default',
  everything: 'Everything, also what is added later',
  total: (count: number) => (count === 1 ? '1 in total' : `${count.toLocaleString('en')} in total`),
  empty: 'Nothing here yet.',
  emptyFiltered: (names: string) => `Nothing matches the filter: ${names}.`,
  filter: 'Filter',
  clear: 'Clear',
  any: 'Any',
  pages: 'Pages of the list',
  newest: 'Newest',
  older: 'Older',
  details: 'Details',
  create: 'Create',
  edit: 'Edit',
  view: 'View',
  save: 'Save',
  cancel: 'Cancel',
  back: 'Back',
  /** The heading of a form. */
  titleOf: (action: string, subject: string) => `${action}: ${subject}`,
  inProduction: (action: string) => `${action} in production`,
  reason: 'Reason',
  reasonHelp: 'Why you do this, in 3 to 300 characters. It is kept in the audit.',
  retype: (name: string) => `Type ${name} to confirm`,
  retyped: 'is not what it has to be',
  unknownName: (name: string) => `there is none called ${name}`,
  done: 'Done.',
  shownOnce: 'Shown only now: keep what is secret in a safe place.',
  copy: 'Copy',
  copied: 'Copied',
  required: 'required',
  oneInEachLine: 'One in each line.',
  asJson: 'As JSON.',
  timeHint: 'A date and time such as 2026-03-14T09:26:53Z.',
  correct: 'Please correct what is marked.',
  changedMeanwhile:
    'It was changed meanwhile. The values of now are shown beside your entries; save again to write yours.',
  nowIs: (value: string) => `Now: ${value}`,
  missing: 'Not found',
  missingText: 'There is nothing at this address, or it was deleted.',
  forbidden: 'Not allowed',
  forbiddenText: 'Your role does not allow this.',
  proofTitle: 'Please sign in again',
  proofText:
    'This changes production, or what both environments share. To be sure that it is you, the console asks for a sign-in of the last 10 minutes, and yours is older. You come back to the form afterwards.',
  proofLost: 'What you had entered was not saved.',
  proofFirst:
    'Some of what can be entered here is only accepted within 10 minutes of a sign-in with your second factor.',
  signInAgain: 'Sign in again',
  /** What the API says of a fault, and why it refuses something. */
  faultOf: (message: string) => message,
  refused: (message: string) => message,
  failed: 'This did not work',
  failedText: (reference: string) => `The service could not answer. Reference: ${reference}.`,
  apiCall: 'API call',
  noApiCall: 'The public API has no such operation.',
  deleted: 'Deleted.',
  belowLabel: 'Parts',
  actionsLabel: 'Actions',
} as const

type Widened<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends string
    ? string
    : Texts[Name] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : Texts[Name]
}
export type ScreenTexts = Widened<typeof en>
