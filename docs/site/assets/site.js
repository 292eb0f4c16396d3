/**
 * What the pages do beyond being read: dark or light by choice, the search, and samples that are copied and shown in the
 * language of the reader. It is a classic script in the head, so
 * that the choice is there before anything is drawn, and so that it runs in a page that is opened as a file.
 */
;(() => {
  const assets = document.currentScript.src.replace(/[^/]*$/, '')
  const site = assets.replace(/assets\/$/, '')
  const root = document.documentElement
  const kept = { get: () => null, set: () => undefined }
  try {
    const { localStorage } = window
    kept.get = (name) => localStorage.getItem(`portico-docs-${name}`)
    kept.set = (name, value) => localStorage.setItem(`portico-docs-${name}`, value)
    show(kept.get('theme'))
  } catch {
    // A browser that keeps nothing follows its system.
  }
  document.addEventListener('DOMContentLoaded', () => {
    offerThemes()
    offerSearch()
    offerLanguages()
    for (const sample of document.querySelectorAll('pre')) offerCopy(sample)
  })

  function show(theme) {
    if (theme === 'dark' || theme === 'light') root.dataset.theme = theme
  }

  function isDark() {
    const { theme } = root.dataset
    return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
  }

  function offerThemes() {
    const button = document.getElementById('theme')
    const name = () => (button.textContent = isDark() ? 'Light' : 'Dark')
    button.addEventListener('click', () => {
      const theme = isDark() ? 'light' : 'dark'
      show(theme)
      kept.set('theme', theme)
      name()
    })
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', name)
    name()
    button.hidden = false
  }

  function offerSearch() {
    const search = document.querySelector('.search')
    const input = document.getElementById('query')
    const list = document.getElementById('results')
    const found = document.getElementById('found')
    let index

    search.hidden = false
    input.addEventListener('focus', () => void load(), { once: true })
    input.addEventListener('input', () => void look())
    document.addEventListener('keydown', onKey)
    document.addEventListener('click', ({ target }) => {
      if (!search.contains(target)) close()
    })

    function load() {
      index ??= Promise.all(['search.js', 'search-index.js'].map(loadScript)).then(() =>
        window.porticoOpenSearch(window.porticoSearchIndex),
      )
      return index
    }

    async function look() {
      const query = input.value.trim()
      if (query === '') return close()
      const results = (await load())(query).slice(0, 12)
      if (query !== input.value.trim()) return
      list.replaceChildren(...results.map(resultOf))
      list.hidden = results.length === 0
      found.textContent =
        results.length === 0 ? 'Nothing found' : `${results.length} results; the arrow keys lead to them`
    }

    function close() {
      list.hidden = true
      found.textContent = ''
    }

    function onKey(event) {
      const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName)
      if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault()
        input.focus()
        return
      }
      if (!search.contains(event.target)) return
      const stops = [input, ...(list.hidden ? [] : list.querySelectorAll('a'))]
      const here = stops.indexOf(document.activeElement)
      if (event.key === 'ArrowDown') stops[Math.min(here + 1, stops.length - 1)].focus()
      else if (event.key === 'ArrowUp') stops[Math.max(here - 1, 0)].focus()
      else if (event.key === 'Enter' && document.activeElement === input && stops.length > 1) stops[1].click()
      else if (event.key === 'Escape') {
        close()
        input.focus()
        return
      } else return
      event.preventDefault()
    }

    function resultOf({ id, title, page }) {
      const link = document.createElement('a')
      link.href = site + id.slice(1)
      link.textContent = title
      link.addEventListener('click', close)
      if (page !== '') {
        const where = document.createElement('span')
        where.textContent = page
        link.append(where)
      }
      const item = document.createElement('li')
      item.append(link)
      return item
    }
  }

  /** A button beside a sample, and not in it, because that scrolls. */
  function offerCopy(sample) {
    const frame = document.createElement('div')
    frame.className = 'sampled'
    sample.replaceWith(frame)
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    frame.append(sample, button)
    button.addEventListener('click', async () => {
      const isCopied = await copy(sample.textContent.trimEnd(), sample)
      button.textContent = isCopied ? 'Copied' : 'Selected'
      setTimeout(() => (button.textContent = 'Copy'), 2_000)
    })
  }

  /** Where the clipboard is withheld, as over plain http, the sample is selected for the reader's own keys. */
  async function copy(text, sample) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      window.getSelection().selectAllChildren(sample)
      return document.execCommand('copy')
    }
  }

  /** Samples that say the same in several languages: one is shown, on every page the same. */
  function offerLanguages() {
    const groups = [...document.querySelectorAll('.languages')]
    const choose = (language) => {
      for (const group of groups) {
        const samples = [...group.querySelectorAll('pre')]
        if (!samples.some((sample) => sample.dataset.language === language)) continue
        for (const sample of samples) sample.hidden = sample.dataset.language !== language
        for (const button of group.querySelectorAll('.choice button'))
          button.setAttribute('aria-pressed', String(button.textContent === language))
      }
    }
    for (const group of groups) {
      const choice = document.createElement('p')
      choice.className = 'choice'
      for (const { dataset } of group.querySelectorAll('pre')) {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = dataset.language
        button.addEventListener('click', () => {
          choose(dataset.language)
          kept.set('language', dataset.language)
        })
        choice.append(button)
      }
      group.prepend(choice)
      choose(group.querySelector('pre').dataset.language)
    }
    choose(kept.get('language'))
  }

  function loadScript(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement('script')
      script.src = assets + name
      script.onload = resolve
      script.onerror = () => reject(new Error(`${name} does not load`))
      document.head.append(script)
    })
  }
})()
