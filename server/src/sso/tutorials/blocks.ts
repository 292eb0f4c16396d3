import type { Block, TutorialFile, TutorialValue, Words } from './tutorial.js'

/** A text in both languages. */
export function words(en: string, fr: string): Words {
  return { en, fr }
}

export function text(en: string, fr: string): Block {
  return { t: 'text', words: { en, fr } }
}

export function warn(en: string, fr: string): Block {
  return { t: 'warn', words: { en, fr } }
}

/** Things that the reader has just made in a console, under a name of their own. */
export const yours = {
  app: words('your app', 'votre application'),
  client: words('your client', 'votre client'),
  trust: words('your trust', 'votre approbation'),
}

export function path(...crumbs: (string | Words)[]): Block {
  return { t: 'path', crumbs }
}

export function copy(field: string, value: TutorialValue): Block {
  return { t: 'copy', field, value }
}

export function snippet(field: string, template: string): Block {
  return { t: 'snippet', field, template }
}

export function download(file: TutorialFile): Block {
  return { t: 'download', file }
}

export function settings(...rows: [name: string, value: string][]): Block {
  return { t: 'table', of: 'settings', rows }
}

export function attributes(...rows: [name: string, value: string][]): Block {
  return { t: 'table', of: 'attributes', rows }
}
