import type { DirectoryProvider } from '@portico/contract/directory-sync'
import type { OidcProviderType, ProviderType } from '@portico/contract/sso-onboarding'

/** A text in the languages of the pages. `**…**` is what stands in the console to the letter. */
export interface Words {
  readonly en: string
  readonly fr: string
}

/** What a console wants of us for a connection by SAML. */
export const samlValues = [
  'acs_url',
  'entity_id',
  'metadata_url',
  'acs_url_pattern',
  'name_id_format',
] as const
/** The same for one by OpenID Connect. */
export const oidcValues = ['redirect_uri', 'scopes'] as const
/** And for directory sync. */
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
  /** Menus of the console, from the first to the last, as it calls them in English; words for what has another name. */
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

/** What the tutorials of everything that is set up in a console have. */
export interface Guide {
  /** As its maker calls it. */
  readonly name: string
  /** One or two letters in place of a logo. */
  readonly mark: string
  readonly minutes: number
  /** RFC 3339: when the steps were last held against public documentation of the console; null where they are of no console. */
  readonly checkedOn: string | null
  readonly steps: readonly TutorialStep[]
  /** What surprises those who set it up. */
  readonly quirks: readonly Words[]
}

/** How an identity provider is set up, in steps; the index of a step is the onboarding's tutorial_step. */
export interface IdpGuide extends Guide {
  readonly id: ProviderType
  /** The attributes or claims that it sends when it is set up so, the best first. */
  readonly claims: {
    readonly email: readonly string[]
    readonly given_name: readonly string[]
    readonly family_name: readonly string[]
    readonly subject: string
  }
}

/** By SAML: at the end there are metadata. */
export interface Tutorial extends IdpGuide {
  readonly metadata: {
    /** Where the console has the file. */
    readonly how: Words
    /** What the file is called, so that it is found among the downloads. */
    readonly fileHint: string
  }
}

/** By OpenID Connect: at the end there is a client. */
export interface OidcTutorial extends IdpGuide {
  readonly id: OidcProviderType
  readonly client: {
    /** What an issuer looks like there. */
    readonly issuerExample: string
    /** Where it stands, or what it is made of. */
    readonly issuer: Words
    readonly clientId: Words
    readonly clientSecret: Words
  }
}

/** How a provider is set up to keep the users of an organization. */
export interface DirectoryTutorial extends Guide {
  readonly id: DirectoryProvider
}
