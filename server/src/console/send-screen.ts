import type { Environment } from '@portico/contract/fields'
import { redirect, type Exchange } from '../pages/frame/page-route.js'
import { sendPage, textOf } from '../pages/frame/site.js'
import { toScreenDocument } from '../screens/frame.js'
import { addressOf, findScreen } from '../screens/screen.js'
import { proofPage } from '../screens/proof.js'
import type { Outcome, Shown } from '../screens/visit.js'
import { baseOf, screens, type ConsoleVisit } from './console-visit.js'
import { consoleLanguages } from './languages.js'
import { menuOf } from './navigation.js'
import { consolePage } from './page.js'
import { rightsOf } from './rights.js'
import { findSignInUrl } from './sign-in.js'

/** The path below that of the environment. */
export function pathBelow({ req }: Exchange): string {
  const path: unknown = req.params['path']
  return Array.isArray(path) ? path.map(String).join('/') : textOf(path, 2000)
}

/** Sends what came of a visit. */
export async function answer(visit: ConsoleVisit, outcome: Outcome): Promise<void> {
  const { exchange, staff } = visit
  if ('location' in outcome) {
    redirect(exchange, outcome.location)
    return
  }
  if ('page' in outcome) {
    sendScreen(visit, outcome.page)
    return
  }
  // The form is shown again afterwards: what was typed is not kept over a sign-in.
  const to = exchange.req.originalUrl
  const url = await findSignInUrl(exchange.deps, staff.organization.accountDomain, {
    to,
    isStepUp: true,
    email: staff.user.email,
  })
  sendScreen(visit, proofPage(visit.language, url ?? visit.base, outcome.stepUp))
}

/** Sends a page within the frame of the console. */
export function sendScreen(visit: ConsoleVisit, shown: Shown): void {
  const { exchange, staff, environment, base, language, csrf } = visit
  const { site, req, res } = exchange
  const { words } = consolePage(exchange, req.path, staff.user.locale)
  const other: Environment = environment === 'sandbox' ? 'production' : 'sandbox'
  const { accountDomain } = staff.organization
  const maySearch = visit.mayCall('people.diagnose')
  const page = toScreenDocument(
    {
      texts: { ...words.frame, lang: language.texts.lang },
      productName: site.productName,
      owner: accountDomain,
      environment,
      home: { label: words.frame.home, url: base },
      first: maySearch ? [{ label: words.frame.people, url: `${base}/people` }] : [],
      navigation: menuOf(visit, words),
      searchUrl: maySearch ? `${base}/search` : undefined,
      other: {
        label: words.frame.switchTo(words.frame.environments[other]),
        url: inOtherEnvironment(visit, other),
      },
      languages: consoleLanguages.map(({ lang, name }) => ({
        lang,
        label: name,
        url: `${req.path}?ui_locales=${lang}`,
      })),
      person: staff.user.email,
      signOut: { action: `/console/${accountDomain}/sign-out`, csrf },
      styleUrls: [site.styleUrl, site.screensStyleUrl],
      scriptUrl: site.scriptUrl,
      url: req.path,
    },
    shown,
  )
  sendPage(site, res.status(shown.status), page, { organization: undefined })
}

/** The same list or settings; what is below a record of one environment is left for the list above it. */
function inOtherEnvironment({ exchange, staff }: ConsoleVisit, other: Environment): string {
  const otherBase = baseOf(staff.organization.accountDomain, other)
  const at = findScreen(screens, pathBelow(exchange))
  if (at === undefined) return otherBase
  const parts = at.screen.at.split('/')
  const below = parts.findIndex((part) => part.startsWith(':') && part !== ':org_domain')
  const shared = (below < 0 ? parts : parts.slice(0, below)).slice(0, 3).join('/')
  const screen = screens.find((candidate) => candidate.at === shared)
  const route = screen?.list?.route ?? screen?.record ?? ''
  return rightsOf(staff.roles, other).routes.has(route)
    ? `${otherBase}/${addressOf(shared, at.params)}`
    : otherBase
}
