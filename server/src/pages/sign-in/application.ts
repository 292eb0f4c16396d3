import type { AuthorizationAnswer } from '../../directory/sessions/authorization-answer.js'
import type { Frame } from '../frame/layout.js'
import { logoOf } from '../frame/organization.js'
import { postingPageHeaders } from '../frame/page-headers.js'
import { redirect, type Exchange } from '../frame/page-route.js'
import { formPostPage } from '../views/form-post.js'

/**
 * Sends the browser to the application with an answer: by a redirect, or by a page whose form is posted there.
 *
 * @param frameOfPage Called only where a page is shown.
 */
export async function sendToApplication(
  { site, res }: Pick<Exchange, 'site' | 'res'>,
  answer: AuthorizationAnswer,
  frameOfPage: () => Promise<Frame>,
): Promise<void> {
  if (answer.mode === 'query') {
    redirect({ site, res }, answer.redirectUrl)
    return
  }
  const { redirectUri: action, parameters } = answer
  const frame = await frameOfPage()
  res
    .set(postingPageHeaders(site.isHttps, action, logoOf(frame.organization)?.url))
    .type('html')
    .send(formPostPage({ frame, action, parameters }))
}
