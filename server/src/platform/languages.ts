/** The languages of the pages, by the first part of a BCP 47 tag; the first is the fallback. */
export const languages = ['en', 'fr'] as const

export type Language = (typeof languages)[number]
