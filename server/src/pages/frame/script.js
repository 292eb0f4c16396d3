'use strict'

// Progressive enhancement: all pages work without scripts, and controls that need them are hidden until this one runs.
// `form.action` is not the address of a form here: a button of that name shadows it.

const digitsOfCode = 6

for (const button of document.querySelectorAll('[data-reveal]')) reveal(button)
for (const button of document.querySelectorAll('[data-copy]')) copy(button)
for (const button of document.querySelectorAll('[data-print]')) print(button)
for (const button of document.querySelectorAll('[data-back]')) goBack(button)
// Before sendOnce(), whose count a press that comes too early must not reach.
for (const form of document.querySelectorAll('form[data-later]')) sendLater(form)
for (const field of document.querySelectorAll('textarea[data-max-bytes]')) refuseTooLarge(field)
for (const form of document.querySelectorAll('form[data-once]')) sendOnce(form)
for (const form of document.querySelectorAll('form[data-code]')) sendWhenTyped(form)
for (const form of document.querySelectorAll('form[data-at-once]')) sendAtOnce(form)
for (const field of document.querySelectorAll('input[data-can-passkey]')) sayPasskeys(field)
for (const image of document.querySelectorAll('img[data-logo]')) replaceWhenBroken(image)

/** Says in a form whether the device can make passkeys, so that nobody is offered one in vain. */
async function sayPasskeys(field) {
  const isAble = await window.PublicKeyCredential?.isUserVerifyingPlatformAuthenticatorAvailable?.()
  if (isAble === true) field.value = 'can'
}

/** Shows and hides the content of a password field. */
function reveal(button) {
  const field = document.getElementById(button.dataset.reveal)
  const label = button.firstElementChild
  const set = (isShown) => {
    if ((field.type === 'text') === isShown) return
    field.type = isShown ? 'text' : 'password'
    const other = button.dataset.other
    button.dataset.other = label.textContent
    label.textContent = other
  }
  button.hidden = false
  button.addEventListener('click', () => set(field.type === 'password'))
  // Browsers remember a submitted text field like any other text.
  field.form.addEventListener('submit', () => set(false))
}

function copy(button) {
  // Browsers offer it only in secure contexts: https and localhost.
  if (navigator.clipboard === undefined) return
  const label = button.firstElementChild
  const before = label.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    const lines = [...document.getElementById(button.dataset.copy).children]
    await navigator.clipboard.writeText(lines.map((line) => line.textContent.trim()).join('\n'))
    label.textContent = button.dataset.other
    setTimeout(() => (label.textContent = before), 3000)
  })
}

function print(button) {
  button.hidden = false
  button.addEventListener('click', () => window.print())
}

/** Goes back to the page before, where this tab has one. */
function goBack(button) {
  if (window.history.length < 2) return
  button.hidden = false
  button.addEventListener('click', () => window.history.back())
}

/** Takes no press in the first half second: the second one of a double click was meant for another page. */
function sendLater(form) {
  setTimeout(() => delete form.dataset.later, 500)
  form.addEventListener('submit', (event) => {
    if (!('later' in form.dataset)) return
    event.preventDefault()
    event.stopImmediatePropagation()
  })
}

/** Says beside a pasted text that it is too large: an answer of the service to so much would come without the text. */
function refuseTooLarge(field) {
  field.form.addEventListener('submit', (event) => {
    if (new window.TextEncoder().encode(field.value).length <= Number(field.dataset.maxBytes)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const id = `${field.id}-fault`
    const fault = document.getElementById(id) ?? document.createElement('p')
    fault.id = id
    fault.className = 'fault'
    fault.setAttribute('role', 'alert')
    fault.textContent = field.dataset.tooLarge
    field.setAttribute('aria-invalid', 'true')
    field.setAttribute('aria-describedby', id)
    field.parentElement.after(fault)
    field.focus()
  })
}

/** Submits a form once, however often its button is pressed, until the page is shown again. */
function sendOnce(form) {
  const button = form.querySelector('button[type=submit]')
  const before = button.textContent
  form.addEventListener('submit', (event) => {
    if ('sent' in form.dataset) {
      event.preventDefault()
      return
    }
    form.dataset.sent = ''
    if (button.dataset.working !== undefined) button.textContent = button.dataset.working
  })
  // Restored from the back-forward cache, with the state of the submission.
  window.addEventListener('pageshow', (event) => {
    if (!event.persisted) return
    delete form.dataset.sent
    if (button.dataset.working !== undefined) button.textContent = before
  })
}

/**
 * Submits a code once it is complete. After a fault only the button does: autofill would submit the same code again and
 * again, until the user is locked out.
 */
function sendWhenTyped(form) {
  const field = form.querySelector('input.code')
  const button = form.querySelector('button[type=submit]')
  let isTried = field.getAttribute('aria-invalid') === 'true'
  field.addEventListener('input', () => {
    // A pasted code may have a space in the middle, which would take a cell.
    const digits = field.value.replace(/\D/g, '').slice(0, digitsOfCode)
    if (digits !== field.value) field.value = digits
    if (isTried || digits.length !== digitsOfCode) return
    isTried = true
    form.requestSubmit(button)
  })
}

/** Submits a form without interaction, but only once: not after a back navigation. */
function sendAtOnce(form) {
  const [navigation] = window.performance.getEntriesByType('navigation')
  if (navigation?.type === 'back_forward') return
  form.requestSubmit(form.querySelector('button[type=submit]'))
}

/** Shows the initial and the name when a logo fails to load. */
function replaceWhenBroken(image) {
  const replace = () => {
    image.hidden = true
    for (const sibling of image.parentElement.children) if (sibling !== image) sibling.hidden = false
  }
  if (image.complete && image.naturalWidth === 0) replace()
  else image.addEventListener('error', replace)
}
