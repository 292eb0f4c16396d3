import { openSearch } from './search.js'

// The search as the pages load it: the index in `porticoSearchIndex`, which is a script of its own.
Object.assign(globalThis, { porticoOpenSearch: openSearch })
