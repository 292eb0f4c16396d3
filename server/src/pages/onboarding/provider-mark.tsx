/** What a product is recognized by: a sign on a color. */
interface Drawing {
  /** White on it has 4.5:1. */
  readonly color: string
  /** Lines in a square of 24. */
  readonly lines: string
}

const cloud = 'M7 18h10a4 4 0 0 0 .6-7.95A6 6 0 0 0 6.1 9.6 4.2 4.2 0 0 0 7 18z'
const key = 'M14.5 9.5a3.5 3.5 0 1 0-7 0 3.5 3.5 0 0 0 7 0zM13.4 12l6.1 6.1M16.8 15.4l-2 2'

/** By the marks of the tutorials. */
const drawings: Readonly<Partial<Record<string, Drawing>>> = {
  O: { color: '#3f59e4', lines: 'M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14z' },
  ME: { color: '#0067b8', lines: 'M12 4l8 8-8 8-8-8zM12 4v16M4 12h16' },
  G: { color: '#1a73e8', lines: 'M4 5h16v11H4zM4 9h16M9 20h6M12 16v4' },
  '1L': { color: '#1c1f2a', lines: 'M9 8l4-3v14M9 19h8' },
  P1: { color: '#b3282d', lines: 'M5 15a10 10 0 0 1 14 0M8 18a6 6 0 0 1 8 0M3 11a14 14 0 0 1 18 0' },
  PF: {
    color: '#b3282d',
    lines: 'M6 12a3 3 0 1 0 .1 0zM18 4a3 3 0 1 0 .1 0zM18 15a3 3 0 1 0 .1 0zM9 14l6-5M9 16l6 2',
  },
  AD: { color: '#0b5394', lines: 'M4 5h16v5H4zM4 14h16v5H4zM7 7.5h2M7 16.5h2' },
  A0: { color: '#c2390f', lines: 'M12 3l7 3v6c0 4.5-3 7.5-7 9-4-1.5-7-4.5-7-9V6z' },
  JC: { color: '#007a87', lines: cloud },
  K: { color: '#46617a', lines: key },
  '<>': { color: '#475569', lines: 'M9 7l-5 5 5 5M15 7l5 5-5 5' },
  ID: { color: '#475569', lines: 'M9 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM15 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8z' },
  T: {
    color: '#475569',
    lines: 'M10 4v6l-5 8a1.5 1.5 0 0 0 1.3 2.2h11.4A1.5 1.5 0 0 0 19 18l-5-8V4M8.5 4h7M8 15h8',
  },
}

/** A sign for a product, because the logos are their owners', who allow them on their own sign-in buttons at most. */
export function ProviderMark({ mark }: { mark: string }) {
  const drawing = drawings[mark]
  if (drawing === undefined)
    return (
      <span class="mark" aria-hidden="true">
        {mark}
      </span>
    )
  return (
    <svg class="mark" viewBox="-6 -6 36 36" aria-hidden="true">
      <rect x="-6" y="-6" width="36" height="36" rx="8" fill={drawing.color} />
      <path d={drawing.lines} />
    </svg>
  )
}

/** The product of a page, with a note behind its name. */
export function ProductLine({
  product: { name, mark },
  note,
}: {
  product: { readonly name: string; readonly mark: string }
  note?: string
}) {
  return (
    <p class="tutorial-place">
      <ProviderMark mark={mark} />
      <span>
        {name}
        {note !== undefined && <span class="quiet">{` · ${note}`}</span>}
      </span>
    </p>
  )
}
