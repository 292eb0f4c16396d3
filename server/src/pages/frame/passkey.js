'use strict'

// Passkeys (Web Authentication Level 3). A form with `data-passkey` has what the browser is asked for in `data-options`; the answer of
// the authenticator goes in its field `credential`, and the form is sent as any other. Without this script it stays hidden.

const namesOfBytes = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']

/** Ends the list of passkeys under the field of the address: a browser does one thing at a time. */
let waiting

for (const form of document.querySelectorAll('form[data-passkey]'))
  if (window.PublicKeyCredential !== undefined) prepare(form)

function prepare(form) {
  const button = form.querySelector('button[type=submit]')
  const field = form.elements.namedItem('credential')
  const failed = form.querySelector('[data-failed]')
  const held = form.querySelector('[data-held]') ?? failed
  form.hidden = false
  for (const fault of [failed, held]) fault.className = 'fault'

  const send = (credential) => {
    field.value = JSON.stringify(credential)
    form.requestSubmit(button)
  }
  form.addEventListener('submit', async (event) => {
    if (field.value !== '' && !('sent' in form.dataset)) {
      form.dataset.sent = ''
      return
    }
    event.preventDefault()
    if ('sent' in form.dataset) return
    for (const fault of [failed, held]) fault.hidden = true
    // Of the change before, beside a fault of this one.
    for (const notice of document.querySelectorAll('.notice[role=status]')) notice.hidden = true
    button.disabled = true
    waiting?.abort()
    let fault = failed
    const credential = await ask(form, {}).catch(({ name }) => {
      // The authenticator has one of those that were to be excluded (Web Authentication Level 3 section 6.3.2).
      if (name === 'InvalidStateError') fault = held
    })
    button.disabled = false
    // Nothing was chosen, or the device has none: the browser has said which.
    if (credential === undefined) fault.hidden = false
    else send(credential)
  })
  // Restored from the back-forward cache: the answer is of a page that was answered.
  window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload())
  if ('signals' in form.dataset) signal(JSON.parse(form.dataset.options))
  if ('asked' in form.dataset) begin(form, send)
  else if ('conditional' in form.dataset) offer(form, send)
}

/**
 * Tells the browser which passkeys its user has, and what the user is called now, so that it proposes none that was removed. What it
 * does with that is its own matter, and so is a fault of it.
 */
function signal({ rp: { id: rpId }, user: { id: userId, name, displayName }, excludeCredentials }) {
  const passkeys = window.PublicKeyCredential
  const allAcceptedCredentialIds = excludeCredentials.map(({ id }) => id)
  passkeys.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds }).catch(() => {})
  passkeys.signalCurrentUserDetails?.({ rpId, userId, name, displayName }).catch(() => {})
}

/** Asks as soon as the page is there. Where none is chosen, or the browser wants a press of the button, the page is as any other. */
async function begin(form, send) {
  const controller = new AbortController()
  waiting = controller
  try {
    send(await ask(form, { signal: controller.signal }))
  } catch {
    if (!controller.signal.aborted && 'conditional' in form.dataset) await offer(form, send)
  }
}

/** Lists passkeys among the addresses that the browser proposes in the field of the address. */
async function offer(form, send) {
  const isOffered = await window.PublicKeyCredential.isConditionalMediationAvailable?.()
  if (isOffered !== true) return
  const controller = new AbortController()
  waiting = controller
  document.getElementById('email')?.addEventListener('input', () => controller.abort(), { once: true })
  try {
    send(await ask(form, { mediation: 'conditional', signal: controller.signal }))
  } catch {
    // It ended by another way to sign in.
  }
}

async function ask(form, how) {
  const options = JSON.parse(form.dataset.options)
  if (form.dataset.passkey === 'create') {
    const made = await navigator.credentials.create({ publicKey: toCreation(options), ...how })
    const { id, rawId, type, response } = toJson(made)
    const { clientDataJSON, attestationObject, transports } = response
    return { id, rawId, type, response: { clientDataJSON, attestationObject, transports } }
  }
  return toJson(await navigator.credentials.get({ publicKey: toRequest(options), ...how }))
}

function toCreation(options) {
  if ('parseCreationOptionsFromJSON' in window.PublicKeyCredential)
    return window.PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const { challenge, user, excludeCredentials } = options
  return {
    ...options,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: excludeCredentials.map((known) => ({ ...known, id: toBytes(known.id) })),
  }
}

function toRequest(options) {
  if ('parseRequestOptionsFromJSON' in window.PublicKeyCredential)
    return window.PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const { challenge, allowCredentials } = options
  return {
    ...options,
    challenge: toBytes(challenge),
    allowCredentials: allowCredentials.map((known) => ({ ...known, id: toBytes(known.id) })),
  }
}

/** As toJSON() writes it, for browsers and password managers without that. */
function toJson(credential) {
  try {
    return credential.toJSON()
  } catch {
    const { id, rawId, type, response } = credential
    const texts = {}
    for (const name of namesOfBytes) if (response[name]) texts[name] = toText(response[name])
    const transports = response.getTransports?.()
    return { id, rawId: toText(rawId), type, response: { ...texts, ...(transports && { transports }) } }
  }
}

function toBytes(text) {
  const binary = window.atob(text.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(binary, (character) => character.codePointAt(0))
}

function toText(buffer) {
  const binary = String.fromCodePoint(...new Uint8Array(buffer))
  return window.btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}
