/**
 * What the pages do beyond being read: dark or light by choice, and the search. It is a classic script in the head, so
 * that the choice is there before anything is drawn, and so that it runs in a page that is opened as a file.
 */
;(() => {
  const assets = document.currentScript.src.replace(/[^/]*$/, '')
  const site = assets.replace(/assets\/$/, '')
  const root = document.documentElement
  const kept = { get: () => null, set: () => undefined }
  try {
    const { localStorage } = window
    kept.get = () => localStorage.getItem('portico-docs-theme')
    kept.set = (theme) => localStorage.setItem('portico-docs-theme', theme)
    show(kept.get())
  } catch {
    // A browser that keeps nothing follows its system.
  }
  document.addEventListener('DOMContentLoaded', () => {
    offerThemes()
    offerSearch()
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
      kept.set(theme)
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
      index ??= Promise.all(['minisearch.js', 'search-index.js'].map(loadScript)).then(() =>
        window.MiniSearch.loadJSON(window.porticoSearch.index, window.porticoSearch.options),
      )
      return index
    }

    async function look() {
      const query = input.value.trim()
      if (query === '') return close()
      const results = (await load()).search(query).slice(0, 12)
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
