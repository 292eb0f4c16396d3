'use strict'

// What makes the pages nicer where scripts run. All of them work without it: what needs it is hidden until it is here.
// `form.action` is not the address of a form here: a button of that name stands before it.

/** Six digits, with whatever was pasted around them. */
const digitsOfCode = 6

for (const button of document.querySelectorAll('[data-reveal]')) reveal(button)
for (const button of document.querySelectorAll('[data-copy]')) copy(button)
for (const button of document.querySelectorAll('[data-print]')) print(button)
for (const form of document.querySelectorAll('form[data-once]')) sendOnce(form)
for (const form of document.querySelectorAll('form[data-code]')) sendWhenTyped(form)
for (const form of document.querySelectorAll('form[data-at-once]')) sendAtOnce(form)
for (const image of document.querySelectorAll('img[data-logo]')) replaceWhenBroken(image)

/** Shows what is typed in a password field, and hides it again. */
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
  // What is sent in clear type is remembered by browsers as any other text.
  field.form.addEventListener('submit', () => set(false))
}

function copy(button) {
  // Browsers have it over https and on this machine alone.
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

/** Lets a form go one time, however often its button is pressed, until the page is seen again. */
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
  // Back from where the form led to: the browser has kept the page as it was.
  window.addEventListener('pageshow', (event) => {
    if (!event.persisted) return
    delete form.dataset.sent
    if (button.dataset.working !== undefined) button.textContent = before
  })
}

/**
 * Sends a code once it is whole. After a fault the button alone does: what fills in codes by itself would send the same
 * one again and again, until the user is locked out.
 */
function sendWhenTyped(form) {
  const field = form.querySelector('input.code')
  const button = form.querySelector('button[type=submit]')
  let isTried = field.getAttribute('aria-invalid') === 'true'
  field.addEventListener('input', () => {
    if (isTried || field.value.replace(/\D/g, '').length !== digitsOfCode) return
    isTried = true
    form.requestSubmit(button)
  })
}

/** Sends what nobody has to look at, once: who comes back to the page decides. */
function sendAtOnce(form) {
  const [navigation] = window.performance.getEntriesByType('navigation')
  if (navigation?.type === 'back_forward') return
  form.requestSubmit(form.querySelector('button[type=submit]'))
}

/** In the place of a logo that cannot be had stand the initial and the name. */
function replaceWhenBroken(image) {
  const replace = () => {
    image.hidden = true
    for (const sibling of image.parentElement.children) if (sibling !== image) sibling.hidden = false
  }
  if (image.complete && image.naturalWidth === 0) replace()
  else image.addEventListener('error', replace)
}
