import { readPageAssets } from './frame/assets.js'
import { toBrandStyle } from './frame/brand.js'
import { galleryFrame, galleryOf, longNames, usualNames } from './gallery.given.js'
import { allTexts } from './frame/locale.js'
import { logoOf } from './frame/organization.js'
import { pageHeaders } from './frame/page-headers.js'

// Writes the gallery to stdout as one JSON document, for a browser test: the answer of each address.

const { style, script, passkeyScript, fonts } = readPageAssets()
const logos = {
  usual: {},
  long: {},
  icon: { icon_logo_url: 'https://logo.example/icon.svg' },
  inline: { inline_logo_url: 'https://logo.example/inline.svg' },
}
const pages = Object.entries(logos).flatMap(([set, logo]) =>
  allTexts.flatMap((texts) => {
    const names = set === 'long' ? longNames : usualNames
    const frame = {
      ...galleryFrame(texts, names, logo),
      styleUrl: style.url,
      scriptUrl: script.url,
      passkeyScriptUrl: passkeyScript.url,
      fontUrl: fonts[0].url,
    }
    const headers = pageHeaders(false, 'https://store.example/callback', logoOf(frame.organization)?.url)
    return galleryOf(frame, names)
      .filter(({ name }) => set === 'usual' || set === 'long' || name === 'identifier')
      .map(({ name, html }) => ({
        path: `/${set}/${texts.lang}/${name}`,
        headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' },
        content: html,
      }))
  }),
)
const assets = [
  ...fonts.map(({ url, content }) => ({
    path: url,
    headers: { 'Content-Type': 'font/woff2' },
    content: content.toString('base64'),
    encoding: 'base64',
  })),
  { path: style.url, headers: { 'Content-Type': 'text/css' }, content: style.content },
  ...[script, passkeyScript].map(({ url, content }) => ({
    path: url,
    headers: { 'Content-Type': 'text/javascript' },
    content,
  })),
  {
    path: '/t/awesome-company/brand.css',
    headers: { 'Content-Type': 'text/css' },
    content: toBrandStyle('#0f766e'),
  },
]

process.stdout.write(JSON.stringify([...pages, ...assets]))
