import { ErrorResponse, UserManager, WebStorageStateStore, type User } from 'oidc-client-ts'

interface Settings {
  readonly authority: string
  readonly client_id: string
  readonly account_url: string
}

const settings = (await (await fetch('/settings.json')).json()) as Settings

// Authorization code with PKCE; the library checks state, nonce and the ID token.
const manager = new UserManager({
  authority: settings.authority,
  client_id: settings.client_id,
  redirect_uri: `${location.origin}/callback`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid profile email offline_access',
  userStore: new WebStorageStateStore({ store: sessionStorage }),
})

const wanted = location.pathname === '/callback' ? await finishSignIn() : undefined
await showUser()
if (wanted !== undefined) await call(wanted)
on('sign-in', () => manager.signinRedirect())
on('me', () => call('/api/me'))
on('payroll', () => call('/api/payroll'))
on('renew', renew)
on('sign-out', () => manager.signoutRedirect())
element('account').setAttribute('href', settings.account_url)

/** @returns What the person had asked for when they were sent to sign in, where it was something. */
async function finishSignIn(): Promise<string | undefined> {
  try {
    const user = await manager.signinCallback()
    return typeof user?.state === 'string' ? user.state : undefined
  } catch (error) {
    say(`The sign-in failed: ${error instanceof Error ? error.message : 'no reason was given'}`)
    return undefined
  } finally {
    // The code has had its use; nobody should find it in the address.
    history.replaceState(null, '', '/')
  }
}

async function showUser(): Promise<void> {
  const user = await manager.getUser()
  element('signed-in').hidden = user === null
  element('signed-out').hidden = user !== null
  element('status').textContent =
    user === null ? 'You are not signed in.' : `You are signed in as ${nameOf(user)}.`
}

function nameOf({ profile }: User): string {
  return profile.name ?? profile.email ?? profile.sub
}

/** Asks the back end; where that wants a stronger sign-in (RFC 9470), signs in once more with a second factor. */
async function call(path: string): Promise<void> {
  const user = await manager.getUser()
  const answer = await fetch(path, { headers: { authorization: `Bearer ${user?.access_token ?? ''}` } })
  const [, acr] = /acr_values="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? []
  if (acr !== undefined) return manager.signinRedirect({ acr_values: acr, state: path })
  say(JSON.stringify(await answer.json(), null, 2))
}

async function renew(): Promise<void> {
  const user = await manager.signinSilent().catch(signedOutElsewhere)
  if (user === undefined) return
  say(
    user === null
      ? 'There was nothing to renew.'
      : `The tokens are new, and good for ${user.expires_in ?? 0} s.`,
  )
}

/** A refresh token that is refused is of a session that was ended elsewhere, or has expired. */
async function signedOutElsewhere(error: unknown): Promise<undefined> {
  if (!(error instanceof ErrorResponse) || error.error !== 'invalid_grant') throw error
  await manager.removeUser()
  await showUser()
  say('Your session has ended. Please sign in again.')
}

function on(id: string, act: () => Promise<void>): void {
  element(id).addEventListener('click', () => {
    act().catch((error: unknown) => say(error instanceof Error ? error.message : 'It did not work.'))
  })
}

function say(text: string): void {
  element('answer').textContent = text
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no ${id}`)
  return found
}
