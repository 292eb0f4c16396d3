import type { DirectoryProvider } from '@portico/contract/directory-sync'
import type { OidcProviderType, ProviderType } from '@portico/contract/sso-onboarding'

/** A text in the languages of the pages. `**…**` quotes the console. */
export interface Words {
  readonly en: string
  readonly fr: string
}

/** The values of ours that a console needs for SAML. */
export const samlValues = [
  'acs_url',
  'entity_id',
  'metadata_url',
  'acs_url_pattern',
  'name_id_format',
] as const
/** The same for OpenID Connect. */
export const oidcValues = ['redirect_uri', 'scopes'] as const
/** The same for directory sync. */
export const directoryValues = ['scim_base_url'] as const

export type TutorialValue =
  | (typeof samlValues)[number]
  | (typeof oidcValues)[number]
  | (typeof directoryValues)[number]

/** What can be uploaded to a console. */
export type TutorialFile = 'sp_metadata' | 'sp_certificate'

/** A piece of a step, in the order in which it is read. */
export type Block =
  | { readonly t: 'text'; readonly words: Words }
  | { readonly t: 'warn'; readonly words: Words }
  /** Menus of the console, from the first to the last, by their English names; words where a name varies. */
  | { readonly t: 'path'; readonly crumbs: readonly (string | Words)[] }
  /** A value that goes into a field of the console. */
  | { readonly t: 'copy'; readonly field: string; readonly value: TutorialValue }
  /** Lines with values in them, as `{acs_url}`. */
  | { readonly t: 'snippet'; readonly field: string; readonly template: string }
  | { readonly t: 'download'; readonly file: TutorialFile }
  /** Settings and what to choose, or attributes and what they are filled from. */
  | {
      readonly t: 'table'
      readonly of: 'settings' | 'attributes'
      readonly rows: readonly (readonly [name: string, value: string])[]
    }

interface TutorialStep {
  readonly id: string
  readonly title: Words
  readonly blocks: readonly Block[]
}

/** The members that all tutorials have. */
export interface Guide {
  /** The vendor's name for it. */
  readonly name: string
  /** One or two letters in place of a logo. */
  readonly mark: string
  readonly minutes: number
  /** RFC 3339: when the steps were last checked against public documentation; null for steps of no particular console. */
  readonly checkedOn: string | null
  readonly steps: readonly TutorialStep[]
  /** Common surprises of the set-up. */
  readonly quirks: readonly Words[]
}

/** The steps that set up an identity provider; the index of a step is the onboarding's tutorial_step. */
export interface IdpGuide extends Guide {
  readonly id: ProviderType
  /** The attributes or claims that it sends after this set-up, the best first. */
  readonly claims: {
    readonly email: readonly string[]
    readonly given_name: readonly string[]
    readonly family_name: readonly string[]
    readonly subject: string
  }
}

/** A tutorial for SAML, which ends with metadata. */
export interface Tutorial extends IdpGuide {
  readonly metadata: {
    /** Where to find the file in the console. */
    readonly how: Words
    /** The name of the file, to find it among the downloads. */
    readonly fileHint: string
  }
}

/** A tutorial for OpenID Connect, which ends with a client. */
export interface OidcTutorial extends IdpGuide {
  readonly id: OidcProviderType
  readonly client: {
    /** An example of its issuers. */
    readonly issuerExample: string
    /** Where to find the issuer, or how to compose it. */
    readonly issuer: Words
    readonly clientId: Words
    readonly clientSecret: Words
  }
}

/** The steps that set up the provider of a directory. */
export interface DirectoryTutorial extends Guide {
  readonly id: DirectoryProvider
  /** What else it can be made to send: each SCIM path, and what the console fills it from. Absent for no particular console. */
  readonly suggested?: {
    readonly blocks: readonly Block[]
    readonly mappings: readonly (readonly [path: string, source: string])[]
  }
}
