/** The languages of the pages, by the first part of a BCP 47 tag; the first stands in for all others. */
export const languages = ['en', 'fr'] as const

export type Language = (typeof languages)[number]
